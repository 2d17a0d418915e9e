"""Which intents a list shows. Source: contract, Lists."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, Q, QuerySet, TextField, Value
from django.db.models.lookups import Exact
from django.db.models.sql.compiler import SQLCompiler
from django.utils.dateparse import parse_datetime

from core.ids import parse_public_id
from core.pagination import invalid_parameter
from payments.models import Leg, PaymentIntent
from payments.states import IntentStatus

_METADATA_PARAMETER = re.compile(r"metadata\[([^\[\]]{1,64})\]")
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?")
MAX_SEARCH = 254


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


def _has_status(text: str) -> Q:
    wanted = [status.strip() for status in text.split(",")]
    unknown = [status for status in wanted if status not in IntentStatus.values]
    if unknown:
        raise invalid_parameter("status", f"must be among {', '.join(IntentStatus.values)}.")
    return Q(status__in=wanted)


def _moment(name: str, text: str) -> datetime:
    try:
        moment = parse_datetime(text.replace(" ", "+"))
        in_utc = None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        in_utc = None
    if in_utc is None:
        raise invalid_parameter(name, "must be an RFC 3339 time with a zone, like 2026-01-31T12:00:00Z.")
    return in_utc


_FILTERS: dict[str, Callable[[str], Q]] = {
    "status": _has_status,
    "created_gte": lambda text: Q(created_at__gte=_moment("created_gte", text)),
    "created_lt": lambda text: Q(created_at__lt=_moment("created_lt", text)),
    "reference": lambda text: Q(reference=text),
    "customer_email": lambda text: Q(customer_email=text),
}
"""By query parameter: the condition that its text means."""
