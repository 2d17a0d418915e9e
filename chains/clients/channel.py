"""Questions in JSON-RPC to one address: one at a time, bounded in size, depth and time. One for both families.

Why the envelope is read here, and by no library: what is wrong with it tells a broken node from an odd question.
"""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

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

T = TypeVar("T")
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
        spend_question()
        return self._posted(body, lambda response, read: _answer(response, number, read))

    def exchange_all(self, body: bytes, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """The same of several questions that are put at once, in their order. Raises: also RpcRefusal of all."""
        for _ in numbers:
            spend_question()
        return self._posted(body, lambda response, read: _answers(response, numbers, read))

    def _posted(self, body: bytes, answer_of: "Callable[[requests.Response, Read], T]") -> T:
        import requests  # noqa: PLC0415  (slow import)

        from core.outbound.reading import read_json  # noqa: PLC0415  (slow import)

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
                return answer_of(response, read)
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
    _assert_spoken_to(response)
    answer = _envelope(response, read) if response.status_code == _OK else _refusal(response, read)
    return _own(answer, number)


def _answers(response: "requests.Response", numbers: Sequence[int], read: "Read") -> list[dict[str, Any]]:
    """The envelope of each. Why one for all of them is no fault: it is how nodes refuse to be asked several at once."""
    _assert_spoken_to(response)
    if response.status_code != _OK:
        raise refusal_of(_refusal(response, read)["error"])
    found = _json(response, read)
    if isinstance(found, dict) and found.get("error") is not None:
        raise refusal_of(found["error"])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise EndpointFault("not envelopes")
    by_number = {one.get("id"): one for one in found if type(one.get("id")) is int}
    if len(found) != len(numbers) or by_number.keys() != set(numbers):
        raise EndpointFault("answers to other questions")
    return [_own(by_number[number], number) for number in numbers]


def _assert_spoken_to(response: "requests.Response") -> None:
    """Raises: EndpointFault where the status says that nobody was."""
    status = response.status_code
    if status == TOO_MANY_REQUESTS:
        asked = str(response.headers.get("Retry-After", ""))
        wait = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else SHORTEST_WAIT_SECONDS  # noqa: PLR2004 - years
        raise TooManyQuestions(f"HTTP {status}", min(max(wait, SHORTEST_WAIT_SECONDS), LONGEST_WAIT_SECONDS))
    if status >= _SERVER_ERROR or status in _KEY_REFUSED or response.is_redirect:
        raise EndpointFault(f"HTTP {status}")


def _own(answer: dict[str, Any], number: int) -> dict[str, Any]:
    """The envelope, if it answers the question of this number."""
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
    answer = _json(response, read)
    if not isinstance(answer, dict):
        raise EndpointFault("not an envelope")
    return answer


def _json(response: "requests.Response", read: "Read") -> Any:
    from core.outbound.reading import Unreadable  # noqa: PLC0415  (slow import)

    try:
        return read(response)
    except Unreadable as error:
        if error.reason in _TOO_MUCH:
            raise CannotSay(error.reason) from None
        raise (TookTooLong if error.reason == "timeout" else EndpointFault)(error.reason) from None


def _refusal(response: "requests.Response", read: "Read") -> dict[str, Any]:
    """The error object that comes with another status; the status alone where there is none."""
    try:
        answer = _envelope(response, read)
    except EndpointFault:
        answer = {}
    if not isinstance(answer.get("error"), dict):
        raise EndpointFault(f"HTTP {response.status_code}")
    return answer
