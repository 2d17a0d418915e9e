"""Decided lines that are shown nowhere else: most are figures, words and paths, which the code alone cannot hold.

Among them: each code that can be answered is explained in docs/guides/errors.md, with its status, and nothing else is.
"""

import re
import uuid
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import get_resolver

from chains.rails.base import RailName
from chains.transfers import DISPATCH_BACKOFF
from checkout.qr import drawn
from core.buckets import Limit
from core.errors import ServiceError
from core.modes import Mode
from core.outbound.answers import TOTAL_SECONDS
from core.outbound.client import CONNECT_SECONDS
from core.throttling import PUBLIC_LIMITS
from mcp.views.endpoint import CALL_LIMITS
from merchants import throttling
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payments.views.intents import PaymentIntentViewSet
from payouts.views import PayoutViewSet
from refunds.views import RefundViewSet
from tests.clauses.report import DOCS
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payments import settlement_profile
from tests.merchants.people import proven, text_of
from tests.payments.payer import Payer
from tests.payments.world import World, create
from tokens.selectors import simulated_usd_price
from webhooks.views import WebhookEndpointViewSet

PAGE = DOCS / "guides" / "errors.md"
ROW = re.compile(r'^\| (\d{3}) \| (?:<a id="\w+"></a>)?`(\w+)` \|', re.MULTILINE)
ANCHOR = re.compile(r'^\| \d{3} \| <a id="(\w+)"></a>`(\w+)` \|', re.MULTILINE)
NEVER_ANSWERED = frozenset({"conflict"})
"""Roots of other refusals, which carry codes of their own."""
ADDED = {
    *("insufficient_scope", "origin_not_allowed", "address_not_allowed", "merchant_suspended"),
    *("role_not_allowed", "attempt_of_another_browser", "refund_claim_not_payer", "refund_claim_exceeds_payment"),
    *("agents_paused", "approval_denied", "connection_ended", "limit_exceeded"),
}
"""Refusals of restricted keys, suspended merchants, people, browsers, payers' wallets and agents: of no endpoint."""
SENTENCES = {
    "guides/webhooks.md": "and fulfil **once per intent**",
    "money-out.md": "**Nothing. Exactly once is not claimed.**",
    "live.md": "`JUPITER_FEE_WALLET` | The most a swap may lose; your own fee on swaps and bridges",
    "../scripts/install-dependencies.sh": "apt-get install python3-venv",
}


def a_second(count: int) -> Limit:
    return Limit(count=count, window_seconds=1)


def a_minute(count: int) -> Limit:
    return Limit(count=count, window_seconds=60)


@pytest.mark.spec("Rulings B12.2; Contract 11.2")
def test_the_waits_of_what_is_tried_again() -> None:
    assert (DISPATCH_BACKOFF.delays_seconds, DISPATCH_BACKOFF.attempts) == ((30, 120, 600, 1800, 7200, 21600), 7)
    assert (TOTAL_SECONDS, CONNECT_SECONDS) == (10, 5)


@pytest.mark.spec("Contract 13.1")
def test_how_often_one_may_ask() -> None:
    assert {Mode.LIVE: (a_second(100),), Mode.TEST: (a_second(25),)} == throttling.MERCHANT_LIMITS
    creates = {Mode.LIVE: (a_second(25), a_minute(600)), Mode.TEST: (a_second(25), a_minute(300))}
    assert PaymentIntentViewSet.throttle_action_limits == {"create": creates}
    assert RefundViewSet.throttle_action_limits == {"create": (a_second(5),)}
    assert PayoutViewSet.throttle_action_limits == {"replay": (a_second(5),)}
    assert WebhookEndpointViewSet.throttle_action_limits == {"rotate_secret": (a_second(5),)}
    assert ((a_second(10),), (a_minute(120),)) == (CALL_LIMITS, throttling.CHECKOUT_LIMITS)
    assert throttling.RefundStatusThrottle.limits == (a_minute(120),)
    assert (a_minute(60),) == PUBLIC_LIMITS


@pytest.mark.spec("Rulings B12.1")
def test_the_words_of_rails() -> None:
    assert {name.value for name in RailName} == {"direct", "evm", "solana", "merchant_wallet", "simulated"}


def refusals(of: type[ServiceError] = ServiceError) -> Iterator[type[ServiceError]]:
    """Every kind of refusal there is, once all doors have been read."""
    yield of
    for kind in of.__subclasses__():
        yield from refusals(kind)


def answered() -> set[tuple[str, str]]:
    assert get_resolver().url_patterns
    ours = (kind for kind in refusals() if not kind.__module__.startswith("tests."))
    return {(str(kind.http_status), kind.code) for kind in ours if kind.code not in NEVER_ANSWERED}


