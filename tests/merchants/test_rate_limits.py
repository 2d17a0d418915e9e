"""How often one may ask: tokens flow back, bursts pass, and the answer says when to come again."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from core import rate_limits
from core.buckets import Bucket, MemoryBuckets, Verdict
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.world import World

pytestmark = [pytest.mark.usefixtures("default_limits"), pytest.mark.slow]


@pytest.fixture
def default_limits() -> Any:
    with override_settings(RATE_LIMIT_SCALE=1.0):
        rate_limits.forget()
        yield


def numbers(reply: Reply) -> tuple[int, int, int]:
    limit, remaining, reset = (reply.headers[f"RateLimit-{name}"] for name in ("Limit", "Remaining", "Reset"))
    return int(limit), int(remaining), int(reset)


def ask(client: ApiClient, times: int, method: str, path: str, body: object = None) -> list[Reply]:
    return [client.send(method, path, body) for _ in range(times)]


@pytest.mark.spec("Contract 5.18; Contract 13.4")
@pytest.mark.spec("Errors: 429 create intent rate limited")
def test_creates_are_limited(api: ApiClient, live_api: ApiClient, other_api: ApiClient) -> None:
    """Modes and merchants are counted apart, and what is refused leaves nothing."""
    assert {reply.status for reply in ask(api, 25, "POST", "/payment-intents", {"amount": 1})} == {201}
    before = all_rows()
    refused = api.post("/payment-intents", {"amount": 1}, Idempotency_Key="k")
    assert_refused(refused, 429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    limits = {"limit": 25, "window_seconds": 1, "retry_after_seconds": 1, "scope": "merchant"}
    assert refused.body["details"] == limits
    assert numbers(refused) == (25, 0, 1)
    assert all_rows() == before
    assert (live_api.get("/payment-intents").status, other_api.get("/payment-intents").status) == (200, 200)
    assert numbers(live_api.get("/payment-intents"))[0] == 100


def test_creates_count_for_everything_and_what_was_used_flows_back(world: World, api: ApiClient) -> None:
    ask(api, 24, "POST", "/payment-intents", {"amount": 1})
    asked = ask(api, 2, "GET", "/payment-intents")
    assert [(reply.status, numbers(reply)[1]) for reply in asked] == [(200, 0), (429, 0)]
    world.wait(0.5)
    assert [reply.status for reply in ask(api, 13, "GET", "/payment-intents")] == [200] * 12 + [429]


@pytest.mark.spec("Contract 13.2")
def test_every_answer_says_what_is_left_and_an_unknown_key_costs_nobody_anything(api: ApiClient) -> None:
    assert {ApiClient("sk_test_unknown").get("/payment-intents").status for _ in range(30)} == {401}
    replies = [
        api.get("/payment-intents"),
        api.get("/payment-intents/x"),
        api.get("/payment-intents?limit=0"),
        api.post("/payment-intents", {"amount": 0}),
        api.send("DELETE", "/payment-intents"),
    ]
    assert [reply.status for reply in replies] == [200, 404, 400, 400, 405]
    assert [numbers(reply)[:2] for reply in replies] == [(25, left) for left in (24, 23, 22, 21, 20)]


def test_rotations_are_limited_more(api: ApiClient) -> None:
    body = {"url": "https://a.example/x", "events": ["*"]}
    path = f"/webhook-endpoints/{api.post('/webhook-endpoints', body).body['id']}/rotate-secret"
    *passed, refused = ask(api, 6, "POST", path)
    assert [reply.status for reply in (*passed, refused)] == [200] * 5 + [429]
    assert refused.body["details"]["limit"] == 5
    assert api.get("/webhook-endpoints").status == 200


@pytest.mark.spec("Contract 13.1")
@pytest.mark.parametrize(("path", "limit"), [("/tokens", 60), ("/api/public/health/ready", 60), ("/checkout/x", 120)])
@pytest.mark.django_db
def test_strangers_are_counted_by_address(path: str, limit: int, anonymous: ApiClient) -> None:
    *passed, refused = ask(anonymous, limit + 1, "GET", path)
    assert 429 not in {reply.status for reply in passed}
    assert_refused(refused, 429, "rate_limited")
    assert (refused.body["details"]["limit"], refused.body["details"]["window_seconds"]) == (limit, 60)


@pytest.mark.django_db
def test_a_forwarded_address_counts_only_behind_a_proxy(anonymous: ApiClient) -> None:
    def left(**headers: str) -> int:
        return numbers(anonymous.get("/tokens", **headers))[1]

    first = left()
    assert left(X_Forwarded_For="203.0.113.9") == first - 1
    with override_settings(BEHIND_PROXY=True):
        assert left(X_Forwarded_For="203.0.113.9") == first
        assert left(X_Forwarded_For="1.1.1.1, 203.0.113.9") == first - 1
        assert left(X_Forwarded_For="203.0.113.10") == first
        assert left(X_Forwarded_For="2001:db8::1") == first
        assert left(X_Forwarded_For="2001:db8::ffff:2") == first - 1
        assert left(X_Forwarded_For="2001:db8:0:1::1") == first
        assert left(X_Forwarded_For="::ffff:203.0.113.10") == first - 1
        assert left(X_Forwarded_For="nonsense\x00") == first


@pytest.mark.spec("Rulings B5.1")
def test_the_scale_moves_every_limit_but_never_to_nothing(api: ApiClient) -> None:
    for scale, limit in {1000.0: 25_000, 2.0: 50, 0.1: 2, 0.001: 1}.items():
        rate_limits.forget()
        with override_settings(RATE_LIMIT_SCALE=scale):
            reply = api.get("/payment-intents")
        assert (reply.status, numbers(reply)[0]) == (200, limit)


NOBODYS = UUID(int=7)


ACTIONS = (
    "/payment-intents",
    f"/payment-intents/{NOBODYS}/cancel",
    "/refunds",
    f"/payouts/{NOBODYS}/replay",
    f"/webhook-endpoints/{NOBODYS}/rotate-secret",
)


class Noting(MemoryBuckets):
    """Remembers which buckets were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[Bucket] = set()

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take a token from each."""
        self.asked.update(wanted)
        return super().take(wanted)


def _asked(monkeypatch: pytest.MonkeyPatch, client: ApiClient, path: str) -> set[Bucket]:
    buckets = Noting()
    for store in ("buckets", "shared"):
        monkeypatch.setattr(f"core.rate_limits.{store}", lambda: buckets)
    assert client.post(path, {}).status in {400, 404}
    return buckets.asked


def test_no_bucket_is_asked_by_both_modes(
    monkeypatch: pytest.MonkeyPatch, api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    """Why by the buckets: where both have the same limit, a token flows back within 40 ms and hides it."""
    for path in ACTIONS:
        with monkeypatch.context() as patch:
            test, live, other = (_asked(patch, client, path) for client in (api, live_api, other_api))
        assert len(test) == len(live) == len(other) >= 1
        assert test & live == test & other == set(), path
