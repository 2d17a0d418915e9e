"""Reads the schemas of docs/openapi.yaml into types, models and enums, whatever their names are.

Why hoist: an enum or object that stands inside another one gets a name of its own, from where it stands.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sdks.generator.ir import Enum, Field, Model, Type

Schema = Mapping[str, Any]
_MONEY_WORDS = frozenset({"amount", "usd"})
"""Why words: an amount in text is an exact decimal, and not every one carries a format or a pattern that says so."""
_DECIMAL_PATTERN = re.compile(r"\\\.\s*\[0-9\]|\\\.\\d")
_ANY = Type(kind="any")
_SIMPLE = {
    "number": Type(kind="decimal", wire="number"),
    "integer": Type(kind="integer"),
    "boolean": Type(kind="boolean"),
}


class Shapes:
    """The models and enums met so far; ``read`` adds what a schema names."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        self.models: dict[str, Model] = {}
        self.enums: dict[str, Enum] = {}

    def resolve(self, schema: Schema) -> Schema:
        """The schema itself, behind one reference or an ``allOf`` of one; its own words are kept."""
        while True:
            if "$ref" in schema:
                schema = self._schemas[name_of(schema["$ref"])]
            elif len(schema.get("allOf", [])) == 1 and "properties" not in schema:
                schema = schema["allOf"][0]
            else:
                return schema

    def read(self, schema: Schema, place: str, word: str = "") -> Type:
        """The type of one value. ``place`` names what has no name of its own; ``word`` is the key it stands under."""
        if "$ref" in schema:
            return self._named(name_of(schema["$ref"]), word)
        if len(schema.get("allOf", [])) == 1:
            return self.read(schema["allOf"][0], place, word)
        options = schema.get("oneOf") or schema.get("anyOf")
        if options:
            return self._either(options, place, word)
        if "allOf" in schema:
            return self._object(merged([self.resolve(part) for part in schema["allOf"]]), place)
        return self._plain(schema, place, word)

    def fields(self, schema: Schema, place: str) -> tuple[Field, ...]:
        """The keys of an object, in the description's order."""
        required = schema.get("required", [])
        return tuple(
            self._field(name, part, place, is_required=name in required)
            for name, part in schema.get("properties", {}).items()
        )

    def _field(self, name: str, schema: Schema, place: str, *, is_required: bool) -> Field:
        behind = self.resolve(schema)
        fixed = behind.get("const", behind["enum"][0] if len(behind.get("enum", [])) == 1 else None)
        constant = fixed if isinstance(fixed, str) else None
        free = {key: value for key, value in behind.items() if key not in {"const", "enum"}}
        return Field(
            name=name,
            type=self.read(schema if constant is None else {"type": "string", **free}, place + cap(name), name),
            is_required=is_required,
            about=about(schema) or about(behind),
            constant=constant,
            decimals=_decimals(behind),
        )

    def _named(self, name: str, word: str) -> Type:
        schema = self._schemas[name]
        if not _has_parts(self.resolve(schema)):
            return self.read(schema, name, word)
        if "enum" in schema:
            return self._enum(schema, name)
        return self._object(schema if "properties" in schema else self.resolve(schema), name)

    def _either(self, options: list[Schema], place: str, word: str) -> Type:
        real = [option for option in options if self.resolve(option).get("type") != "null"]
        nullable = len(real) < len(options)
        if len(real) != 1:
            return self._union(real, place, nullable=nullable)
        found = self.read(real[0], place, word)
        return _nullable(found) if nullable else found

    def _union(self, options: list[Schema], place: str, *, nullable: bool) -> Type:
        found = [self.read(option, f"{place}{number}") for number, option in enumerate(options, 1)]
        if any(one.kind != "model" for one in found):
            return Type(kind="any", nullable=nullable)
        return Type(kind="union", nullable=nullable, options=tuple(one.name for one in found))

    def _plain(self, schema: Schema, place: str, word: str) -> Type:
        kinds = schema.get("type")
        names = [kinds] if isinstance(kinds, str) else list(kinds or [])
        nullable = "null" in names or schema.get("nullable", False)
        real = [name for name in names if name != "null"]
        if "enum" in schema and (not real or real == ["string"]):
            found = self._enum(schema, place)
            nullable = nullable or None in schema["enum"]
        elif len(real) != 1:
            found = Type(kind="null") if names == ["null"] else _ANY
        else:
            found = self._of_kind(real[0], schema, place, word)
        return _nullable(found) if nullable else found

    def _of_kind(self, kind: str, schema: Schema, place: str, word: str) -> Type:
        if kind == "string":
            return _text(schema, word)
        if kind == "array":
            return Type(kind="list", items=self.read(schema.get("items", {}), place, word))
        if kind == "object" and schema.get("properties"):
            return self._object(schema, place)
        if kind == "object":
            inside = schema.get("additionalProperties")
            return Type(kind="map", items=self.read(inside, place) if isinstance(inside, dict) and inside else None)
        return _SIMPLE[kind]

    def _enum(self, schema: Schema, name: str) -> Type:
        values = tuple(value for value in schema["enum"] if isinstance(value, str))
        is_open = bool(schema.get("x-open-enum", True))
        self.enums[name] = Enum(name=name, values=values, about=words_only(about(schema)), is_open=is_open)
        return Type(kind="enum", name=name)

    def _object(self, schema: Schema, name: str) -> Type:
        if name not in self.models:
            self.models[name] = Model(name=name, fields=(), about=about(schema))
            self.models[name] = Model(name=name, fields=self.fields(schema, name), about=about(schema))
        return Type(kind="model", name=name)


def name_of(reference: str) -> str:
    """The last part of a reference."""
    return reference.rsplit("/", 1)[-1]


def cap(name: str) -> str:
    """``snake_case`` as ``CapWords``."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[_\W]+", name) if word)


def about(schema: Schema) -> str:
    """What the description says of it, in one paragraph."""
    return str(schema.get("description", "")).strip()


def words_only(text: str) -> str:
    """A description without the list of words that the library writes under an enum."""
    return re.split(r"(^|\n)\* `", text)[0].strip()


def merged(schemas: list[Schema]) -> dict[str, Any]:
    """Several objects as one."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for schema in schemas:
        properties |= schema.get("properties", {})
        required += [name for name in schema.get("required", []) if name not in required]
    return {"type": "object", "properties": properties, "required": required}


def _has_parts(schema: Schema) -> bool:
    return bool(schema.get("properties")) or "enum" in schema or "allOf" in schema


def _text(schema: Schema, word: str) -> Type:
    written = str(schema.get("format", ""))
    if written == "date-time":
        return Type(kind="moment", format=written)
    if written == "decimal" or (not written and _is_amount(schema, word)):
        return Type(kind="decimal", wire="string")
    return Type(kind="text", format=written)


def _is_amount(schema: Schema, word: str) -> bool:
    said = word.split("_")
    return bool(_DECIMAL_PATTERN.search(schema.get("pattern", ""))) or bool(_MONEY_WORDS & set(said))


def _decimals(schema: Schema) -> int | None:
    if "x-decimals" in schema:
        return int(schema["x-decimals"])
    said = re.search(r"at most (two|six) decimals", about(schema))
    return {"two": 2, "six": 6}[said[1]] if said else None


def _nullable(found: Type) -> Type:
    return replace(found, nullable=True)
