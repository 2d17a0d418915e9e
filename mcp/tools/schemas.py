"""The pieces that the tools' JSON schemas are made of."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

UUID: Schema = {"type": "string", "format": "uuid"}
USD: Schema = {"type": "string", "pattern": r"^\d+\.\d{2,6}$", "description": "Dollars as a decimal string."}
MOMENT: Schema = {"type": "string", "format": "date-time"}
MODE: Schema = {"type": "string", "enum": ["test", "live"]}
INTENT_ID: Schema = {**UUID, "description": "The payment intent's id."}
IDEMPOTENCY_KEY: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "description": "Any text of your own; repeating a call with it never acts twice.",
}


def some_object(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object with exactly these members, all of them there unless optional."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}
