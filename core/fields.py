"""Input fields that take exactly the JSON type they name, and the one way to check a body.

Why our own: the framework's fields accept ``"1e5"``, Arabic digits and ``true`` as numbers.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.errors import InvalidRequest, field_problem

if TYPE_CHECKING:
    _DecimalField = serializers.Field[Decimal, Any, Any, Any]
    _AnySerializer = serializers.Serializer[Any]
else:  # the framework's classes take type parameters only in their stubs
    _DecimalField = serializers.Field
    _AnySerializer = serializers.Serializer

MAX_PROBLEMS = 50
"""Problems listed in one answer. Why a bound: a body of thousands of unknown keys must not be echoed whole."""
_FIELD_CODES = {
    "required": "required",
    "null": "type",
    "blank": "format",
    "invalid": "format",
    "type": "type",
    "not_a_list": "type",
    "not_a_dict": "type",
    "empty": "format",
    "max_length": "too_long",
    "min_length": "format",
    "max_value": "out_of_range",
    "min_value": "out_of_range",
    "precision": "precision",
    "invalid_choice": "unknown_value",
    "unknown_field": "unknown_field",
}


class StrictStringField(serializers.CharField):
    """Text that came as a JSON string; nothing else is turned into text."""

    default_error_messages = {"type": "Must be a string."}

    def to_internal_value(self, value: Any) -> str:
        """The text itself."""
        if not isinstance(value, str):
            self.fail("type")
        return super().to_internal_value(value)


class StrictEmailField(serializers.EmailField):
    """An e-mail address that came as a JSON string."""

    default_error_messages = {"type": "Must be a string."}

    def to_internal_value(self, value: Any) -> str:
        """The address itself."""
        if not isinstance(value, str):
            self.fail("type")
        return super().to_internal_value(value)


class StrictIntegerField(serializers.IntegerField):
    """A whole number that came as a JSON integer."""

    default_error_messages = {"type": "Must be an integer."}

    def to_internal_value(self, value: Any) -> int:
        """The number itself. Why decimals without a point: integers beyond 64 bits are read as such."""
        if isinstance(value, Decimal) and value.as_tuple().exponent == 0:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail("type")
        return value


class StrictBooleanField(serializers.BooleanField):
    """A JSON true or false."""

    default_error_messages = {"type": "Must be true or false."}

    def to_internal_value(self, value: Any) -> bool:
        """The truth value itself."""
        if not isinstance(value, bool):
            self.fail("type")
        return value


class UsdAmountField(_DecimalField):
    """A dollar amount that came as a JSON number, with at most two decimals, inside bounds."""

    default_error_messages = {
        "type": "Must be a number.",
        "precision": "Must have at most {places} decimals.",
        "out_of_range": "Must be from {minimum} to {maximum}.",
    }

    def __init__(self, *, minimum: Decimal, maximum: Decimal, places: int = 2, **options: Any) -> None:
        self.minimum, self.maximum, self.places = minimum, maximum, places
        super().__init__(**options)

    def to_internal_value(self, value: Any) -> Decimal:
        """The exact decimal."""
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            self.fail("type")
        amount = Decimal(value)
        if not self.minimum <= amount <= self.maximum:
            self.fail("out_of_range", minimum=self.minimum, maximum=self.maximum)
        if amount != round(amount, self.places):
            self.fail("precision", places=self.places)
        return amount

    def to_representation(self, value: Decimal) -> Decimal:
        """The amount unchanged; the renderer writes it exactly."""
        return value


@extend_schema_field({"type": "number"})
class ExactNumberField(serializers.Field):  # type: ignore[type-arg]  # output only, for the description
    """A JSON number with exact digits."""

    def to_representation(self, value: Any) -> Any:
        """The value unchanged; the renderer writes it exactly."""
        return value


@extend_schema_field(OpenApiTypes.OBJECT)
class FreeFormField(serializers.Field):  # type: ignore[type-arg]  # any JSON object; its owner checks the limits
    """A JSON object with whatever the caller puts in; numbers stay exact."""

    def to_internal_value(self, value: Any) -> Any:
        """The value as parsed."""
        return value

    def to_representation(self, value: Any) -> Any:
        """The value unchanged."""
        return value


class StrictSerializer(_AnySerializer):
    """A body whose every key is known. Source: docs/design/requests.md, Unknown fields."""

    def to_internal_value(self, data: Any) -> Any:
        """Checked values. Raises: ValidationError naming unknown keys as ``unknown_field``."""
        if isinstance(data, Mapping):
            unknown = [key for key in data if key not in self.fields]
            if unknown:
                raise serializers.ValidationError(
                    {key[:64]: [serializers.ErrorDetail("Is not a known field.", "unknown_field")] for key in unknown}
                )
        return super().to_internal_value(data)


def check_body(serializer_class: type[StrictSerializer], body: Any) -> dict[str, Any]:
    """The checked values of a body. Raises: InvalidRequest listing every problem."""
    try:
        return dict(_reader(serializer_class).run_validation(body))
    except serializers.ValidationError as error:
        raise InvalidRequest(details={"fields": _problems(error.detail, "")[:MAX_PROBLEMS]}) from error


@cache
def _reader(serializer_class: type[StrictSerializer]) -> StrictSerializer:
    """One instance for every body, which checking does not change. Why: each new one copies all of its fields."""
    return serializer_class()


def _problems(errors: Any, path: str) -> list[dict[str, str]]:
    if isinstance(errors, Mapping):
        return [
            problem
            for name, inner in errors.items()
            for problem in _problems(inner, f"{path}.{name}" if path else str(name))
        ]
    problems: list[dict[str, str]] = []
    for error in errors:
        if isinstance(error, Mapping | list):
            problems.extend(_problems(error, path))
        else:
            code = getattr(error, "code", "invalid")
            problems.append(field_problem(path, _FIELD_CODES.get(code, code), str(error)))
    return problems
