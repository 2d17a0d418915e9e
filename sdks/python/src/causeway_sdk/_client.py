"""The two clients: ``Causeway`` blocks, ``AsyncCauseway`` is awaited. Nothing shows the key that they hold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from causeway_sdk._core import MAX_RETRIES, CausewayError
from causeway_sdk._http import AsyncSender, Sender

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
            from causeway_sdk import _generated

            found = f"{self._kind}{name.title().replace('_', '')}Service"
            if name not in _generated.Services.__annotations__:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            made = self.__dict__[name] = getattr(_generated, found)(self)
            return made

        def __dir__(self) -> list[str]:
            from causeway_sdk import _generated

            return [*super().__dir__(), *_generated.Services.__annotations__]

    class AsyncServices(Services):
        """The same, awaited."""

        _kind = "Async"


KEY_NAME, ADDRESS_NAME = "CAUSEWAY_API_KEY", "CAUSEWAY_BASE_URL"
LOCAL_ADDRESS = "http://localhost:8000"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class LiveKeyWarning(UserWarning):
    """A live key is used where tests run: real money could move."""


class Secret:
    """A key that shows itself to nobody but the request."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled")

    @property
    def is_live(self) -> bool:
        """Whether real money moves."""
        return "_live_" in self._key[:8]

    def headers(self, others: Mapping[str, str]) -> dict[str, str]:
        """The same headers, with the proof of who asks."""
        return {**others, "Authorization": f"Bearer {self._key}"}


def read_key(given: str | None) -> Secret:
    """The key from the argument or CAUSEWAY_API_KEY. Raises: CausewayError. Never shows it."""
    secret = Secret((given or os.environ.get(KEY_NAME) or "").strip())
    del given
    text = secret.headers({})["Authorization"].removeprefix("Bearer ")
    fault = _fault_of(text)
    del text
    if fault:
        raise CausewayError(fault)
    if secret.is_live and (os.environ.get("CI") or os.environ.get("PYTEST_CURRENT_TEST")):
        warnings.warn("A live key is used in a test or in CI: real money could move.", LiveKeyWarning, stacklevel=4)
    return secret


def _fault_of(key: str) -> str | None:
    if not key:
        return f"No key: give api_key, or set {KEY_NAME}."
    if key.startswith("pk_"):
        return "A publishable key (pk_…) opens payers' pages only: use your secret key (sk_…)."
    if not (key.isascii() and key.isprintable()) or " " in key:
        return "The key holds characters that no key has: copy the whole key again."
    return None


def read_address(given: str | None, secret: Secret) -> str:
    """The service's address from the argument or CAUSEWAY_BASE_URL. Raises: CausewayError."""
    text = (given or os.environ.get(ADDRESS_NAME) or ("" if secret.is_live else LOCAL_ADDRESS)).rstrip("/")
    if not text:
        raise CausewayError(f"No address: give base_url, or set {ADDRESS_NAME}.")
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise CausewayError("base_url must be like https://pay.example.com")
    if secret.is_live and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise CausewayError("A live key is sent by https only.")
    return text.removesuffix("/api/public/v1")


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
