"""Every fault of a network at each POST of the Python SDK, blocking and awaited: each leaves one effect.

A cell is good when the call ends well under one key, the same key then brings the first answer again, and what it makes
is there once. The same for the TypeScript SDK: test_typescript_runtimes.py.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import httpx2
import pytest
from causeway_sdk import AsyncCauseway, Causeway, _http
from causeway_sdk.testing import FakeAnswer

from core.clock import now
from tests.journeys.programs import Embedded, embedded
from tests.machine import PATIENCE_SECONDS, let_others_run, own_port, pause
from tests.sdks.posts import failed_payouts, posts

pytestmark = [pytest.mark.embedded, pytest.mark.exhaustive, pytest.mark.xdist_group("faults at POSTs of Python")]

FAULTS: dict[str, tuple[str, ...]] = {
    "lost on the way there": ("before reset",),
    "lost on the way back": ("after reset",),
    "lost on the way back, twice": ("after reset", "after reset"),
    "lost there, then back": ("before reset", "after reset"),
    "no answer in time": ("after timeout",),
    "500 before": ("before 500",),
    "502 afterwards": ("after 502",),
    "503 before": ("before 503",),
    "504 afterwards": ("after 504",),
    "429 before, 408 afterwards": ("before 429", "after 408"),
    "half an answer": ("after half",),
    "a page of a proxy": ("after page",),
}
LOST = {"reset": ConnectionResetError, "timeout": TimeoutError}
REFUSAL = b'{"error": "No.", "code": "x", "details": {}, "request_id": "r"}'
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
LONGEST_PAUSE = 0.05
MARKS = count()


@dataclass
class Broken:
    """An HTTP client that spoils the first answers. ``keys`` are those of all tries."""

    inner: Any
    steps: list[str]
    keys: list[str] = field(default_factory=list)

    def request(self, method: str, url: str, **named: Any) -> Any:
        """Send one request, or none."""
        when, _, what = self._next(named).partition(" ")
        answer = None if when == "before" else self.inner.request(method, url, **named)
        return spoiled(what, answer) if when else answer

    def _next(self, named: dict[str, Any]) -> str:
        self.keys.append(named["headers"]["Idempotency-Key"])
        return self.steps.pop(0) if self.steps else ""


class AsyncBroken(Broken):
    async def request(self, method: str, url: str, **named: Any) -> Any:
        """Send one request, or none."""
        when, _, what = self._next(named).partition(" ")
        answer = None if when == "before" else await self.inner.request(method, url, **named)
        return spoiled(what, answer) if when else answer


def spoiled(what: str, answer: Any) -> FakeAnswer:
    if what in LOST:
        raise LOST[what](what)
    if what.isdigit():
        return FakeAnswer(int(what), {"Retry-After": "0"}, REFUSAL)
    text = b"<html>" if what == "page" else answer.content[: len(answer.content) // 2]
    return FakeAnswer(answer.status_code, {}, text)


@dataclass
class Shop:
    """A merchant's day before the faults: money that came, whole or in part, failed payouts, an endpoint to pull."""

    plain: Causeway
    paid: str = ""
    pulled: str = ""
    settled: deque[str] = field(default_factory=deque)
    partial: deque[str] = field(default_factory=deque)
    failed: deque[str] = field(default_factory=deque)

    def open(self, service: Embedded, cells: int) -> None:
        """Let everything arrive that the cells need, each once."""
        self.failed.extend(failed_payouts(service, self.plain, cells))
        for endpoint in self.plain.webhook_endpoints.list():
            self.plain.webhook_endpoints.delete(endpoint.id)
        self.pulled = self.plain.webhook_endpoints.create(kind="pull", events=["ping"]).id
        self.paid = self.intent("1000.00", "settle")
        self.settled.extend(self.intent("9.00", "settle") for _ in range(cells))
        self.partial.extend(self.intent("9.00", "partial") for _ in range(cells))
        for one in (self.paid, *self.settled):
            self.plain.payment_intents.wait(one, until="settled", timeout=PATIENCE_SECONDS)
        for one in self.partial:
            self.plain.payment_intents.wait(one, until="partially_filled", timeout=PATIENCE_SECONDS)

    def intent(self, amount: str = "5.00", scenario: str | None = None) -> str:
        made = self.plain.payment_intents.create(amount=amount).id
        if scenario:
            self.plain.test_helpers.pay_payment_intent(made, scenario=scenario)
        return made

    def refund(self) -> str:
        return self.plain.refunds.create(intent_id=self.paid, amount_usd="0.50").id

    def delivery(self) -> dict[str, Any]:
        self.plain.test_helpers.trigger_event(type="ping")
        [given] = self.plain.webhook_endpoints.pull_deliveries(self.pulled, limit=1, wait=20).data
        return {"delivery_id": given.delivery_id, "attempt": given.attempt}

    def delivered(self) -> str:
        self.plain.webhook_endpoints.answer_delivery(self.pulled, **self.delivery(), status=200)
        first = self.plain.webhook_endpoints.list_deliveries(self.pulled, status="delivered").first()
        assert first is not None
        return first.id

    def payments(self, payout: str) -> int:
        """How often it was sent after it failed, once it is paid."""
        return self.plain.payouts.wait(payout, until="paid", timeout=PATIENCE_SECONDS).attempts - 1

    def endpoint(self) -> str:
        """One of its own for each test of a receiver: they rest a minute in between."""
        return self.plain.webhook_endpoints.create(url=f"http://localhost:8443/{mark(self)}", events=["ping"]).id

    def tests(self, endpoint: str) -> int:
        """Whether its receiver is tested, and nothing of it is left."""
        found = self.plain.webhook_endpoints.get_certificate(endpoint)
        self.plain.webhook_endpoints.delete(endpoint)
        return int(found.endpoint_id == endpoint)

    def endpoints(self, mark: str) -> int:
        found = [one.id for one in self.plain.webhook_endpoints.list() if (one.url or "").endswith(mark)]
        for one in found:
            self.plain.webhook_endpoints.delete(one)
        return len(found)


