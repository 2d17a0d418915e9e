"""What is published of a shape follows from it: a field that is planted in one is seen in every derived schema."""

from enum import StrEnum
from typing import Annotated, Any, NotRequired, TypedDict

import pytest

from core.json_schema import schema_of
from core.openapi import component
from core.shapes import Code, Email, Field, Figure, Kind, Link, Moment, Number, Uuid, fields_of

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class PartShape(TypedDict):
    """A part."""

    id: Uuid


class ThingShape(TypedDict):
    """One of each."""

    id: Annotated[Uuid, "Names it."]
    colour: Annotated[str, Colour]
    size: Annotated[str, ("small", "large")]
    price: Annotated[Figure | None, "Dollars."]
    score: Number | None
    count: Annotated[int, {"min_value": 0}]
    code: Code | None
    parts: Annotated[list[PartShape] | None, "Its parts."]
    note: str | None
    labels: dict[str, str]
    at: NotRequired[Moment]


class LetterShape(TypedDict):
    """What others gave, of kinds that have a form."""

    page: Link
    sender: Email


class PlantedShape(ThingShape):
    """The same, and a field more."""

    planted: Code


def test_the_fields_of_a_shape_are_what_is_written_beside_its_types() -> None:
    fields = fields_of(ThingShape)
    assert list(fields) == [
        *("id", "colour", "size", "price", "score", "count", "code", "parts", "note", "labels", "at"),
    ]
    assert fields["id"] == Field(type=str, kind=Kind.UUID, help="Names it.")
    assert fields["price"] == Field(type=str, kind=Kind.FIGURE, help="Dollars.", null=True)
    assert fields["parts"] == Field(type=PartShape, many=True, null=True, help="Its parts.")
    assert fields["at"] == Field(type=str, kind=Kind.MOMENT, required=False)
    assert (fields["colour"].values, fields["size"].values) == (["red", "blue"], ["small", "large"])
    assert [fields["score"].kind, fields["score"].null, fields["count"].options] == [
        Kind.NUMBER,
        True,
        {"min_value": 0},
    ]


def test_what_nobody_gave_a_kind_was_written_by_others() -> None:
    assert [field.by_others for field in fields_of(LetterShape).values()] == [True, True]
    assert [name for name, field in fields_of(ThingShape).items() if field.by_others] == ["note", "labels"]


def test_a_planted_field_is_in_the_component_and_in_the_schema() -> None:
    assert [*component(PlantedShape)().fields] == [*component(ThingShape)().fields, "planted"]
    kinds: dict[Any, Any] = {
        **dict.fromkeys((Kind.UUID, Kind.MOMENT, Kind.FIGURE, Kind.NUMBER, Kind.CODE, str, dict[str, str]), TEXT),
        int: WHOLE,
        Colour: {"const": "red"},
    }
    null = {"type": "null"}
    before, after = (schema_of(fields_of(shape), kinds) for shape in (ThingShape, PlantedShape))
    parts = {
        "type": "array",
        "items": {"type": "object", "properties": {"id": TEXT}, "required": ["id"], "additionalProperties": False},
    }
    assert before == {
        "type": "object",
        "properties": {
            "id": TEXT,
            "colour": {"const": "red"},
            "size": {"type": "string", "enum": ["small", "large"]},
            "price": {"anyOf": [TEXT, null]},
            "score": {"anyOf": [TEXT, null]},
            "count": WHOLE,
            "code": {"anyOf": [TEXT, null]},
            "parts": {"anyOf": [parts, null]},
            "note": {"anyOf": [TEXT, null]},
            "labels": TEXT,
            "at": TEXT,
        },
        "required": ["id", "colour", "size", "price", "score", "count", "code", "parts", "note", "labels"],
        "additionalProperties": False,
    }
    assert after["properties"] == before["properties"] | {"planted": TEXT}
    assert after["required"] == [*before["required"], "planted"]
    # What no kind says how to write is published by nobody.
    with pytest.raises(KeyError):
        schema_of(fields_of(ThingShape), {key: schema for key, schema in kinds.items() if key is not str})
