"""Points at which something happens to a process: around every commit that wrote something and every call outside.

Nobody lists them: each commit is named by the function whose transaction it is and by what it wrote, each call by
its place in ``boundaries``. A test arms one by writing its name to a file, and on a second line what shall happen
(to die as by ``kill -9``, unless it says otherwise); the first process that gets there takes the file away.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.crash.actions import Action, happen
from tests.crash.boundaries import arm_boundaries

FOLDER = Path(os.environ["CRASH_FOLDER"])
ARMED, SEEN = FOLDER / "armed", FOLDER / "seen"
WRITE = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(payments|webhooks|merchants|chains|refunds|payouts)_(\w+)"')
TOLD = re.compile(r"(?:payment_intent|refund|payout)\.\w+")
NOT_OURS = ("/django/", "/tests/crash/", "/contextlib.py")
NAIVE_CODE = "/tests/crash/matrix/naive.py"
"""Plays the service, so it is named like it."""
_spared: set[int] = set()


class ArmedConfig(AppConfig):
    name = "tests.crash.armed"
    label = "armed"

    def ready(self) -> None:
        connection_created.connect(_arm, dispatch_uid="armed")
        if not settings.EMBEDDED:
            _arm_loop()
        arm_boundaries(pass_point)


@contextmanager
def spared() -> Iterator[None]:
    """This process passes no points while it conducts others; those that are forked meanwhile do."""
    _spared.add(os.getpid())
    try:
        yield
    finally:
        _spared.clear()


def pass_point(side: str, name: str, connection: BaseDatabaseWrapper | None = None) -> None:
    if os.getpid() in _spared:
        return
    point = f"{side} {name}"
    with SEEN.open("a") as seen:
        seen.write(f"{point}\n")
    try:
        armed, _, action = ARMED.read_text().partition("\n")
        if armed != point:
            return
        ARMED.unlink()
    except FileNotFoundError:
        return  # nothing is armed, or another process was faster
    happen(Action(action or Action.KILL), side, connection)


def _arm(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if any(isinstance(wrapper, _Watch) for wrapper in connection.execute_wrappers):
        return  # a connection that was lost and made anew
    watch = _Watch(connection)
    connection.execute_wrappers.append(watch)
    connection.commit = watch.around(connection.commit)  # type: ignore[method-assign]  # that is the purpose
    connection.rollback = watch.forgetting(connection.rollback)  # type: ignore[method-assign]  # as above


def _arm_loop() -> None:
    """What an event loop asks for is a commit of its own, too."""
    from core.loop_connections import LoopConnections  # noqa: PLC0415 - needs PostgreSQL's driver

    ask = LoopConnections.first_row

    async def armed(of: Any, statement: str, values: Mapping[str, Any]) -> Any:
        written = {table for _, table in WRITE.findall(statement)}
        if not written:
            return await ask(of, statement, values)
        written |= {word for word in values.values() if isinstance(word, str) and TOLD.fullmatch(word)}
        name = f"{ask.__name__} ({', '.join(sorted(_telling(written)))})"
        pass_point("before", name)
        found = await ask(of, statement, values)
        pass_point("after", name)
        return found

    if LoopConnections.first_row.__module__ != __name__:
        LoopConnections.first_row = armed  # type: ignore[method-assign,assignment]  # that is the purpose


class _Watch:
    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self._written: set[str] = set()

    def __call__(self, execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        """See what a statement writes; outside a transaction it is a commit of its own."""
        written = {table for _, table in WRITE.findall(sql)}
        if not written:
            return execute(sql, parameters, many, context)
        self._written |= written | {
            word for word in _flat(parameters) if isinstance(word, str) and TOLD.fullmatch(word)
        }
        if self._connection.in_atomic_block:
            return execute(sql, parameters, many, context)
        return self.around(execute)(sql, parameters, many, context)

    def around(self, commit: Callable[..., Any]) -> Callable[..., Any]:
        def armed_commit(*arguments: Any) -> Any:
            written, self._written = self._written, set()
            if not written:
                return commit(*arguments)
            name = f"{_committer(sys._getframe(1))} ({', '.join(sorted(_telling(written)))})"
            pass_point("before", name, self._connection)
            result = commit(*arguments)
            pass_point("after", name, self._connection)
            return result

        return armed_commit

    def forgetting(self, rollback: Callable[[], None]) -> Callable[[], None]:
        def armed_rollback() -> None:
            self._written = set()
            rollback()

        return armed_rollback


def _telling(written: set[str]) -> set[str]:
    return {word for word in written if TOLD.fullmatch(word)} or written


def _flat(parameters: Any) -> list[Any]:
    return list(parameters.values()) if isinstance(parameters, dict) else list(parameters or ())


def _committer(frame: FrameType | None) -> str:
    """The function whose transaction ends: the nearest one of the service, or the one that is decorated as atomic."""
    while frame is not None:
        decorated = frame.f_locals.get("func") if frame.f_code.co_name == "inner" else None
        if decorated is not None and _is_ours(decorated.__code__):
            return str(decorated.__name__)
        if _is_ours(frame.f_code):
            return frame.f_code.co_name
        frame = frame.f_back
    return "somebody"


def _is_ours(code: CodeType) -> bool:
    if code.co_filename.endswith(NAIVE_CODE):
        return True
    return "site-packages" not in code.co_filename and not any(part in code.co_filename for part in NOT_OURS)
