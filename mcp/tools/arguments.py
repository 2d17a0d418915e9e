"""Reading what an agent sent, after its form was checked by the tool's schema."""

from uuid import UUID

from core.errors import InvalidRequest, field_problem
from core.ids import parse_public_id
from mcp.tools.base import Arguments

INTENT_PREFIX = "pi_"


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
