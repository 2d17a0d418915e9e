"""Which intents a list shows. Source: docs/design/requests.md, Lists."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Func, Lookup, Q, QuerySet, TextField, Value
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler

from core.ids import parse_public_id
from core.pagination import invalid_parameter, read_moment
from payments.models import Leg, PaymentIntent
from payments.states import IntentStatus

_METADATA_PARAMETER = re.compile(r"metadata\[([^\[\]]{1,64})\]")
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?")
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
MAX_SEARCH = 254
LOOKED_THROUGH = 500
"""Newest intents in which a value is looked for before the index is asked."""
MOST_BY_VALUE = 1000
"""Intents that are read of those which the index names; a value of more than so many old ones shows some of them."""


_Facts = tuple[datetime, UUID, Any]


class _TextOfKey(Func):
    """The text under one key of a JSON object. Why our own: the framework's reads ``17`` as a place in a list."""

    output_field = TextField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        """The database's own operator, told that the key is a text."""
        return self.as_sql(compiler, connection, template="(%(expressions)s::text)", arg_joiner=" ->> ", **context)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        """Key by key, since a path cannot name every key; truth values as PostgreSQL writes them."""
        template = (
            "(SELECT CASE entry.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' "
            "ELSE CAST(entry.value AS TEXT) END FROM json_each(%(expressions)s))"
        )
        joiner = ") AS entry WHERE entry.key = ("
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


def filter_intents(intents: QuerySet[PaymentIntent], query: Mapping[str, str]) -> QuerySet[PaymentIntent]:
    """Narrow an already scoped queryset by the query parameters. Raises: InvalidParameter."""
    for name, text in query.items():
        if "\x00" in text or "\x00" in name:
            raise invalid_parameter(name.replace("\x00", ""), "cannot contain NUL.")
        if (narrow := _FILTERS.get(name)) is not None:
            intents = intents.filter(narrow(text))
        elif found := _METADATA_PARAMETER.fullmatch(name):
            intents = intents.filter(_has_metadata(found[1], text))
    return intents


def status_conditions(query: Mapping[str, str]) -> list[Q]:
    """Each of several statuses apart, for a page that is not narrowed by them; nothing where one is asked for, or none.

    Raises: InvalidParameter. Why: asked together they are in the order of no index, and the newest page of statuses
    that are rare is looked for among all payments, or all that have them are sorted.
    """
    wanted = _statuses(query["status"]) if "status" in query else []
    return [Q(status=one) for one in wanted] if len(wanted) > 1 else []


def search_conditions(query: Mapping[str, str]) -> list[Q]:
    """Where ``q`` may be found, exactly: id, transaction hash, reference, e-mail, address; nothing without ``q``.

    Raises: InvalidParameter.
    """
    text = query.get("q")
    if text is None:
        return []
    if not 1 <= len(text) <= MAX_SEARCH:
        raise invalid_parameter("q", f"must have 1 to {MAX_SEARCH} characters.")
    legs = Leg.objects.filter(Q(tx_hash=text) | Q(destination_tx_hash=text))
    found = {*legs.values_list("intent_id", flat=True), parse_public_id(text, "pi_")} - {None}
    return [Q(pk__in=found), Q(reference=text), Q(customer_email=text), Q(settlement_address=text)]


