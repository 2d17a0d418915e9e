"""Sessions with the few providers that the operator named: aggregators and sources of prices.

Every answer is hostile until read: bounded in size, time and depth, with exact numbers. What a provider says of its
limits is obeyed here, so that no caller has to.
"""

import logging
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.clock import now
from core.outbound.reading import Unreadable, kept_session, read_json

if TYPE_CHECKING:
    import requests

CONNECT_SECONDS = 2
ANSWER_SECONDS = 4
"""Source: docs/design/providers.md, Patience."""
KNOCK_SECONDS = 1
"""For the simplest question. Why so little: somebody waits for another answer already."""
MOST_BYTES = 8 * 1024 * 1024
"""Lists of tokens are long."""
FAULTS_TO_OPEN = 3
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2, 300
_TOO_MANY_REQUESTS, _SERVER_ERROR, _UNAUTHORIZED = 429, 500, 401
_MOST_DIGITS = 11
_LATEST_AS_SECONDS = 10**9
"""A reset above this is a moment in Unix time, below it a number of seconds."""
_LOGGER = logging.getLogger("causeway.outbound")


class ProviderUnreachable(Exception):
    """No usable answer came; ``reason`` is one stable word or two, never an address or a key."""

    def __init__(self, provider: str, reason: str) -> None:
        self.provider, self.reason = provider, reason
        super().__init__(f"{provider}: {reason}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderAnswer:
    """What a provider answered: a status below 500, and JSON whose numbers are ``int`` or ``Decimal``."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def is_success(self) -> bool:
        """Whether the provider did what it was asked."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the definition of success


class ProviderSession:
    """One provider: its address, its key, its limits, and a circuit breaker. One for all threads of a process.

    The breaker opens only where the provider does not answer a question either that is about nobody (``simplest``, path
    and parameters): somebody's odd question, asked again and again, must not take it from the others.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        simplest: tuple[str, Mapping[str, str]] = ("", {}),
    ) -> None:
        self._simplest = simplest
        self.name, self._base_url, self._headers = name, base_url.rstrip("/"), dict(headers or {})
        self._local = threading.local()
        self._faults, self._closed_until = 0, -math.inf

    def get(self, path: str, parameters: Mapping[str, str], seconds: float = ANSWER_SECONDS) -> ProviderAnswer:
        """Ask once; nothing is asked a second time here, since another offer may already have come.

        Raises: ProviderUnreachable. Called outside any database transaction.
        """
        if time.monotonic() < self._closed_until:
            raise ProviderUnreachable(self.name, "paused")
        try:
            answer = self._ask(path, parameters, time.monotonic() + seconds)
        except ProviderUnreachable as fault:
            self._note_fault(fault.reason)
            raise
        self._obey_limits(answer)
        if answer.status == _UNAUTHORIZED:
            self._note_fault("key refused")
        elif answer.status != _TOO_MANY_REQUESTS:
            self._faults = 0
        return answer

    def _ask(self, path: str, parameters: Mapping[str, str], ends_at: float) -> ProviderAnswer:
        import requests  # noqa: PLC0415  (slow import)

        patience = max(ends_at - time.monotonic(), 0.001)
        try:
            with self._session().get(
                self._base_url + path,
                params=dict(parameters),
                timeout=(min(CONNECT_SECONDS, patience), patience),
                allow_redirects=False,
                stream=True,
            ) as response:
                if response.status_code >= _SERVER_ERROR or response.is_redirect:
                    raise ProviderUnreachable(self.name, f"HTTP {response.status_code}")
                headers = {name.lower(): value for name, value in response.headers.items()}
                body = _body(response, ends_at)
                return ProviderAnswer(status=response.status_code, headers=headers, body=body)
        except Unreadable as error:
            raise ProviderUnreachable(self.name, error.reason) from error
        except requests.Timeout as error:
            raise ProviderUnreachable(self.name, "timeout") from error
        except requests.RequestException as error:
            raise ProviderUnreachable(self.name, type(error).__name__) from error

    def _session(self) -> "requests.Session":
        """A connection kept alive per thread."""
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = kept_session(self._headers)
        return session

    def _obey_limits(self, answer: ProviderAnswer) -> None:
        """Wait as long as the provider asks. Source: docs/design/providers.md, Their limits."""
        is_refused = answer.status == _TOO_MANY_REQUESTS
        remaining = _first(answer.headers, "ratelimit-remaining", "x-ratelimit-remaining")
        if not is_refused and remaining != 0:
            return
        asked = _first(answer.headers, "retry-after", "ratelimit-reset", "x-ratelimit-reset")
        if asked is not None and asked > _LATEST_AS_SECONDS:
            asked -= int(now().timestamp())
        pause = min(max(asked or SHORTEST_PAUSE_SECONDS, 1), LONGEST_PAUSE_SECONDS)
        self._closed_until = time.monotonic() + pause
        _LOGGER.warning("%s asks for a pause of %d s", self.name, pause)

    def _is_alive(self) -> bool:
        """Whether it answers the simplest question, whatever it says."""
        try:
            self._ask(*self._simplest, time.monotonic() + KNOCK_SECONDS)
        except ProviderUnreachable:
            return False
        return True

    def _note_fault(self, reason: str) -> None:
        self._faults += 1
        if self._faults >= FAULTS_TO_OPEN and not self._is_alive():
            pause = min(SHORTEST_PAUSE_SECONDS * 2 ** min(self._faults - FAULTS_TO_OPEN, 8), LONGEST_PAUSE_SECONDS)
            self._closed_until = time.monotonic() + pause
        _LOGGER.warning("%s at %s: %s (fault %d)", self.name, urlsplit(self._base_url).hostname, reason, self._faults)


def _body(response: "requests.Response", ends_at: float) -> Any:
    """The JSON of an answer; None where a limit comes as a page: it is obeyed whatever it is written on.

    Raises: Unreadable, as ``read_json``.
    """
    try:
        return read_json(response, MOST_BYTES, ends_at)
    except Unreadable:
        if response.status_code != _TOO_MANY_REQUESTS:
            raise
        return None


def _first(headers: Mapping[str, str], *names: str) -> int | None:
    """The first of these headers that holds a whole number."""
    texts = (headers.get(name, "") for name in names)
    return next((int(text) for text in texts if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS), None)
