"""What an agent sent to a tool: held against the tool's schema, then read. What is said of it never repeats a value.

Why: arguments may be secrets.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import localcontext
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from core.errors import InvalidRequest, field_problem
from core.ids import parse_public_id
from core.parsers import MAX_DIGITS, unstorable
from mcp.tool import Arguments, Tool

INTENT_PREFIX = "pi_"
MOST_PROBLEMS = 20
LONGEST_FIELD = 100
EXACT_DIGITS = 4 * MAX_DIGITS
"""Why: a remainder of two numbers as far apart as any that are read needs all their digits."""
SILENT_NAMES: Final = (("intent_id", "payment_intent_id"),)
"""Names that are taken for others and never advertised. Source: docs/design/agents.md, Silent names."""
_ID = re.compile(r"(?:[a-z]{2,4}_)?[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
"""A UUID in any form that REST takes, its prefix included: which prefix is right, the tool itself knows."""

_CODES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "type": ("type", "Must be of type {}."),
        "enum": ("unknown_value", "Must be one of {}."),
        "const": ("unknown_value", "Must be {}."),
        "minLength": ("out_of_range", "Must have at least {} characters."),
        "maxLength": ("too_long", "Must have at most {} characters."),
        "minItems": ("out_of_range", "Must have at least {} items."),
        "maxItems": ("too_long", "Must have at most {} items."),
        "maxProperties": ("too_long", "Must have at most {} members."),
        "minimum": ("out_of_range", "Must be at least {}."),
        "maximum": ("out_of_range", "Must be at most {}."),
        "exclusiveMinimum": ("out_of_range", "Must be more than {}."),
        "exclusiveMaximum": ("out_of_range", "Must be less than {}."),
        "multipleOf": ("precision", "Must be a multiple of {}."),
        "pattern": ("format", "Must match {}."),
        "format": ("format", "Must be a UUID."),
    }
)
"""By keyword of the schema: the field code of the REST API, and a sentence about what the schema says."""
_OTHERWISE = ("format", "Does not have the form that the tool's schema describes.")


def checked_arguments(tool: Tool, arguments: Arguments) -> Arguments:
    """The arguments under their advertised names.

    Raises: InvalidRequest with ``details.fields``.
    """
    unreadable = [name for name, value in arguments.items() if unstorable({name: value})]
    if unreadable:
        fields = ["arguments" if unstorable(name) else name for name in unreadable[:MOST_PROBLEMS]]
        raise _not_valid([_problem([field], "format", "Holds a character that no text may hold.") for field in fields])
    named = _renamed(tool, arguments)
    validator, formats = _library()
    errors = validator(tool.input_schema, format_checker=formats).iter_errors(named)
    found: dict[tuple[str, str], dict[str, str]] = {}
    with localcontext(prec=EXACT_DIGITS):
        for problem in chain.from_iterable(map(_problems, errors)):
            found.setdefault((problem["field"], problem["code"]), problem)
            if len(found) == MOST_PROBLEMS:
                break
    if found:
        raise _not_valid(list(found.values()))
    return named


def intent_id_in(arguments: Arguments, name: str = "payment_intent_id") -> UUID:
    """The intent's id, bare or behind ``pi_``. Raises: InvalidRequest where it is not one."""
    return id_in(arguments, name, INTENT_PREFIX)


def id_in(arguments: Arguments, name: str, prefix: str = "") -> UUID:
    """The id under this name. Raises: InvalidRequest where it is not one, which never echoes what was sent."""
    given = arguments[name]
    found = parse_public_id(given, prefix) if isinstance(given, str) else None
    if found is None:
        raise refused(name, "format", "Must be a UUID.")
    return found


def refused(name: str, code: str, message: str) -> InvalidRequest:
    """The refusal of one argument."""
    problem = field_problem(name, code, message)
    return InvalidRequest("The arguments are not valid. See details.fields.", details={"fields": [problem]})


def _not_valid(fields: list[dict[str, str]]) -> InvalidRequest:
    return InvalidRequest("The arguments are not valid. See details.fields.", details={"fields": fields})


def _renamed(tool: Tool, arguments: Arguments) -> Arguments:
    named = dict(arguments)
    known = tool.input_schema.get("properties", {})
    for other, name in SILENT_NAMES:
        if other in named and name not in named and name in known and other not in known:
            named[name] = named.pop(other)
    return named


@cache
def _library() -> tuple[Any, Any]:
    """The validator and the formats it checks."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415  (slow import)

    formats = FormatChecker(())
    formats.checks("uuid")(lambda text: not isinstance(text, str) or _ID.fullmatch(text) is not None)
    return Draft202012Validator, formats


def _problems(error: Any) -> Iterator[dict[str, str]]:
    path = [str(step) for step in error.absolute_path]
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        yield from (_problem([*path, name], "required", "This argument is required.") for name in missing)
    elif error.validator == "additionalProperties":
        unknown = [name for name in error.instance if name not in error.schema.get("properties", {})]
        yield from (_problem([*path, name], "unknown_field", "No such argument.") for name in unknown)
    else:
        code, sentence = _CODES.get(error.validator, _OTHERWISE)
        asked = error.validator_value  # what the schema asks, which is ours to repeat
        text = ", ".join(map(str, asked)) if isinstance(asked, list | tuple) else str(asked)
        yield _problem(path, code, sentence.format(text))


def _problem(path: list[str], code: str, sentence: str) -> dict[str, str]:
    return field_problem(".".join(path)[:LONGEST_FIELD], code, sentence)
