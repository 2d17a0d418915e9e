"""Questions in JSON-RPC to one address: one at a time, bounded in size, depth and time. One for both families.

Why the envelope is read here, and by no library: what is wrong with it tells a broken node from an odd question.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from chains.clients.allowance import spend_question
from chains.clients.outcomes import (
    LONGEST_WAIT_SECONDS,
    SHORTEST_WAIT_SECONDS,
    TOO_MANY_REQUESTS,
    CannotSay,
    EndpointFault,
    TookTooLong,
    TooManyQuestions,
    refusal_of,
)

if TYPE_CHECKING:
    import requests

    Read = Callable[[requests.Response], Any]

CONNECT_TIMEOUT = 2
READ_TIMEOUT = 4
MOST_BYTES = 8 * 1024 * 1024
MOST_DEPTH = 256
"""Of an answer. Why so much: a trace goes two levels down with each call."""
_OK, _SERVER_ERROR = 200, 500
_KEY_REFUSED = frozenset({401, 403})
_TOO_MUCH = frozenset({"answer too long", "answer too deep"})


class Channel:
    """A connection that is kept alive per thread."""

    def __init__(self, url: str) -> None:
        self._url, self._local = url, threading.local()

    def exchange(self, body: bytes, number: int) -> dict[str, Any]:
        """The whole answer to the question of this number, also where it is an error about the question.

        Raises: EndpointFault, CannotSay for an answer that is too large to be read, BudgetSpent.
        """
        import requests  # noqa: PLC0415  (slow import)

        from core.outbound.reading import read_json  # noqa: PLC0415  (slow import)

        spend_question()
        ends_at = time.monotonic() + sum(timeouts())
        read = partial(read_json, most_bytes=MOST_BYTES, ends_at=ends_at, most_depth=MOST_DEPTH)
        try:
            with self._session().post(
                self._url,
                data=body,
                headers={"Content-Type": "application/json"},
                timeout=timeouts(),
                allow_redirects=False,
                stream=True,
            ) as response:
                return _answer(response, number, read)
        except requests.Timeout:
            raise TookTooLong("Timeout") from None
        except requests.RequestException as error:
            raise EndpointFault(type(error).__name__) from None

    def _session(self) -> "requests.Session":
        from core.outbound.reading import kept_session  # noqa: PLC0415  (slow import)

        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = kept_session()
        return session


def timeouts() -> tuple[int, int]:
    """Seconds to connect and to read, for every question to a node."""
    return CONNECT_TIMEOUT, READ_TIMEOUT


def _answer(response: "requests.Response", number: int, read: "Read") -> dict[str, Any]:
    """The envelope, where it answers this question and the node stands by it.

    Why below 500 an error object counts whatever the status: several providers send 400, 404 or 413 with one.
    """
    status = response.status_code
    if status == TOO_MANY_REQUESTS:
        raise TooManyQuestions(f"HTTP {status}", _asked_wait(response))
    if status >= _SERVER_ERROR or status in _KEY_REFUSED or response.is_redirect:
        raise EndpointFault(f"HTTP {status}")
    answer = _envelope(response, read) if status == _OK else _refusal(response, read)
    if answer.get("id") != number and not (answer.get("id") is None and "error" in answer):
        raise EndpointFault("an answer to another question")
    if answer.get("error") is not None:
        return _error(answer["error"], number)
    if "result" not in answer:
        raise EndpointFault("neither a result nor an error")
    return {"jsonrpc": "2.0", "id": number, "result": answer["result"]}


def _error(error: Any, number: int) -> dict[str, Any]:
    """The envelope of an error object about our question, in the one form that libraries read."""
    found = refusal_of(error)
    if isinstance(found, EndpointFault):
        raise found
    plain = {"code": error["code"], "message": str(error.get("message", ""))}
    details = {"data": error["data"]} if error.get("data") is not None else {}
    return {"jsonrpc": "2.0", "id": number, "error": plain | details}


def _envelope(response: "requests.Response", read: "Read") -> dict[str, Any]:
    from core.outbound.reading import Unreadable  # noqa: PLC0415  (slow import)

    try:
        answer = read(response)
    except Unreadable as error:
        if error.reason in _TOO_MUCH:
            raise CannotSay(error.reason) from None
        raise (TookTooLong if error.reason == "timeout" else EndpointFault)(error.reason) from None
    if not isinstance(answer, dict):
        raise EndpointFault("not an envelope")
    return answer


def _refusal(response: "requests.Response", read: "Read") -> dict[str, Any]:
    """The error object that comes with another status; the status alone where there is none."""
    try:
        answer = _envelope(response, read)
    except EndpointFault:
        answer = {}
    if not isinstance(answer.get("error"), dict):
        raise EndpointFault(f"HTTP {response.status_code}")
    return answer


def _asked_wait(response: "requests.Response") -> int:
    asked = str(response.headers.get("Retry-After", ""))
    wait = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else SHORTEST_WAIT_SECONDS  # noqa: PLR2004 - years
    return min(max(wait, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS)
