"""The two clients: ``Causeway`` blocks, ``AsyncCauseway`` is awaited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._core import MAX_RETRIES
from causeway_sdk._http import AsyncSender, Sender
from causeway_sdk._settings import read_address, read_key

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from causeway_sdk._core import Answer, Plan
    from causeway_sdk._generated import AsyncServices, Services
    from causeway_sdk._http import AsyncHTTPClient, HTTPClient

else:

    class Services:
        """The services of a client. Why loaded when one is first asked for: what is generated is long."""

        _kind = ""

        def __getattr__(self, name: str) -> Any:
            from causeway_sdk import _generated  # Why here: see above

            found = f"{self._kind}{name.title().replace('_', '')}Service"
            if name not in _generated.Services.__annotations__:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            made = self.__dict__[name] = getattr(_generated, found)(self)
            return made

        def __dir__(self) -> list[str]:
            from causeway_sdk import _generated  # Why here: see above

            return [*super().__dir__(), *_generated.Services.__annotations__]

    class AsyncServices(Services):
        """The same, awaited."""

        _kind = "Async"


TIMEOUT = 30.0
"""Seconds, of each try."""


class Causeway(Services):
    """The service, seen by one merchant in the mode of its key.

    ``api_key`` and ``base_url`` come from CAUSEWAY_API_KEY and CAUSEWAY_BASE_URL where they are not given.
    One client may be used by many threads. Raises: CausewayError for a missing key or address.
    Units: ``timeout`` in seconds, of each try; after the first one there are ``max_retries`` more.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        http_client: HTTPClient | None = None,
    ) -> None:
        secret = read_key(api_key)
        del api_key
        self.base_url = read_address(base_url, secret)
        self._timeout, self._max_retries = timeout, max_retries
        self._sender = Sender(self.base_url, secret, http_client)

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> Causeway:
        """The same client, over the same connections, with other limits: for one call that needs them."""
        other = object.__new__(type(self))
        other.base_url, other._sender = self.base_url, self._sender
        other._timeout = self._timeout if timeout is None else timeout
        other._max_retries = self._max_retries if max_retries is None else max_retries
        return other

    def send(self, plan: Plan) -> Answer:
        """Send a planned request. Raises: APIConnectionError, APIError."""
        return self._sender.send(plan, timeout=self._timeout, max_retries=self._max_retries)

    def close(self) -> None:
        """Close the connections."""
        self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"


class AsyncCauseway(AsyncServices):
    """The same as Causeway for ``async`` programs."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        http_client: AsyncHTTPClient | None = None,
    ) -> None:
        secret = read_key(api_key)
        del api_key
        self.base_url = read_address(base_url, secret)
        self._timeout, self._max_retries = timeout, max_retries
        self._sender = AsyncSender(self.base_url, secret, http_client)

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> AsyncCauseway:
        """The same client, over the same connections, with other limits: for one call that needs them."""
        other = object.__new__(type(self))
        other.base_url, other._sender = self.base_url, self._sender
        other._timeout = self._timeout if timeout is None else timeout
        other._max_retries = self._max_retries if max_retries is None else max_retries
        return other

    async def send(self, plan: Plan) -> Answer:
        """Send a planned request. Raises: APIConnectionError, APIError."""
        return await self._sender.send(plan, timeout=self._timeout, max_retries=self._max_retries)

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r})"
