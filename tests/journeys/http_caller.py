"""A client for the REST API as any program might write one: standard library only, no trace of the service."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.machine import PATIENCE_SECONDS, wait_until

API = "/api/public/v1"
POLL_SECONDS = 0.05
"""How often a service is asked again."""
Found = TypeVar("Found")


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class Unreachable(Exception):
    """Nobody answered, or not to the end: whether the request had an effect is unknown."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    base_url: str
    key: str = ""

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send a request; header names are written with underscores. Raises: Unreachable."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        raw = None if body is None else json.dumps(body).encode()
        sent |= {"Content-Type": "application/json"} if raw else {}
        url = self.base_url + (path if path.startswith(("/api", "/mcp")) else API + path)
        return _exchange(urllib.request.Request(url, raw, sent, method=method))  # noqa: S310 - our own address

    def look(self, page: str) -> Answer:
        return _exchange(urllib.request.Request(self.base_url + page))  # noqa: S310 - our own address

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        return self.send("POST", path, body, **headers)

    def insist(self, path: str, body: object, key: str) -> Answer:
        """POST until somebody answers with a success, always under the same key. Raises: AssertionError."""

        def try_once() -> Answer | None:
            try:
                answer = self.post(path, body, Idempotency_Key=key)
            except Unreachable:
                return None
            return answer if answer.status < http.HTTPStatus.BAD_REQUEST else None

        found = soon(try_once, f"POST {path}")
        assert found is not None
        return found


def _exchange(request: urllib.request.Request) -> Answer:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:  # noqa: S310 - our own address
            return _read(response)
    except urllib.error.HTTPError as refusal:
        return _read(refusal)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{request.get_method()} {request.full_url}: {error}") from error


def _read(response: Any) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status=response.status, headers=headers, raw=response.read())


def soon(look: Callable[[], Found], what: str) -> Found:
    return wait_until(look, what, poll=POLL_SECONDS)
