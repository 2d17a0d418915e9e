"""Reading what an agent sent, after its form was checked by the tool's schema."""

from uuid import UUID

from core.errors import InvalidRequest, field_problem
from core.ids import parse_public_id
from mcp.tools.base import Arguments

INTENT_PREFIX = "pi_"
SYNONYMS = {"intent_id": "payment_intent_id"}
"""Argument names that are accepted without being advertised."""


def with_own_names(arguments: Arguments) -> Arguments:
    """The arguments under their advertised names; a synonym beside its name is left, so that the schema refuses it."""
    if not any(name in arguments for name in SYNONYMS):
        return arguments
    renamed = {SYNONYMS.get(name, name): value for name, value in arguments.items()}
    return renamed if len(renamed) == len(arguments) else arguments


def intent_id_in(arguments: Arguments, name: str = "payment_intent_id") -> UUID:
    """The intent's id, bare or behind ``pi_``. Raises: InvalidRequest where it is not one."""
    return id_in(arguments, name, INTENT_PREFIX)


def id_in(arguments: Arguments, name: str, prefix: str = "") -> UUID:
    """The id under this name. Raises: InvalidRequest where it is not one, which never echoes what was sent."""
    given = with_own_names(arguments).get(name)
    found = parse_public_id(given, prefix) if isinstance(given, str) else None
    if found is None:
        raise refused(name, "invalid", "Must be a UUID.")
    return found


def refused(name: str, code: str, message: str) -> InvalidRequest:
    """The refusal of one argument."""
    return InvalidRequest(
        "An argument is not valid. See details.fields.", details={"fields": [field_problem(name, code, message)]}
    )
