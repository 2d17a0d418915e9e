"""Refusals of the protocol itself. What a tool refuses is a result and no fault."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

HTTP_STATUSES: Final[Mapping[int, int]] = MappingProxyType(
    {
        PARSE_ERROR: 400,
        INVALID_REQUEST: 400,
        METHOD_NOT_FOUND: 404,
        INVALID_PARAMS: 400,
        INTERNAL_ERROR: 200,
        HEADER_MISMATCH: 400,
        UNSUPPORTED_VERSION: 400,
    }
)
"""By code, in the modern era. Source: https://modelcontextprotocol.io/specification/2026-07-28; docs/design/agents.md,
Statuses of HTTP."""
REFUSED_BEFORE_ANY_ERA: Final = frozenset({PARSE_ERROR, INVALID_REQUEST})
"""What keeps its status in the handshake era too, whose clients want 200 for every other error."""

RequestId = str | int


class Fault(Exception):
    """One JSON-RPC error. ``request_id`` is None where the request's own could not be read."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        facts: Mapping[str, Any] | None = None,
        request_id: RequestId | None = None,
    ) -> None:
        self.code = code
        self.message = message
        self.facts = dict(facts or {})
        self.request_id = request_id
        super().__init__(message)
