"""For the tests of a program that uses this package: signed webhooks, and a service that answers as you say."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causeway_sdk._core import decode, encode
from causeway_sdk.webhooks import proof_in_base64, proof_in_hex

TEST_KEY = "sk_test_0000000000000000000000000000"  # noqa: S105 - a made-up key
TEST_SECRET = "whsec_" + base64.b64encode(bytes(33)).decode()


def sign(
    body: bytes | str | Mapping[str, Any],
    secret: str = TEST_SECRET,
    *,
    timestamp: float | None = None,
    event_id: str = "evt_00000000000000000000000000000000",
) -> dict[str, str]:
    """The headers that the service sends with this body. Units: timestamp in unix seconds; now, if not given."""
    raw = encoded(body)
    moment = str(int(time.time() if timestamp is None else timestamp))
    return {
        "Content-Type": "application/json",
        "Svc-Event-Id": event_id,
        "Svc-Attempt": "1",
        "Svc-Signature": f"t={moment},v1={proof_in_hex(secret, moment, raw).decode()}",
        "webhook-id": event_id,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{proof_in_base64(secret, event_id, moment, raw).decode()}",
    }


def encoded(body: bytes | str | Mapping[str, Any]) -> bytes:
    """The raw body: bytes as they are, text in UTF-8, an object as JSON."""
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else encode(body)).encode()


def tampered(headers: Mapping[str, str]) -> dict[str, str]:
    """The same headers with a signature that does not verify: for the test that a receiver answers 401."""
    proof = hmac.digest(b"another", b"body", "sha256").hex()
    moment = headers["webhook-timestamp"]
    return {**headers, "Svc-Signature": f"t={moment},v1={proof}", "webhook-signature": "v1,AAAA"}


@dataclass(frozen=True)
class Call:
    """One request that was sent. ``body`` is its JSON, None without one."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class FakeAnswer:
    """What an HTTP client answers."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


@dataclass
class FakeService:
    """Give it as ``http_client``: it answers what was said, in turn, and keeps what was sent in ``calls``.

    ``answers``: each a status and a JSON value, or an exception to raise; the last one is repeated.
    """

    answers: list[tuple[int, Any] | Exception] = field(default_factory=list[tuple[int, Any] | Exception])
    calls: list[Call] = field(default_factory=list[Call])

    def answer(self, value: Any, status: int = 200) -> FakeService:
        """Say one more answer."""
        self.answers.append((status, value))
        return self

    def lose(self, error: Exception | None = None) -> FakeService:
        """Say that one more answer is lost on its way."""
        self.answers.append(error or ConnectionError("the connection was lost"))
        return self

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> FakeAnswer:
        """Take one request. Raises: what was said, and LookupError where nothing was."""
        del timeout
        path = "/" + url.split("://", 1)[-1].split("/", 1)[-1]
        kept = {name: value for name, value in headers.items() if name != "Authorization"}
        self.calls.append(Call(method, path, kept, decode(content) if content else None))
        if not self.answers:
            raise LookupError(f"no answer was said for {method} {path}")
        said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(said, Exception):
            raise said
        status, value = said
        shown = {"Content-Type": "application/json", "Request-Id": "req_test"}
        return FakeAnswer(status, shown, encode(value).encode())


class AsyncFakeService(FakeService):
    """The same for ``AsyncCauseway``."""

    async def request(  # type: ignore[override]  # awaited, where the other blocks
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> FakeAnswer:
        """Take one request."""
        return super().request(method, url, content=content, headers=headers, timeout=timeout)