@dataclass(frozen=True)
class Post:
    """What a call needs first, the call, and how many of what it makes are found; one replay counts where none is."""

    first: Callable[[Shop], Any]
    call: Callable[[Any, Shop, Any], Callable[..., Any]]
    found: Callable[[Shop, Any], int] = lambda _shop, _given: 1


def mark(_: Shop) -> str:
    return f"mark-{next(MARKS)}"


POSTS: dict[str, Post] = {
    "payment_intents.create": Post(
        mark,
        lambda of, _, given: partial(of.payment_intents.create, amount="7.29", reference=given),
        lambda shop, given: len(list(shop.plain.payment_intents.list(reference=given))),
    ),
    "payment_intents.cancel": Post(Shop.intent, lambda of, _, given: partial(of.payment_intents.cancel, given)),
    "payment_intents.accept_partial": Post(
        lambda shop: shop.partial.popleft(), lambda of, _, given: partial(of.payment_intents.accept_partial, given)
    ),
    "payouts.replay": Post(
        lambda shop: shop.failed.popleft(), lambda of, _, given: partial(of.payouts.replay, given), Shop.payments
    ),
    "refunds.create": Post(
        mark,
        lambda of, shop, given: partial(of.refunds.create, intent_id=shop.paid, amount_usd="0.29", reason=given),
        lambda shop, given: sum(one.reason == given for one in shop.plain.refunds.list(payment_intent_id=shop.paid)),
    ),
    "refunds.to_payers": Post(
        lambda shop: shop.settled.popleft(),
        lambda of, _, given: partial(of.refunds.to_payers, intent_id=given),
        lambda shop, given: len(list(shop.plain.refunds.list(payment_intent_id=given))),
    ),
    "refunds.set_destination": Post(
        Shop.refund, lambda of, _, given: partial(of.refunds.set_destination, given, destination=ADDRESS)
    ),
    "refunds.cancel": Post(Shop.refund, lambda of, _, given: partial(of.refunds.cancel, given)),
    "test_helpers.pay_payment_intent": Post(
        Shop.intent, lambda of, _, given: partial(of.test_helpers.pay_payment_intent, given)
    ),
    "test_helpers.trigger_event": Post(
        mark, lambda of, _shop, _: partial(of.test_helpers.trigger_event, type="payment_intent.settled")
    ),
    "test_helpers.advance_clock": Post(mark, lambda of, _shop, _: partial(of.test_helpers.advance_clock, seconds=1)),
    "webhook_endpoints.create": Post(
        mark,
        lambda of, _, given: partial(
            of.webhook_endpoints.create, url=f"http://localhost:8443/{given}", events=["ping"]
        ),
        Shop.endpoints,
    ),
    "webhook_endpoints.rotate_secret": Post(
        mark, lambda of, shop, _: partial(of.webhook_endpoints.rotate_secret, shop.pulled)
    ),
    "webhook_endpoints.certify": Post(
        Shop.endpoint, lambda of, _, given: partial(of.webhook_endpoints.certify, given), Shop.tests
    ),
    "webhook_endpoints.recover": Post(
        lambda _: now() - timedelta(seconds=60),
        lambda of, shop, given: partial(of.webhook_endpoints.recover, shop.pulled, since=given),
    ),
    "webhook_endpoints.answer_delivery": Post(
        Shop.delivery,
        lambda of, shop, given: partial(of.webhook_endpoints.answer_delivery, shop.pulled, **given, status=200),
    ),
    "webhook_endpoints.resend_delivery": Post(
        Shop.delivered, lambda of, shop, given: partial(of.webhook_endpoints.resend_delivery, shop.pulled, given)
    ),
}
"""Every POST of a merchant."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with (
        embedded(tmp_path_factory.mktemp("embedded"), own_port(), RATE_LIMIT_SCALE="1000") as running,
        Causeway(running.demo["test_secret_key"], running.base_url, max_retries=4) as plain,
    ):
        opened = Shop(plain)
        opened.open(running, 2 * len(FAULTS))
        yield opened


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def rest(seconds: float) -> None:
        await let_others_run(min(seconds, LONGEST_PAUSE))

    monkeypatch.setattr(_http, "pause", lambda seconds: pause(min(seconds, LONGEST_PAUSE)))
    monkeypatch.setattr(_http, "async_pause", rest)


def asked(shop: Shop, post: Post, given: Any, steps: list[str], key: str, *, awaited: bool) -> tuple[Any, list[str]]:
    """What a call under a fault answers, and the keys of its tries."""
    secret = shop.plain._sender._secret.headers({})["Authorization"].removeprefix("Bearer ")
    if not awaited:
        with httpx2.Client() as inner:
            broken = Broken(inner, steps)
            client = Causeway(secret, shop.plain.base_url, max_retries=4, http_client=broken)
            return post.call(client, shop, given)(idempotency_key=key), broken.keys

    async def ask() -> tuple[Any, list[str]]:
        async with httpx2.AsyncClient() as inner:
            broken = AsyncBroken(inner, steps)
            client = AsyncCauseway(secret, shop.plain.base_url, max_retries=4, http_client=broken)
            return await post.call(client, shop, given)(idempotency_key=key), broken.keys

    return asyncio.run(ask())


def effects(shop: Shop, post: Post, fault: str, *, awaited: bool) -> Any:
    """How many effects a cell left, or in words what else went wrong."""
    given, key = post.first(shop), f"key-{next(MARKS)}"
    answer, keys = asked(shop, post, given, list(FAULTS[fault]), key, awaited=awaited)
    if set(keys) != {key} or len(keys) <= len(FAULTS[fault]):
        return f"{set(keys)} in {len(keys)} tries"
    again = post.call(shop.plain, shop, given)(idempotency_key=key)
    if again.raw is None or not again.raw.is_replay:
        return "done again"
    return post.found(shop, given) if again == answer else f"another answer: {again.to_dict()} {answer.to_dict()}"


def test_every_post_that_takes_a_key_is_here() -> None:
    assert POSTS.keys() == posts()


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("name", POSTS)
def test_each_fault_of_a_network_leaves_one_effect(
    shop: Shop, name: str, awaited: bool, record_property: Callable[[str, object], None]
) -> None:
    table = {fault: effects(shop, POSTS[name], fault, awaited=awaited) for fault in FAULTS}
    wrong = {fault: found for fault, found in table.items() if found != 1}
    record_property("cells", len(table))
    record_property("wrong", len(wrong))
    assert wrong == {}
    assert len(table) == 12
