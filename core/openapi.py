"""What every operation of the generated description shares."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, get_args

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from core import waiting
from core.fields import ExactNumberField
from core.pagination import PageLimits
from core.refusals import codes_of, errors
from core.shapes import Field, Kind, fields_of

MERCHANT_KEYS = "bearerAuth"
"""What the description calls the keys that act for a merchant."""
IDEMPOTENCY_KEY = "Idempotency-Key"


def idempotency_header() -> OpenApiParameter:
    """The header that every POST accepts."""
    return OpenApiParameter(
        IDEMPOTENCY_KEY,
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
        OpenApiParameter.HEADER,
        description="1 to 255 printable ASCII characters. A repeat within 24 hours gets the first answer again.",
    )


def page_parameters(limits: PageLimits) -> list[OpenApiParameter]:
    """The query parameters of a paginated list."""
    bounds = {"type": "integer", "minimum": 1, "maximum": limits.maximum, "default": limits.default}
    return [
        OpenApiParameter("limit", bounds),
        OpenApiParameter("starting_after", OpenApiTypes.UUID, description="Older than this one; not with the other."),
        OpenApiParameter("ending_before", OpenApiTypes.UUID, description="Newer than this one; not with the other."),
    ]


def onward_parameters(limits: PageLimits) -> list[OpenApiParameter]:
    """The query parameters of a list that is read in its own order, from its beginning on."""
    after = OpenApiParameter("starting_after", OpenApiTypes.UUID, description="What follows this one in the list.")
    return [page_parameters(limits)[0], after]


def wait_parameter(what: str) -> OpenApiParameter:
    """The parameter of a read that waits for news. ``what``: what is waited for."""
    bounds = {"type": "integer", "minimum": 0, "maximum": waiting.LONGEST_SECONDS, "default": 0}
    return OpenApiParameter(waiting.PARAMETER, bounds, description=f"Answer when {what}, or after so many seconds.")


def comma_list(values: Iterable[str]) -> dict[str, Any]:
    """The schema of a query parameter that takes one of these words, or several separated by commas."""
    word = f"({'|'.join(values)})"
    return {"type": "string", "pattern": f"^{word}(,{word})*$"}


_DESCRIBED: Final[Mapping[Any, Any]] = {
    Kind.UUID: serializers.UUIDField,
    Kind.MOMENT: serializers.DateTimeField,
    Kind.URL: serializers.URLField,
    Kind.LINK: serializers.URLField,
    Kind.EMAIL: serializers.EmailField,
    Kind.NUMBER: ExactNumberField,
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    str: serializers.CharField,
}
"""By kind where that has a form of its own, else by type."""


@cache
def component(shape: Any) -> type[serializers.Serializer[Any]]:
    """A shape as a component of the description."""
    return component_of(shape.__name__, fields_of(shape))


def component_of(name: str, fields: Mapping[str, Field]) -> type[serializers.Serializer[Any]]:
    """The same of fields that were chosen from shapes."""
    return type(name, (serializers.Serializer,), {key: _described(field) for key, field in fields.items()})


def _described(field: Field) -> serializers.Field[Any, Any, Any, Any]:
    options = {"required": field.required, "allow_null": field.null, "help_text": field.help, **field.options}
    if field.is_shape:
        return component(field.type)(many=field.many, **options)
    if field.many:
        return serializers.ListField(child=_value(field, {}), **options)
    return _value(field, options)


def _value(field: Field, options: Mapping[str, Any]) -> serializers.Field[Any, Any, Any, Any]:
    if field.words:
        return serializers.ChoiceField(choices=getattr(field.words, "choices", field.values), **options)
    if field.is_free:
        is_text = get_args(field.type)[1] is str
        return serializers.DictField(child=serializers.CharField() if is_text else serializers.JSONField(), **options)
    described: serializers.Field[Any, Any, Any, Any] = _DESCRIBED.get(field.kind, _DESCRIBED.get(field.type))(**options)
    return described


def list_of(shape: Any) -> Any:
    """The schema of a list answer, whose three keys are always there."""
    return inline_serializer(
        f"{shape.__name__.removesuffix('Shape')}List",
        {
            "data": component(shape)(many=True),
            "has_more": serializers.BooleanField(),
            "next_cursor": serializers.CharField(allow_null=True),
        },
    )


class UsdAmountShape(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # upstream registers by a hook
    """Dollar amounts are JSON numbers inside bounds."""

    target_class = "core.fields.UsdAmountField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The bounds as written. Why no ``multipleOf``: validators compute it with binary floats and are wrong."""
        return {"type": "number", "minimum": float(self.target.minimum), "maximum": int(self.target.maximum)}


class StrictBodyShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # upstream registers by a hook
    """Bodies whose unknown fields are refused say so. Source: docs/design/requests.md, Unknown fields."""

    target_class = "core.fields.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The fields, and that there are no others."""
        fields: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]  # upstream
            self.target, direction, bypass_extensions=True
        )
        return {**fields, "additionalProperties": False}


MOVES_MONEY: Final = {"x-effects": "money"}
"""Declared on an operation that sends money, or lets it be sent: what must not be done twice, nor by accident."""
COMMAND_ONLY: Final = {"x-sdk": "command"}
"""Declared on an operation that the command calls by its path: the SDKs' classes leave it out, since programs of shops
have no use for it and each method costs every one of them. Source: docs/adr/0118."""
_CURSORS: Final = ("starting_after", "after")


def _marks(operation: Mapping[str, Any], method: str) -> dict[str, Any]:
    """What a program may know of an operation beyond its shapes. Source: docs/adr/0102."""
    names = [parameter["name"] for parameter in operation.get("parameters", ())]
    marks: dict[str, Any] = {"x-effects": "none" if method == "GET" else "state"}
    if IDEMPOTENCY_KEY in names:
        marks["x-idempotent"] = True
    cursor = next((name for name in _CURSORS if name in names), None)
    if cursor is not None:
        marks["x-pagination"] = {"cursor": cursor, "items": "data", "next": "next_cursor"}
    return marks


class CausewaySchema(AutoSchema):
    """Adds to every operation the answers that any request can get, and what programs may know of it."""

    def get_operation(self, *place: Any) -> dict[str, Any] | None:
        """The operation with its marks."""
        operation: dict[str, Any] | None = super().get_operation(*place)
        if operation is None:
            return None
        declared: Any = self.get_response_serializers()
        answers = [*declared.values(), *self._refusals_of_kind().values()]
        marks = {**_marks(operation, self.method), "x-codes": codes_of(operation, self.method, answers)}
        return {**operation, **marks, **self.get_extensions()}

    def _resolve_path_parameters(self, variables: list[str]) -> list[dict[str, Any]]:
        """Ids are UUIDs. Why said here: the resolver takes any text, so that a malformed id is 404 like any other."""
        parameters: list[dict[str, Any]] = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]  # upstream
        return [{**parameter, "schema": {"type": "string", "format": "uuid"}} for parameter in parameters]

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Never: a list answer is an object with ``data``, and is declared as one."""
        return False

    def get_serializer_name(self, serializer: Any, direction: Direction) -> str:
        """The component's name: what the class is called, without saying that it is a shape."""
        return type(serializer).__name__.removesuffix("Serializer").removesuffix("Shape")

    def get_summary(self) -> str:
        """What the operation does, in a few words: as declared, else its name taken apart."""
        declared: str | None = super().get_summary()
        return declared or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.get_operation_id()).capitalize()

    def _refusals_of_kind(self) -> dict[int, OpenApiResponse]:
        """What every operation answers that has as much as this one: a credential, a body, a key."""
        refusals = errors(429, 500, 503)
        if self.get_auth():
            refusals |= errors(401)
        if any(MERCHANT_KEYS in one for one in self.get_auth()):
            refusals |= errors(403)
        if self.method in {"POST", "PATCH", "PUT"}:
            refusals |= errors(400, 408, 413, 415)
        if any(parameter["name"] == IDEMPOTENCY_KEY for parameter in self._get_parameters()):
            refusals |= errors(409)
        return refusals

    def _get_response_bodies(self, direction: Direction = "response") -> Any:
        declared = super()._get_response_bodies(direction)
        if direction == "request":  # a receiver's answer to an event, not one of ours
            return declared
        missing = {
            str(status): answer for status, answer in self._refusals_of_kind().items() if str(status) not in declared
        }
        answers = declared | {
            status: self._get_response_for_code(answer, status, direction=direction)  # type: ignore[no-untyped-call]  # upstream
            for status, answer in missing.items()
        }
        return dict(sorted(answers.items()))
