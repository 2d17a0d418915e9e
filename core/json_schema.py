"""JSON schemas: the pieces, and a shape as a schema."""

from collections.abc import Mapping
from typing import Any

from core.shapes import Field, fields_of

Schema = Mapping[str, Any]


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


def schema_of(fields: Mapping[str, Field], kinds: Mapping[Any, Schema]) -> Schema:
    """An object with exactly these fields, each as ``properties_of`` says."""
    optional = tuple(name for name, field in fields.items() if not field.required)
    return some_object(properties_of(fields, kinds), optional=optional)


def properties_of(fields: Mapping[str, Field], kinds: Mapping[Any, Schema]) -> dict[str, Schema]:
    """The schema of each field. ``kinds`` says how a kind is written, a set of words, or a type.

    Raises: KeyError for a value of which nothing says how it is written.
    """
    return {name: _schema(field, kinds) for name, field in fields.items()}


def _schema(field: Field, kinds: Mapping[Any, Schema]) -> Schema:
    known = next((key for key in (field.kind, field.words or field.type) if key in kinds), None)
    if known is None and field.is_shape:
        one = schema_of(fields_of(field.type), kinds)
    elif known is None and field.words:
        one = {"type": "string", "enum": field.values}
    else:
        one = kinds[known]
    whole: Schema = {"type": "array", "items": one} if field.many else one
    takes_null = "anyOf" in whole or isinstance(whole.get("type"), list)
    return or_null(whole) if field.null and not takes_null else whole