@pytest.mark.spec("Contract 21.13")
@pytest.mark.spec("Errors: codes (not shown)")
@pytest.mark.spec("Contract 0.7")
def test_every_code_is_explained_and_two_statuses_stand_for_one_thing() -> None:
    """Both codes of 422 say that a balance is too small: for one refund, and for the shares of several payers."""
    assert set(ROW.findall(PAGE.read_text(encoding="utf-8"))) == answered()
    codes = defaultdict(set)
    for status, code in answered():
        codes[status].add(code)
    assert codes["422"] == {"refund_exceeds_balance", "refund_shares_exceed_balance"}
    assert codes["403"] == ADDED


def test_every_code_has_one_place_that_its_answers_lead_to() -> None:
    page = PAGE.read_text(encoding="utf-8")
    places = ANCHOR.findall(page)
    assert page.count("<a id=") == len(places)
    assert [name for name, code in places if name != code] == []
    assert sorted(name for name, _ in places) == sorted({code for _, code in answered()})


@pytest.mark.spec("Contract 1.1; Contract 1.6; Contract 21.8")
def test_ids_and_times(world: World, api: ApiClient) -> None:
    world.wait(1.2345678)
    intent = create(api)
    assert str(uuid.UUID(intent["id"], version=4)) == intent["id"]
    assert (intent["created_at"], intent["expires_at"]) == ("2026-05-04T12:00:01.234Z", "2026-05-04T12:30:01.234Z")
    row = PaymentIntent.objects.get(pk=intent["id"])
    assert row.created_at - row.created_at.replace(microsecond=0) == timedelta(milliseconds=234)


@pytest.mark.spec("Rulings B10.1")
def test_there_is_no_event_stream(api: ApiClient, anonymous: ApiClient) -> None:
    reply = anonymous.get(f"/checkout/{create(api)['id']}/events", Accept="text/event-stream")
    assert_refused(reply, 404, "not_found")


@pytest.mark.spec("Rulings C15.1")
def test_codes_to_scan_lead_to_pages(api: ApiClient) -> None:
    intent = create(api)
    page = Client().get(f"/checkout/{intent['id']}").content.decode()
    assert re.findall(r'data-testid="qr">(.*?)</div>', page, re.DOTALL) == [drawn(intent["checkout_url"])]


@pytest.mark.spec("Rulings B10.3; Rulings C10.5; Rulings D5.4; Rulings D9.2")
def test_what_the_documents_must_say() -> None:
    pages: dict[str, Any] = {name: (DOCS / name).read_text(encoding="utf-8") for name in SENTENCES}
    assert [name for name, sentence in SENTENCES.items() if sentence not in " ".join(pages[name].split())] == []


@pytest.mark.spec("Rulings C13.4")
def test_what_the_pages_must_recommend(account: NewMerchant) -> None:
    settlement_profile(account.merchant, chain="base", token="USDC")
    shown = text_of(proven(factor=True).get("/dashboard/live/settings/"))
    words = "Whoever holds your secret key can make payments that settle elsewhere. We recommend to turn this on."
    assert words in shown


@pytest.mark.spec("Rulings A7.1")
def test_a_price_that_moves_leaves_the_target_where_it_was(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ether falls to half its price between two quotes: the merchant gets as much of it as the first one said."""
    payer = Payer.of(create(api, settlement_token="ETH"))
    first = payer.quote(world, "base", "USDC")

    def fallen(symbol: str) -> Decimal:
        return simulated_usd_price(symbol) / (2 if symbol == "ETH" else 1)

    monkeypatch.setattr("payments.routing.assets.simulated_usd_price", fallen)
    later = [payer.quote(world, chain, "USDC") for chain in ("polygon", "base")]
    assert {quote["merchant_gets_at_least"] for quote in later} == {first["merchant_gets_at_least"]}
    another = Payer.of(create(api, settlement_token="ETH")).quote(world, "polygon", "USDC")
    assert another["merchant_gets_at_least"] != first["merchant_gets_at_least"]


@pytest.mark.spec("Contract 20.1")
@pytest.mark.django_db
def test_without_its_database_it_is_unavailable(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def cursor(self) -> object:
            raise OperationalError("password=hunter2")

    monkeypatch.setattr("operations.readiness.connection", Gone())
    reply = anonymous.get("/api/public/health")
    assert (reply.status, set(reply.body), reply.body["status"]) == (503, {"status", "ts"}, "unavailable")
    assert b"hunter2" not in reply.raw
