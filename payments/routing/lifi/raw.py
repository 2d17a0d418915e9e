"""What an answer said, kept for people who ask later: as a database can hold it, and never more than a bounded size."""

import json
from decimal import Decimal
from typing import Any

MOST_CHARACTERS = 48_000


def kept(body: Any) -> Any:
    """The answer with exact numbers as text; only its beginning where it is too long."""
    clean = _storable(body)
    text = json.dumps(clean)
    return clean if len(text) <= MOST_CHARACTERS else {"cut": text[:MOST_CHARACTERS]}


def _storable(value: Any) -> Any:
    """Without what PostgreSQL cannot store: the zero character, and halves of characters."""
    if isinstance(value, dict):
        return {_text(name): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_storable(inner) for inner in value]
    if isinstance(value, str):
        return _text(value)
    return str(value) if isinstance(value, Decimal) else value


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode().replace("\0", "")
