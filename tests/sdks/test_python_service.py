"""The Python SDK against the real service: a story, and answers that are lost: each effect comes once.

Requests reach the service's own door in this process. Why no socket: a lost answer is lost exactly where it should be.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
from causeway_sdk import APIError, AsyncCauseway, Causeway, _http
from causeway_sdk.testing import FakeAnswer
from django.test import Client

from merchants.services import NewMerchant
from scripts.served import AsServed

pytestmark = pytest.mark.django_db(transaction=True)
BUSY = {"error": "A sentence.", "code": "unavailable", "details": {}, "request_id": "req_1"}


class Service:
    """An HTTP client that asks the service in this process. ``faults`` happen to the first tries, in turn."""

    def __init__(self, faults: tuple[str, ...] = ()) -> None:
        self.faults, self.effects, self.keys = list(faults), 0, list[str]()

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> FakeAnswer:
        fault = self.faults.pop(0) if self.faults else ""
        when, _, what = fault.partition(" ")
        self.keys.append(headers.get("Idempotency-Key", ""))
        answer = FakeAnswer(200, {}, b"") if when == "before" else self.ask(method, url, content, headers)
        return self.spoil(what) if fault else answer

    def ask(self, method: str, url: str, content: bytes | None, headers: dict[str, str]) -> FakeAnswer:
        client = Client(raise_request_exception=False, headers=headers)
        client.handler = AsServed()
        path = "/" + url.split("://", 1)[1].split("/", 1)[1]
        response = client.generic(method, path, content or b"", content_type="application/json")
        is_replay = response.headers.get("Idempotent-Replayed") == "true"
        self.effects += method == "POST" and response.status_code < 300 and not is_replay
        return FakeAnswer(response.status_code, dict(response.headers), response.content)

    @staticmethod
    def spoil(what: str) -> FakeAnswer:
        if not what.isdigit():
            raise {"timeout": TimeoutError, "reset": ConnectionResetError}[what](what)
        return FakeAnswer(int(what), {"Retry-After": "1"} if what in {"429", "503"} else {}, json.dumps(BUSY).encode())


class AsyncService(Service):
    async def request(self, *arguments: Any, **named: Any) -> FakeAnswer:  # type: ignore[override]  # awaited
        return super().request(*arguments, **named)


FAULTS: list[tuple[str, ...]] = [
    ("before reset",),
    ("before timeout",),
    ("before 429",),
    ("before 503",),
    ("after reset",),
    ("after timeout",),
    ("after 500",),
    ("after 502",),
    ("after 504",),
    ("after 408",),
    ("after reset", "after reset"),
    ("before 502", "after timeout"),
]
Post = Callable[[Any, dict[str, str]], Any]
POSTS: dict[str, Post] = {
    "payment_intents.create": lambda client, _: client.payment_intents.create(amount="19.99", reference="r"),
    "payment_intents.cancel": lambda client, ids: client.payment_intents.cancel(ids["intent"]),
    "test_helpers.pay_payment_intent": lambda client, ids: client.test_helpers.pay_payment_intent(ids["intent"]),
    "test_helpers.advance_clock": lambda client, _: client.test_helpers.advance_clock(seconds=5),
    "test_helpers.trigger_event": lambda client, _: client.test_helpers.trigger_event(type="ping"),
    "webhook_endpoints.create": lambda client, _: client.webhook_endpoints.create(
        url="https://shop.example/again", events=["*"]
    ),
    "webhook_endpoints.rotate_secret": lambda client, ids: client.webhook_endpoints.rotate_secret(ids["endpoint"]),
}


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def awaited(seconds: float) -> None:
        """Not waited."""

    monkeypatch.setattr(_http, "pause", lambda _: None)
    monkeypatch.setattr(_http, "async_pause", awaited)
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def made(account: NewMerchant, service: Service) -> tuple[Causeway, dict[str, str]]:
    client = Causeway(account.test.secret_key, "http://localhost", http_client=service)
    endpoint = client.webhook_endpoints.create(url="https://shop.example/hook", events=["*"])
    return client, {"intent": client.payment_intents.create(amount=25).id, "endpoint": endpoint.id}


async def _done(call: Awaitable[Any]) -> Any:
    return await call


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("post", sorted(POSTS))
def test_whatever_is_lost_each_post_takes_effect_once(account: NewMerchant, post: str, awaited: bool) -> None:
    found = []
    for faults in FAULTS if post == "payment_intents.create" else [FAULTS[4], FAULTS[10]]:
        client, ids = made(account, Service())
        service = AsyncService(faults) if awaited else Service(faults)
        other: Any = AsyncCauseway if awaited else Causeway
        outcome = POSTS[post](other(account.test.secret_key, "http://localhost", http_client=service), ids)
        outcome = asyncio.run(_done(outcome)) if awaited else outcome
        found.append((faults, service.effects, len(set(service.keys)), len(service.keys)))
        for endpoint in client.webhook_endpoints.list():
            client.webhook_endpoints.delete(endpoint.id)
    assert found == [(faults, 1, 1, len(faults) + 1) for faults, *_ in found]


def test_a_story_from_the_price_to_the_list(account: NewMerchant) -> None:
    client, _ = made(account, Service())
    intent = client.payment_intents.create(amount=Decimal("19.99"), reference="order-1", metadata={"order": "1"})
    assert (intent.amount, intent.reference, intent.mode) == (Decimal("19.99"), "order-1", "test")
    assert intent.raw is not None
    assert intent.raw.request_id
    assert [one.id for one in client.payment_intents.list(reference="order-1", status=["created", "requires_payment"])]
    assert client.payment_intents.cancel(intent.id).status == "cancelled"
    with pytest.raises(APIError) as refused:
        client.refunds.create(intent_id=intent.id, amount_usd="5.00")
    assert refused.value.code == "intent_not_settled"
    assert refused.value.doc_url is not None
