"""Where a code may be sent: https, a program on the person's own machine, or an app's own scheme that operators allow.

Pure rules over text. Every way to write a client passes them, because its model asks them. Source: RFC 8252;
docs/adr/0021.
"""

import re
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from django.conf import settings

MAX_URI_LENGTH: Final = 1024
MAX_URIS: Final = 10
MAX_PORT: Final = 65_535

_PLAIN = re.compile(r"[!#-;=?-\[\]_a-z~]+")
"""What RFC 3986 lets a URI hold: no blank, no control character, nothing that is not ASCII, no backslash."""
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?")
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_IPV4 = re.compile(r"((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.|$)){4}")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LOOPBACK_WORDS = re.compile(r"(^|[.-])localhost([.-]|$)|(^|\.)127\.[0-9]+\.[0-9]+\.[0-9]+\.|^127-[0-9]+-[0-9]+-[0-9]+")


class RedirectRefused(ValueError):
    """A URI that no code will be sent to; the text says why to whoever registers."""


def check_redirect_uri(uri: str) -> None:
    """Raises: RedirectRefused."""
    if len(uri) > MAX_URI_LENGTH or not _PLAIN.fullmatch(uri) or "#" in uri:
        raise RedirectRefused("A redirect URI is plain ASCII, at most 1024 characters, without blanks or a fragment.")
    parts = _split(uri)
    if "@" in parts.netloc or "%" in parts.netloc:
        raise RedirectRefused("A redirect URI names a host, without a user, a password or escapes.")
    if {".", ".."} & set(unquote(parts.path).split("/")) or "\\" in unquote(parts.path):
        raise RedirectRefused("A redirect URI's path has no dot segments.")
    if parts.scheme == "http":
        if not _LOOPBACK.fullmatch(parts.netloc):
            raise RedirectRefused("http:// is only for localhost, 127.0.0.1 and [::1], spelt just so.")
    elif parts.scheme == "https":
        _check_host(parts)
    elif parts.scheme not in settings.OAUTH_APP_SCHEMES:
        raise RedirectRefused(
            "A redirect URI starts with https://, with http:// on localhost, or with an allowed app's scheme."
        )


def check_redirect_uris(uris: list[str]) -> None:
    """Raises: RedirectRefused for the first that cannot be used, or when there are none or too many."""
    if not 1 <= len(uris) <= MAX_URIS:
        raise RedirectRefused(f"A client has 1 to {MAX_URIS} redirect URIs.")
    for uri in uris:
        check_redirect_uri(uri)


def _split(uri: str) -> SplitResult:
    try:
        parts = urlsplit(uri)
        port_is_odd = parts.port == 0 or parts.netloc.endswith(":")
    except ValueError as error:
        raise RedirectRefused("A redirect URI must be an absolute URI.") from error
    written = uri.partition(":")[0]
    if port_is_odd or not parts.scheme or written != parts.scheme:
        raise RedirectRefused("A redirect URI must be an absolute URI, its scheme in small letters.")
    if not parts.netloc and not parts.path.startswith("/"):
        raise RedirectRefused("A redirect URI must be an absolute URI.")
    return parts


def _check_host(parts: SplitResult) -> None:
    """Names that people could take for their own machine are refused, and spellings that browsers rewrite."""
    host = parts.hostname or ""
    if _LOOPBACK.fullmatch(parts.netloc) or parts.netloc.startswith("["):
        return
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        well_formed = _IPV4.fullmatch(host) is not None
    else:
        well_formed = all(_LABEL.fullmatch(label) for label in host.split("."))
    if not well_formed or parts.netloc.lower() != parts.netloc:
        raise RedirectRefused("A redirect URI's host must be a plain name in small letters.")
    if _LOOPBACK_WORDS.search(host):
        raise RedirectRefused("A redirect URI's host must not look like localhost.")