class _HoldsValue(Lookup[Any]):
    """JSON in which this text stands as a value, under whatever key, however deep; numbers by what they are worth.

    On SQLite as the text was written, which may also find a text that only looks so: ask ``holds`` of what is found.
    Why a lookup of our own: the framework has none for values, and PostgreSQL's index serves only this operator.
    """

    lookup_name = "holds_value"
    prepare_rhs = False

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """By the index over every value."""
        column, parameters = self.process_lhs(compiler, connection)
        words = [json.dumps(self.rhs), *([self.rhs] if _PLAIN_NUMBER.fullmatch(self.rhs) else [])]
        path = f"strict $.** ? ({' || '.join(f'@ == {word}' for word in words)})"
        return f"{column} @? %s::jsonpath", [*parameters, path]

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        """By reading along. Why so plain: taking JSON apart row by row takes ten times as long."""
        column, parameters = self.process_lhs(compiler, connection)
        sql, words = f"instr({column}, %s) > 0", [*parameters, json.dumps(self.rhs)]
        if _PLAIN_NUMBER.fullmatch(self.rhs):
            sql = f"(instr({column}, %s) > 0 AND ({sql} OR {column} GLOB %s))"  # the first is quick, and mostly says no
            words = [*parameters, self.rhs, *words, *parameters, f"*[[:,]{self.rhs}[],}}]*"]
        return sql, words


def ids_by_value(intents: QuerySet[PaymentIntent], text: str, most: int) -> list[UUID]:
    """Ids of scoped intents whose metadata holds this text as a value, newest first.

    Why the newest are looked through first: a value that very many share is found there, and its index would name
    all of them; any other value the index finds at once.
    """
    facts = intents.order_by().values_list("created_at", "pk", "metadata")
    found = _holding(facts.order_by("-created_at", "-pk")[:LOOKED_THROUGH], text)
    if len(found) < most:
        found = _holding(facts.filter(_HoldsValue(F("metadata"), text))[:MOST_BY_VALUE], text)
    return [key for _, key, _ in sorted(found, key=itemgetter(0, 1), reverse=True)[:most]]


def _holding(rows: Iterable[_Facts], text: str) -> list[_Facts]:
    return [row for row in rows if holds(row[2], text)]


def holds(value: object, text: str) -> bool:
    """Whether a text is a value in this JSON, exactly; a number by how it is written."""
    match value:
        case dict():
            return any(holds(inner, text) for inner in value.values())
        case list():
            return any(holds(inner, text) for inner in value)
        case bool() | None:
            return False
    return str(value) == text


def _has_metadata(key: str, text: str) -> Q:
    """Metadata whose value under the key reads so.

    Why it is said twice on PostgreSQL: only containment has an index, and only the text tells ``1.0`` from ``1``.
    """
    exactly = Q(Exact(_TextOfKey("metadata", Value(key)), text))
    if connection.vendor != "postgresql" or text.startswith(("{", "[")):
        return exactly
    roughly = Q(metadata__contains={key: text})
    if text in {"true", "false"}:
        roughly |= Q(metadata__contains={key: text == "true"})
    elif _PLAIN_NUMBER.fullmatch(text):
        roughly |= Q(metadata__contains={key: Decimal(text)})
    return exactly & roughly


def _statuses(text: str) -> list[str]:
    wanted = list(dict.fromkeys(status.strip() for status in text.split(",")))
    if not set(IntentStatus.values).issuperset(wanted):
        raise invalid_parameter("status", f"must be among {', '.join(IntentStatus.values)}.")
    return wanted


def _amount(name: str, text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise invalid_parameter(name, "must be an amount in dollars with at most six decimals, like 25.50.")
    return Decimal(text)


_FILTERS: dict[str, Callable[[str], Q]] = {
    "status": lambda text: Q(status__in=_statuses(text)),
    "created_gte": lambda text: Q(created_at__gte=read_moment("created_gte", text)),
    "created_lt": lambda text: Q(created_at__lt=read_moment("created_lt", text)),
    "amount_gte": lambda text: Q(amount__gte=_amount("amount_gte", text)),
    "amount_lte": lambda text: Q(amount__lte=_amount("amount_lte", text)),
    "settlement_chain": lambda text: Q(settlement_chain=text.lower()),
    "settlement_token": lambda text: Q(settlement_token=text.upper()),
    "reference": lambda text: Q(reference=text),
    "customer_email": lambda text: Q(customer_email=text),
}
"""By query parameter: the condition that its text means."""
