"""A pytest plugin: stories that many tests begin with are told once, and put back as rows ever after.

A story is told again, step by step, wherever rows could not stand for it: in another state of the tables than the one
that it was told in, at another moment, in tests that commit, and in tests that change a setting or replace a part.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import pytest
import time_machine
from django.apps import apps
from django.core import mail
from django.db import IntegrityError, connection, models, transaction

from core.clock import now
from merchants.models import User
from merchants.services import NewMerchant, create_merchant
from tests.factories.rows import Rows, rows_of
from tests.payments.world import START, World

if TYPE_CHECKING:  # which loads this plugin
    from tests.conftest import ApiClient

Given = ParamSpec("Given")
Answer = dict[str, Any]
Story = Callable[Concatenate[World, "ApiClient", Given], Answer]
Statement = tuple[str, list[Any]]

CAST = (
    ("Corner Shop", "owner@shop.example", "correct horse battery"),
    ("Other Shop", "owner@other.example", "correct horse battery"),
)
"""The two merchants that tests are given: name, owner, password."""
LIBRARIES = frozenset({"account", "admin", "auth", "contenttypes", "mfa", "sessions", "usersessions"})
PEOPLE = frozenset({"User", "Membership", "Invitation", "ApiKey", "Change"})
"""Tables of the merchants' app that no story of a payment depends on."""
WITHOUT_AGENTS = ("tests.payments.", "tests.refunds.")
"""Where stories are in which no agent has a part: whichever is connected, they are the same."""
MOST_STORIES = 100

_stories: OrderedDict[tuple[Any, ...], "Told"] = OrderedDict()
_casts: dict[datetime | None, list["Told"]] = {}
_running: list[pytest.Item] = []
"""The present test."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a story left: rows, the moment, the answer."""

    statements: list[Statement]
    moment: datetime
    answer: Any
    script: list[str] = field(default_factory=list)

    def put_back(self) -> bool:
        """Write the rows; False, and nothing written, where some of them stand there already."""
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                self._write(cursor)
        except IntegrityError:
            return False
        return True

    def _write(self, cursor: Any) -> None:
        if connection.vendor != "postgresql":
            for statement, values in self.statements:
                cursor.execute(statement, values)
            return
        if not self.script:
            self.script.append("; ".join(_in_one_text(*statement) for statement in self.statements))
        cursor.execute(self.script[0])


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Know the test that runs."""
    _running[:] = [item]


def _is_as_shipped() -> bool:
    """Whether this test has changed no setting and replaced no part so far: the same steps might lead elsewhere."""
    given = getattr(_running[0], "funcargs", {})
    changes: list[Any] = [given["settings"]._to_restore] if "settings" in given else []
    if "monkeypatch" in given:
        changes += [given["monkeypatch"]._setattr, given["monkeypatch"]._setitem]
    return not any(changes)


def told_once(story: Story[Given]) -> Story[Given]:
    """Have a story told once for each state that it begins in. Its arguments must have an exact ``repr``."""

    @wraps(story)
    def again(world: World, api: "ApiClient", /, *given: Given.args, **named: Given.kwargs) -> Answer:
        if not connection.in_atomic_block or not _is_as_shipped():
            return story(world, api, *given, **named)
        has_agents = not story.__module__.startswith(WITHOUT_AGENTS)
        state = _state(LIBRARIES if has_agents else LIBRARIES | {"mcp_server"})
        key = (story.__module__, story.__qualname__, api.key, now(), repr(given), repr(named), state)
        if (known := _stories.get(key)) is not None and known.put_back():
            _stories.move_to_end(key)
            world.clock.move_to(known.moment)
            return deepcopy(known.answer)
        with _watched() as left:
            answer = story(world, api, *given, **named)
        if known is None and left:
            _stories[key] = Told(statements=left[0], moment=now(), answer=deepcopy(answer))
            if len(_stories) > MOST_STORIES:
                _stories.popitem(last=False)
        return answer

    return again


@pytest.fixture
def account(db: None) -> NewMerchant:
    """A merchant with its owner and both key pairs in clear."""
    return _merchant_of_cast(0)


@pytest.fixture
def other_account(db: None) -> NewMerchant:
    """Another merchant, whose rows the first must never see."""
    return _merchant_of_cast(1)


def _merchant_of_cast(number: int) -> NewMerchant:
    """One of the two, with the same ids and keys in every test of this process that does not commit."""
    moment = now() if time_machine.escape_hatch.is_travelling() else None
    if not connection.in_atomic_block or moment not in {None, START}:
        return create_merchant(*CAST[number])
    if moment not in _casts and not User.objects.exists():
        _casts[moment] = _introduced()
    known = _casts[moment][number] if moment in _casts else None
    if known is None or not known.put_back():
        return create_merchant(*CAST[number])
    made: NewMerchant = deepcopy(known.answer)
    return made


def _introduced() -> list[Told]:
    """Make both merchants, so that their ids differ, and take them back."""
    made = []
    with transaction.atomic():
        for facts in CAST:
            with _watched() as left:
                answer = create_merchant(*facts)
            made.append(Told(statements=left[0], moment=now(), answer=answer))
        transaction.set_rollback(True)
    return made


@contextmanager
def _watched() -> Iterator[list[list[Statement]]]:
    """What is written meanwhile, once it is over; nothing where rows alone would not be the same."""
    left: list[list[Statement]] = []
    tables = _tables()
    before, mails = rows_of(tables), _mails()
    yield left
    after = rows_of(tables)
    keys = {model._meta.label: str(model._meta.pk.column) for model in tables}
    is_gone = any(
        {row[keys[label]] for row in rows} - {row[keys[label]] for row in after[label]}
        for label, rows in before.items()
    )
    if not is_gone and _mails() == mails:
        left.append([one for model in tables for one in _difference(model, before, after)])


def _mails() -> int:
    return len(getattr(mail, "outbox", ()))


def _tables() -> list[type[models.Model]]:
    every = apps.get_models(include_auto_created=True)
    return [model for model in every if model._meta.managed and not model._meta.proxy]


def _state(besides: Set[str]) -> str:
    """What all tables hold that a story could depend on, in short; not those of these apps."""
    ours = [
        model
        for model in _tables()
        if model._meta.app_label not in besides
        and not (model._meta.app_label == "merchants" and model.__name__ in PEOPLE)
    ]
    return hashlib.sha256(repr(rows_of(ours)).encode()).hexdigest()


def _difference(model: type[models.Model], before: Rows, after: Rows) -> Iterator[Statement]:
    """What makes a table of what it was what it is."""
    label, key, quote = model._meta.label, str(model._meta.pk.column), connection.ops.quote_name
    old = {row[key]: row for row in before[label]}
    for row in after[label]:
        columns, values = [quote(name) for name in row], list(row.values())
        if row[key] not in old:
            yield (
                f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) "  # noqa: S608 - our own names
                f"VALUES ({', '.join(['%s'] * len(columns))})",
                values,
            )
        elif row != old[row[key]]:
            changed = ", ".join(f"{name} = %s" for name in columns)
            yield (
                f"UPDATE {quote(model._meta.db_table)} SET {changed} WHERE {quote(key)} = %s",  # noqa: S608 - as above
                [*values, row[key]],
            )


def _in_one_text(statement: str, values: list[Any]) -> str:
    """A statement with its values in it. Why: PostgreSQL takes many at once only so."""
    from psycopg.sql import Literal  # noqa: PLC0415 - only there where PostgreSQL is used

    return statement.replace("%s", "{}").format(*(Literal(value).as_string(connection.connection) for value in values))
