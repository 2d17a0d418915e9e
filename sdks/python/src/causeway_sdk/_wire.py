"""Values on their way in and out: exact money, moments, and JSON that keeps both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias, cast
from urllib.parse import quote

Amount: TypeAlias = "Decimal | str | int"
"""Money in a request. A float is refused: 19.99 is no float."""


def amount(value: Any, name: str = "amount") -> Decimal:
    """The exact decimal. Raises: TypeError for a float, ValueError for text that is no number."""
    if isinstance(value, bool) or not isinstance(value, (Decimal, str, int)):
        raise TypeError(f"{name} must be a Decimal, str or int, not {type(value).__name__}: floats are not exact")
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise ValueError(f"{name} is not a decimal number")
    return found


def decimal(value: Any) -> Decimal:
    """An exact decimal of an answer, which is text or a JSON number."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def moment(value: Any) -> datetime:
    """An aware time of an answer."""
    return datetime.fromisoformat(value)


def written(value: datetime | date) -> str:
    """RFC 3339. Raises: ValueError for a time without a zone."""
    if not isinstance(value, datetime):
        raise TypeError("give a datetime with a zone, not a date")
    if value.tzinfo is None:
        raise ValueError("a time needs a zone: datetime.now(UTC)")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def encode(value: Any) -> str:
    """JSON in which a Decimal is an exact number."""
    inside: Any = value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return json.dumps(written(value))
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{encode(one)}" for key, one in inside.items()) + "}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "[" + ",".join(encode(one) for one in inside) + "]"
    return json.dumps(value, allow_nan=False)


def decode(content: bytes) -> Any:
    """JSON in which a number with a point is an exact Decimal. Raises: ValueError."""
    return json.loads(content, parse_float=Decimal)


def query_text(values: Mapping[str, Any]) -> str:
    """A query. None is left out; several values are joined by commas; a mapping is ``name[key]=value``."""
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        inside: Any = value
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", one) for key, one in inside.items()]
        elif value is not None:
            pairs.append((name, value))
    return "&".join(f"{quote(name, safe='[]')}={quote(_query_value(value), safe='')}" for name, value in pairs)


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (datetime, date)):
        return written(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(_query_value(one) for one in cast("list[Any]", value))
    return str(value)


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object as it is; of anything else, nothing."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
