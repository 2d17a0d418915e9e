"""Sends what ``_core`` planned: two short loops, one that blocks and one that awaits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, cast

from causeway_sdk._core import Answer, Lost, Plan, Tries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from causeway_sdk._settings import Secret

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
        self._client, self._is_own = client, client is None

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
    import httpx2  # Why here: see above

    return cast("HTTPClient", httpx2.Client())


def own_async_client() -> AsyncHTTPClient:
    """The same, awaited."""
    import httpx2  # Why here: see above

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
