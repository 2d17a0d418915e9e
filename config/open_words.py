"""What is written into the description when all else is there: what follows from the whole of it."""

from typing import Any, Final

from config.description.walk import operations
from core.exception_handler import MethodNotAllowed, NotAcceptable

CLOSED: Final = frozenset({"Availability", "Mode"})
"""The only sets of words that never grow. Source: docs/adr/0102."""
BEFORE_ANY_OPERATION: Final = (MethodNotAllowed, NotAcceptable)
"""What is answered where no operation was found."""
_REFERENCE: Final = "#/components/schemas/ErrorCode"


def list_error_codes(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Have the code of an error, answered or logged, be one of all that operations declare."""
    schemas = result["components"]["schemas"]
    codes = {code for operation in operations(result, "paths") for code in operation["x-codes"]}
    codes.update(refusal.code for refusal in BEFORE_ANY_OPERATION)
    schemas["ErrorCode"] = {"type": "string", "enum": sorted(codes)}
    code = schemas["ErrorBody"]["properties"]["code"]
    schemas["ErrorBody"]["properties"]["code"] = {"$ref": _REFERENCE, "description": code["description"]}
    logged = schemas["LoggedRequest"]["properties"]["code"]
    either = [{"$ref": _REFERENCE}, {"type": "null"}]
    schemas["LoggedRequest"]["properties"]["code"] = {"oneOf": either, "description": logged["description"]}
    return result


def mark_open_enums(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Mark every set of words that may grow: a client must bear a word that it does not know."""
    for name, schema in result["components"]["schemas"].items():
        if "enum" in schema and name not in CLOSED:
            schema["x-open-enum"] = True
    result["components"]["schemas"] = dict(sorted(result["components"]["schemas"].items()))
    return result
