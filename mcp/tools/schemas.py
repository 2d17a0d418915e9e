"""The pieces that the tools' JSON schemas are made of."""

from core.json_schema import Schema, or_null, some_object

__all__ = ["IDEMPOTENCY_KEY", "INTENT_ID", "MODE", "MOMENT", "USD", "UUID", "Schema", "or_null", "some_object"]

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
