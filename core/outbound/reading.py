"""Reading what a configured provider or node answers: bounded in size, time and depth, with exact numbers."""

import json
import time
from collections.abc import Mapping
from decimal import Decimal, DecimalException
from typing import TYPE_CHECKING, Any

from core.exact_json import is_deeper_than

if TYPE_CHECKING:
    import requests

MOST_DEPTH = 32
_CHUNK = 64 * 1024


class Unreadable(Exception):
    """The answer cannot be used; ``reason`` is one stable word or two."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def kept_session(headers: Mapping[str, str] | None = None) -> "requests.Session":
    """A session that keeps connections alive and takes nothing from the environment. One per thread."""
    import requests  # noqa: PLC0415  (slow import)

    session = requests.Session()
    session.trust_env = False
    session.headers.update({"Accept": "application/json", "User-Agent": "Causeway", **(headers or {})})
    return session


def read_json(response: "requests.Response", most_bytes: int, ends_at: float, most_depth: int = MOST_DEPTH) -> Any:
    """The JSON of an answer that was asked for as a stream; numbers are ``int`` or ``Decimal``.

    Raises: Unreadable. Why an unreadable one is no answer: whatever its status, nothing can be learned from it.
    """
    try:
        text = _read(response, most_bytes, ends_at).decode()
        if is_deeper_than(text, most_depth):
            raise Unreadable("answer too deep")
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except (ValueError, DecimalException) as error:
        raise Unreadable("not JSON") from error
    except RecursionError as error:
        raise Unreadable("answer too deep") from error


def _read(response: "requests.Response", most_bytes: int, ends_at: float) -> bytes:
    body = bytearray()
    for chunk in response.iter_content(_CHUNK):
        body += chunk
        if len(body) > most_bytes:
            raise Unreadable("answer too long")
        if time.monotonic() > ends_at:
            raise Unreadable("timeout")
    return bytes(body)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
