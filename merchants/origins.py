"""Origins of web pages: written down in the form that browsers send, and matched. Pure.

Source: docs/guides/dashboard.md, Keys and origins. A wildcard stands for one or more labels, as in ``frame-ancestors``,
so that one list serves both.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import idna

from core.modes import Mode

LONGEST = 300
_PORTS = {"https": 443, "http": 80}
_LAST_PORT = 65535
_LONGEST_HOST = 253
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_TYPED = re.compile(r"(?P<scheme>[a-z]+)://(?P<host>\[[^\]/?#@]*\]|[^:/?#@\\\[\]]+)(?::(?P<port>[0-9]{1,5}))?/?", re.I)
_SENT = re.compile(r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?P<port>:[0-9]{1,5})?")
_WILDCARD = "*."
_NEVER_IN_ADDRESSES = frozenset(' \\"<>')
_HIDDEN = re.compile(r"%(?:[01][0-9a-f]|7f)", re.IGNORECASE)
"""Control characters in code: on the way through a header they would split an address."""
_FORM = "Write it like https://shop.example, without a path."


class OriginRefusedError(ValueError):
    """A text that cannot be listed, with a sentence that says why."""


class _Parts(NamedTuple):
    scheme: str
    host: str
    port: str


def origin_text(text: str, mode: Mode) -> str:
    """The origin as a browser sends it, perhaps with ``*.`` before the host.

    Raises: OriginRefusedError, with a sentence for whoever typed it.
    """
    typed = text.strip()
    if len(typed) > LONGEST or not typed.isprintable():
        raise OriginRefusedError(f"That is no origin. {_FORM}")
    found = _TYPED.fullmatch(typed)
    if found is None:
        raise OriginRefusedError(_why_not(typed))
    scheme = found["scheme"].lower()
    if scheme not in _PORTS:
        raise OriginRefusedError("Only pages at https can be listed, and http://localhost in test mode.")
    is_wild = found["host"].startswith(_WILDCARD)
    host = _host(found["host"].removeprefix(_WILDCARD))
    _check_where(scheme, host, mode, is_wild=is_wild)
    return f"{scheme}://{_WILDCARD if is_wild else ''}{host}{_port(scheme, found['port'])}"


def address_origin(url: str, mode: Mode) -> str:
    """The origin of a whole address that people may be sent to. Raises: OriginRefusedError.

    Why so narrow: where two readers of an address can disagree, one of them is somebody's victim.
    """
    try:
        address = urlsplit(url)
        _ = address.port  # an impossible port shows only when it is read
    except ValueError:
        raise OriginRefusedError(f"That is no address. {_FORM}") from None
    if not (url.isascii() and url.isprintable()) or set(url) & _NEVER_IN_ADDRESSES or _HIDDEN.search(url):
        raise OriginRefusedError(
            "Write it as browsers send it: xn-- and % for other letters, and nothing that cannot be seen."
        )
    if "*" in address.netloc:
        raise OriginRefusedError("A star is for lists. Name the page itself.")
    origin = origin_text(f"{address.scheme}://{address.netloc}", mode)
    found = _address(urlsplit(origin).hostname or "")
    if mode == Mode.LIVE and found is not None and not found.is_global:
        raise OriginRefusedError("Nobody else can reach that address.")
    return origin


def is_match(listed: Iterable[str], origin: str) -> bool:
    """Whether what a browser sent as ``Origin`` is on the list. ``null`` and what no browser writes never is."""
    found = _SENT.fullmatch(origin) if len(origin) <= LONGEST else None
    if found is None:
        return False
    sent = _Parts(found["scheme"], found["host"], found["port"] or "")
    return any(origin == one or (_WILDCARD in one and _is_below(sent, one)) for one in listed)


def is_browsers_own(origin: str) -> bool:
    """Whether a browser writes an origin so: it may then stand in a header of ours. ``null`` is nobody's.

    Why to the letter: what this lets through goes into a content policy.
    """
    found = _SENT.fullmatch(origin) if len(origin) <= LONGEST else None
    if found is None:
        return False
    try:
        host, port = _host(found["host"]), _port(found["scheme"], (found["port"] or "").removeprefix(":") or None)
    except OriginRefusedError:
        return False
    return origin == f"{found['scheme']}://{host}{port}"


def _is_below(sent: _Parts, listed: str) -> bool:
    scheme, _, rest = listed.partition(f"://{_WILDCARD}")
    base, colon, port = rest.partition(":")
    same_place = (scheme, f"{colon}{port}") == (sent.scheme, sent.port)
    return same_place and sent.host.endswith(f".{base}") and not sent.host.startswith(".")


def _why_not(typed: str) -> str:
    if typed.lower() == "null":
        return "null is what files and sandboxed frames send. It stands for nobody and cannot be listed."
    if "://" not in typed:
        return f"It must begin with https://. {_FORM}"
    if "@" in typed:
        return f"No user name or password belongs into an origin. {_FORM}"
    return f"Only scheme, host and port make an origin. {_FORM}"


def _host(text: str) -> str:
    """The host in the form that browsers write. Raises: OriginRefusedError."""
    if text.startswith("["):
        return _ipv6(text[1:-1])
    if "*" in text:
        raise OriginRefusedError("A star may only stand for what is before the first dot: https://*.shop.example.")
    if text.endswith("."):
        raise OriginRefusedError("Leave the dot at the end out: browsers take it for another origin.")
    try:
        host = idna.encode(text.lower(), uts46=True).decode("ascii") if not text.isascii() else text.lower()
        for label in host.split("."):
            if label.startswith("xn--"):
                idna.ulabel(label)  # raises where it is bad punycode
    except (idna.IDNAError, UnicodeError):
        raise OriginRefusedError(f"That is no host name. {_FORM}") from None
    labels = host.split(".")
    if len(host) > _LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise OriginRefusedError(f"That is no host name. {_FORM}")
    if labels[-1].isdecimal() or re.fullmatch(r"0x[0-9a-f]*", labels[-1]) is not None:
        # A last label that is a number makes browsers read the whole host as an IPv4 address.
        return _ipv4(host)
    return host


def _ipv4(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise OriginRefusedError(f"{text} is no address. Write all four numbers.") from None


def _ipv6(text: str) -> str:
    try:
        return f"[{_browsers_ipv6(ipaddress.IPv6Address(text))}]"
    except ValueError:
        raise OriginRefusedError("What stands in brackets is no IPv6 address.") from None


def _browsers_ipv6(address: ipaddress.IPv6Address) -> str:
    """As browsers write it. Raises: ValueError for a zone. Why by hand for some: Python ends these in dotted form."""
    if address.scope_id:
        raise ValueError("zones mean nothing elsewhere")
    if address.ipv4_mapped is None:
        return str(address)
    low = int(address) & 0xFFFFFFFF
    return f"::ffff:{low >> 16:x}:{low & 0xFFFF:x}"


def _check_where(scheme: str, host: str, mode: Mode, *, is_wild: bool) -> None:
    """Raises: OriginRefusedError."""
    address = _address(host)
    if is_wild and (address is not None or "." not in host or scheme != "https"):
        raise OriginRefusedError("Below a star must be a domain of yours, at https: https://*.shop.example.")
    if address is not None and (address.is_unspecified or address.is_multicast):
        raise OriginRefusedError("No page is served from that address.")
    is_here = host == "localhost" or host.endswith(".localhost") or (address is not None and address.is_loopback)
    if is_here and mode == Mode.LIVE:
        raise OriginRefusedError("Pages on your own machine can be listed in test mode only.")
    if scheme == "http" and not is_here:
        raise OriginRefusedError("Only pages at https can be listed, and http://localhost in test mode.")
    if "." not in host and not is_here and address is None:
        raise OriginRefusedError(f"{host} is no name that the world knows. {_FORM}")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
    return found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped else found


def _port(scheme: str, text: str | None) -> str:
    """The port as browsers write it: none where it is the scheme's own. Raises: OriginRefusedError."""
    if text is None:
        return ""
    if not 1 <= int(text) <= _LAST_PORT:
        raise OriginRefusedError("There is no such port.")
    return "" if int(text) == _PORTS[scheme] else f":{int(text)}"
