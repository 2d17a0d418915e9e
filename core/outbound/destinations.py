"""Reads a URL that somebody else gave us, and refuses what must not be reached.

One parser reads it for the check and for the request, so the two can never disagree. Literal hosts are judged
here; names are judged when they are resolved, and what is dialled is judged once more by the client.
"""

import re
import socket
import threading
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from yarl import URL

from core.outbound.addresses import Reach, is_loopback, may_dial

MAX_URL_LENGTH = 2048
"""Source: docs/guides/webhooks.md, Addresses."""
ALLOWED_PORTS = frozenset({443, 8443})
FIRST_UNPRIVILEGED_PORT = 1025
"""Source: docs/guides/webhooks.md, Addresses."""

_ASCII_URL = re.compile(r"[!#-;=?-\[\]_a-z~]+")
_AUTHORITY_END = re.compile(r"[/?]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PRIVATE_SUFFIXES = (".local", ".internal", ".localdomain", ".lan", ".intranet", ".home.arpa")
_MAX_NAME_LENGTH = 253
_LOOK_UPS = threading.BoundedSemaphore(16)


class UrlRefused(ValueError):
    """The URL must not be used; ``reason`` is a word for programs, the text a sentence for people."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, kw_only=True)
class Destination:
    """A URL that may be tried. ``name`` is its host where that has to be resolved, None for a literal address."""

    url: URL
    name: str | None


@lru_cache(maxsize=4096)
def read_destination(text: str, reach: Reach) -> Destination:
    """The destination a URL names. Raises: UrlRefused."""
    url = _parse(text)
    host = (url.raw_host or "").lower().removesuffix(".")
    literal = _literal(host)
    local = host == "localhost" or host.endswith(".localhost") or (literal is not None and is_loopback(literal))
    if local and reach is not Reach.PUBLIC_AND_LOOPBACK:
        raise UrlRefused("address", "The URL must not point to this machine.")
    if url.scheme != "https" and not (local and url.scheme == "http"):
        raise UrlRefused("scheme", "The URL must start with https://.")
    if literal is not None and not may_dial(str(literal), reach):
        raise UrlRefused("address", "The URL must point to a public address.")
    if literal is None and not local:
        _check_name(host)
    if url.port not in ALLOWED_PORTS and (url.port or 0) < FIRST_UNPRIVILEGED_PORT:
        raise UrlRefused("port", "The URL's port must be 443, 8443 or above 1024.")
    return Destination(url=url, name=host if literal is None else None)


def _parse(text: str) -> URL:
    malformed = UrlRefused("format", "The URL must be an absolute URL in plain ASCII, without spaces or a fragment.")
    if len(text) > MAX_URL_LENGTH or not _ASCII_URL.fullmatch(text) or "#" in text:
        raise malformed
    try:
        url = URL(text)
    except ValueError as error:
        raise malformed from error
    if not url.absolute or not url.raw_host or not text.lower().startswith(f"{url.scheme}://"):
        raise malformed
    if "@" in _AUTHORITY_END.split(text)[2]:
        raise UrlRefused("credentials", "The URL must not contain a user name or password.")
    return url


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    """The address a host spells, None for a name. Raises: UrlRefused for a spelling that only some parsers read."""
    try:
        number = ip_address(host)
    except ValueError:
        if ":" in host or "%" in host or _NUMERIC_LABEL.fullmatch(host.rpartition(".")[2]):
            raise UrlRefused("address", "The URL's host must be a name or a plainly written address.") from None
        return None
    if isinstance(number, IPv6Address) and number.scope_id is not None:
        raise UrlRefused("address", "The URL must point to a public address.")
    return number


def _check_name(host: str) -> None:
    labels = host.split(".")
    well_formed = all(_LABEL.fullmatch(label) for label in labels) and labels[-1][0].isalpha()
    if len(host) > _MAX_NAME_LENGTH or not well_formed:
        raise UrlRefused("format", "The URL's host is not a valid name.")
    if len(labels) == 1 or host.endswith(_PRIVATE_SUFFIXES) or f".{host}" in _PRIVATE_SUFFIXES:
        raise UrlRefused("address", "The URL's host must be a public name.")


def look_up(name: str, limit_seconds: float) -> frozenset[str]:
    """The addresses a name has now; empty if it has none or the answer takes too long.

    Why a thread: the system's resolver has no time limit of its own.
    """
    found: list[str] = []

    def ask() -> None:
        try:
            found.extend(str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            pass
        finally:
            _LOOK_UPS.release()

    if not _LOOK_UPS.acquire(blocking=False):
        return frozenset()
    asker = threading.Thread(target=ask, name="look-up", daemon=True)
    asker.start()
    asker.join(limit_seconds)
    return frozenset(found)


def refuse_private_answers(addresses: frozenset[str], reach: Reach) -> None:
    """Raises: UrlRefused when a name has addresses and none of them may be dialled."""
    if addresses and not any(may_dial(address, reach) for address in addresses):
        raise UrlRefused("address", "The URL's host must resolve to a public address.")
