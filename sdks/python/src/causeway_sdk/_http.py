"""Sends what ``_core`` planned: two short loops, one that blocks and one that awaits. And when a wait looks again."""

from __future__ import annotations

import time
from collections.abc import Collection
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

from causeway_sdk._core import Answer, Lost, Plan, Tries, UnexpectedStatusError, WaitTimeoutError, retry_after

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from causeway_sdk._client import Secret

pause = time.sleep
"""Between two tries. Named here so that a test can stop waiting."""


async def async_pause(seconds: float) -> None:
    """The same, awaited."""
    import asyncio  # Why here: who awaits has it already; who does not need not load it

    await asyncio.sleep(seconds)


class HTTPAnswer(Protocol):
    """What is read of an HTTP client's answer."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def content(self) -> bytes: ...


class HTTPClient(Protocol):
    """What is asked of a client that you pass: httpx2's and httpx's fit."""

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> HTTPAnswer:
        """Send one request."""
        ...


class AsyncHTTPClient(Protocol):
    """The same, awaited."""

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> Awaitable[HTTPAnswer]:
        """Send one request."""
        ...


class Sender:
    """Sends plans and blocks until there is an outcome."""

    def __init__(self, address: str, secret: Secret, client: HTTPClient | None) -> None:
        self._address, self._secret = address, secret
        self._client, self._is_own, self._lock = client, client is None, Lock()

    def send(self, plan: Plan, *, timeout: float, max_retries: int) -> Answer:
        """The answer. Raises: APIConnectionError, APIError."""
        tries = Tries(plan, max_retries)
        while True:
            outcome = self._once(plan, timeout)
            wait = tries.pause_after(outcome)
            if wait is None:
                return tries.result(outcome)
            pause(wait)

    def _once(self, plan: Plan, timeout: float) -> Answer | Lost:
        with self._lock:  # Why: threads that begin at once would each make one, and leave all but the last open
            client = self._client = self._client or own_client()
        try:
            return read(
                client.request(
                    plan.verb,
                    self._address + plan.target,
                    content=plan.content,
                    headers=self._secret.headers(plan.headers),
                    timeout=timeout,
                )
            )
        except Exception as error:
            if not is_of_transport(error):
                raise
            return _lost(error)

    def close(self) -> None:
        """Close the connections, if they are this package's own."""
        if self._is_own and self._client is not None:
            self._client.close()  # type: ignore[attr-defined]  # our own has it
            self._client = None


class AsyncSender:
    """Sends plans, awaited."""

    def __init__(self, address: str, secret: Secret, client: AsyncHTTPClient | None) -> None:
        self._address, self._secret = address, secret
        self._client, self._is_own = client, client is None

    async def send(self, plan: Plan, *, timeout: float, max_retries: int) -> Answer:
        """The answer. Raises: APIConnectionError, APIError."""
        tries = Tries(plan, max_retries)
        while True:
            outcome = await self._once(plan, timeout)
            wait = tries.pause_after(outcome)
            if wait is None:
                return tries.result(outcome)
            await async_pause(wait)

    async def _once(self, plan: Plan, timeout: float) -> Answer | Lost:
        client = self._client = self._client or own_async_client()
        try:
            return read(
                await client.request(
                    plan.verb,
                    self._address + plan.target,
                    content=plan.content,
                    headers=self._secret.headers(plan.headers),
                    timeout=timeout,
                )
            )
        except Exception as error:
            if not is_of_transport(error):
                raise
            return _lost(error)

    async def close(self) -> None:
        """Close the connections, if they are this package's own."""
        if self._is_own and self._client is not None:
            await self._client.aclose()  # type: ignore[attr-defined]  # our own has it
            self._client = None


def own_client() -> HTTPClient:
    """A client of httpx2. Why imported here: that takes longer than all the rest of this package."""
    import httpx2

    return cast("HTTPClient", httpx2.Client())


def own_async_client() -> AsyncHTTPClient:
    """The same, awaited."""
    import httpx2

    return cast("AsyncHTTPClient", httpx2.AsyncClient())


def read(answer: HTTPAnswer) -> Answer:
    """An HTTP client's answer as this package's own."""
    headers = {str(name).lower(): str(value) for name, value in answer.headers.items()}
    return Answer(answer.status_code, headers, answer.content)


def is_of_transport(error: Exception) -> bool:
    """Why by name: a client that was passed may be of httpx, httpx2 or a kin of them; each has this class."""
    named = {cls.__name__ for cls in type(error).__mro__}
    return "RequestError" in named or isinstance(error, (ConnectionError, TimeoutError))


def _lost(error: Exception) -> Lost:
    """Why the error goes no further: frames of an HTTP client hold the headers, and the key in them."""
    said = str(error)
    return Lost(f"No answer came: {type(error).__name__}{': ' + said if said else ''}")


OVER = frozenset({"settled", "failed", "expired", "cancelled", "refunded", "paid"})
"""Statuses of payment intents, refunds and payouts in which nothing more is done by itself."""
LONGEST_HOLD, SHORT_HOLD = 25, 5
"""Seconds that the service holds a question at most, and where a status is wanted in which it would hold the next."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0
REST = 1.0
"""Seconds from one held question to the next at least. A service where enough others wait answers at once."""
now = time.monotonic
"""Named here so that a test can stop the clock."""


class Waiting:
    """One wait. ``holds``: the service itself waits for a change, so nothing is paused here."""

    def __init__(self, until: str | Collection[str] | None, timeout: float, *, holds: bool) -> None:
        self._wanted = OVER if until is None else frozenset({until} if isinstance(until, str) else until)
        self._asked, self._pause, self._timeout, self._holds = now(), _FIRST_PAUSE, timeout, holds
        self._ends, self._looks = self._asked + timeout, 0

    def hold(self) -> int | None:
        """How many seconds the service is asked to hold the question that is asked now.

        The first is not held: the service waits for a change, and it may be as wanted already.
        """
        self._asked, self._looks = now(), self._looks + 1
        longest = LONGEST_HOLD if self._wanted <= OVER else SHORT_HOLD
        return max(0, min(longest * (self._looks > 1), int(self._ends - self._asked))) if self._holds else None

    def pause_after(self, resource: Any) -> float | None:
        """How many seconds to pause before the next look; None where it is as wanted.

        Raises: UnexpectedStatusError, WaitTimeoutError.
        """
        status = resource.status
        if status in self._wanted:
            return None
        name = f"{type(resource).__name__} {resource.to_dict().get('id')}"
        if status in OVER:
            raise UnexpectedStatusError(f"{name} ended as {status}.", resource)
        left = self._ends - now()
        if left <= 0:
            raise WaitTimeoutError(f"{name} is still {status} after {self._timeout:g} seconds.", resource)
        hinted = retry_after(resource.raw) if resource.raw else None
        pause, self._pause = self._pause, min(self._pause * 1.5, _LONGEST_PAUSE)
        if hinted is None and self._holds:
            return min(left, rest_since(self._asked)) if self._looks > 1 else 0.0
        return min(left, pause if hinted is None else hinted)


def rest_since(asked: float) -> float:
    """How many seconds to rest after a question that the service could have held, and was asked then."""
    return max(0.0, REST - (now() - asked))
