"""Which era a request belongs to, and what the modern one asks of its envelope and headers."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mcp.protocol.envelope import Request
from mcp.protocol.faults import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_VERSION, Fault
from mcp.protocol.versions import CAPABILITIES_KEY, LEGACY_HEADERS, MODERN, VERSION_KEY

DISCOVER: Final = "server/discover"
INITIALIZE: Final = "initialize"
NAMED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
)
"""The parameter that the header ``Mcp-Name`` repeats, by method."""
_ENCODED = re.compile(r"=\?base64\?(?P<payload>.*)\?=")


class Era(StrEnum):
    """How a client speaks: with a handshake, or with everything in each request."""

    MODERN = "modern"
    LEGACY = "legacy"


@dataclass(frozen=True, kw_only=True)
class RoutingHeaders:
    """The headers that repeat what the body says. A header that was sent twice reads ``a,b`` and so matches nothing."""

    version: str | None = None
    method: str | None = None
    name: str | None = None

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "RoutingHeaders":
        """Read them, without the white space that HTTP allows around a value."""
        return cls(
            version=_trimmed(headers.get("Mcp-Protocol-Version")),
            method=_trimmed(headers.get("Mcp-Method")),
            name=_trimmed(headers.get("Mcp-Name")),
        )


def era_of(request: Request, headers: RoutingHeaders) -> Era:
    """The era of a request. Source: docs/design/agents.md, Two eras."""
    if VERSION_KEY in (request.meta or {}) or headers.version in MODERN or request.method == DISCOVER:
        return Era.MODERN
    if request.method == INITIALIZE or headers.version is None or headers.version in LEGACY_HEADERS:
        return Era.LEGACY
    return Era.MODERN


def check_modern(request: Request, headers: RoutingHeaders) -> None:
    """Refuse an envelope that is incomplete, disagrees with its headers, or names a version nobody speaks.

    Raises: Fault. Why in this order: a client that disagrees with itself must hear that first.
    """
    version = _check_envelope(request)
    if headers.version != version:
        raise _mismatch("MCP-Protocol-Version", "the protocol version in _meta")
    if headers.method != request.method:
        raise _mismatch("Mcp-Method", "the method")
    _check_name(request, headers)
    if version not in MODERN:
        facts = {"supported": list(MODERN), "requested": version}
        raise Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", facts=facts)


def decoded_header(value: str | None) -> str | None:
    """A header's text, taken out of its base64 form; None for a broken one, which must match nothing."""
    found = _ENCODED.fullmatch(value) if value is not None else None
    if found is None:
        return value
    try:
        octets = base64.b64decode(found["payload"], validate=True)
        is_canonical = base64.b64encode(octets).decode() == found["payload"]
        return octets.decode("utf-8") if is_canonical else None
    except (binascii.Error, ValueError):
        return None


def _check_envelope(request: Request) -> object:
    meta = request.meta or {}
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise Fault(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.", facts={"missing": missing})
    if not isinstance(meta[VERSION_KEY], str) or not isinstance(meta[CAPABILITIES_KEY], Mapping):
        raise Fault(INVALID_PARAMS, "In params._meta the version is a text and the capabilities are an object.")
    return meta[VERSION_KEY]


def _check_name(request: Request, headers: RoutingHeaders) -> None:
    member = NAMED_BY.get(request.method)
    if member is None:
        return
    named = request.params.get(member)
    if headers.name is None or (named is not None and decoded_header(headers.name) != named):
        raise _mismatch("Mcp-Name", f"params.{member}")


def _mismatch(header: str, member: str) -> Fault:
    return Fault(HEADER_MISMATCH, f"Header {header} must be there once and equal {member}.", facts={"header": header})


def _trimmed(value: str | None) -> str | None:
    return None if value is None else value.strip(" \t")
