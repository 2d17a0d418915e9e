"""What came of a request: an answer, or one word for why there is none. Loads nothing that asks."""

import errno
import socket
import ssl
from dataclasses import dataclass

TLS_ERROR, DNS_ERROR, CONNECTION_FAILED = "tls_error", "dns_error", "connection_failed"
ADDRESS_NOT_ALLOWED, URL_NOT_ALLOWED = "address_not_allowed", "url_not_allowed"
CONNECT_TIMEOUT, TIMEOUT = "connect_timeout", "timeout"
DISCONNECTED, INVALID_RESPONSE = "disconnected", "invalid_response"
WORDS = (
    *(TLS_ERROR, DNS_ERROR, CONNECTION_FAILED, ADDRESS_NOT_ALLOWED, URL_NOT_ALLOWED),
    *(CONNECT_TIMEOUT, TIMEOUT, DISCONNECTED, INVALID_RESPONSE),
)
"""Every word for why there is no answer."""
TOTAL_SECONDS = 10
"""Source: docs/guides/webhooks.md, Delivery."""


class AddressRefused(OSError):
    """No address of the host may be dialled."""

    def __init__(self, host: str) -> None:
        super().__init__(errno.EACCES, f"{host} has no address that may be dialled")


class Undelivered(Exception):
    """No answer came; ``reason`` is one stable word for logs and for the merchant."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a receiver answered: at most ``wire.MAX_BODY_BYTES`` of it, never decompressed."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its letter case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (AddressRefused, ADDRESS_NOT_ALLOWED),
    (TimeoutError, CONNECT_TIMEOUT),
    (ssl.SSLError, TLS_ERROR),
    (socket.gaierror, DNS_ERROR),
    (UnicodeError, DNS_ERROR),
    (OSError, CONNECTION_FAILED),
)


def word_for(error: BaseException) -> str:
    """Why no connection was made, as one word."""
    return next((word for kind, word in _WORDS if isinstance(error, kind)), INVALID_RESPONSE)
