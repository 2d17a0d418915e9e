"""One payment's page: its money, what may be done, one timeline of everything around it, and accepting what arrived."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.money import usd
from dashboard.cards import PaymentAction, TimelineLine
from dashboard.payments.chain_lines import LEG
from dashboard.payments.steps import STEPS
from dashboard.payments.timeline import KINDS, MOST
from dashboard.payments.tries import TRY
from dashboard.payments.words import STATUS
from merchants.models import Merchant, Role
from payments.models import IntentTransition, PaymentAttempt, PaymentIntent, RouteCandidate
from payments.states import INTENT_MACHINE, AttemptStatus, IntentStatus, LegStatus
from tests.conftest import ApiClient
from tests.factories.payments import BOBS_EVM, credit
from tests.factories.refunds import paid_intent, paid_leg
from tests.merchants.people import add_member, send_form, sign_in, text_of
from tests.payments.dashboard.stored import NOON, stored_intent
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, events, pay
from webhooks.models import Delivery, Event, WebhookEndpoint

pytestmark = pytest.mark.slow
LINE = re.compile(r'<li data-kind="(\w+)"(?: data-tone="(\w+)")?>(.*?)</li>', re.S)
MOST_QUERIES = 18


def path_of(intent: PaymentIntent | dict[str, Any], mode: str = "test") -> str:
    key = intent["id"] if isinstance(intent, dict) else intent.pk
    return f"/dashboard/{mode}/payments/{key}/"


def lines_of(page: str) -> list[tuple[str, str]]:
    """Kind and words of each line of the timeline, in its order."""
    inside = page.partition('<ol class="timeline"')[2].partition("</ol>")[0]
    return [(kind, " ".join(re.sub(r"<[^>]+>", " ", words).split())) for kind, _, words in LINE.findall(inside)]


def attempt(intent: PaymentIntent, number: int, **fields: Any) -> PaymentAttempt:
    both = {"merchant_id": intent.merchant_id, "mode": intent.mode, "number": number, "status": "abandoned"}
    facts: dict[str, Any] = {"family": "evm", "payer_address": BOBS_EVM, "chain": "base", "token": "USDC"}
    facts |= {**both, "created_at": NOON + timedelta(seconds=number)}
    made: PaymentAttempt = PaymentAttempt.objects.create(intent=intent, **facts | fields)
    return made


def candidate(tried: PaymentAttempt, **fields: Any) -> RouteCandidate:
    both = {"merchant_id": tried.merchant_id, "mode": tried.mode, "intent_id": tried.intent_id, "provider": "atlas"}
    facts = {"chosen": False, "ai_pick": False, "score": "50.5", "duration_sec": 149, **both}
    facts |= {"from_chain": "ethereum", "to_chain": "base", "from_token": "USDC", "to_token": "USDC"}
    facts |= {"to_amount_usd": usd("25"), "fee_usd": usd("0.10"), "gas_usd": usd("1.25")}
    made: RouteCandidate = RouteCandidate.objects.create(attempt=tried, **facts | fields)
    return made


def happened(intent: PaymentIntent, number: int, minutes: int = 0, **fields: Any) -> Event:
    both = {"merchant_id": intent.merchant_id, "mode": intent.mode, "resource_type": "payment_intent"}
    facts = {"id": f"evt_{number:032d}", "type": f"payment_intent.made_{number}", "sequence": number, "payload": "{}"}
    times = {"occurred_at": NOON + timedelta(minutes=minutes), "kept_until": NOON}
    made: Event = Event.objects.create(resource_id=intent.pk, **both | facts | times | fields)
    return made


def test_a_paid_payment_tells_its_whole_story(world: World, api: ApiClient, owner: Client) -> None:
    """The timeline can be narrowed by links."""
    intent = create(api, reference="A-1", customer_email="ann@payer.example", metadata={"order": "17"})
    pay(api, intent)
    world.run()
    page = text_of(owner.get(path_of(intent)))
    assert page.index("Where is the money?") < page.index("Figures") < page.index("What happened")
    for words in ("$25.00", ">Paid<", "A-1", "ann@payer.example", "order", "17", f"/checkout/{intent['id']}"):
        assert words in page
    told = lines_of(page)
    for kind, words in (
        ("payment", "The payment was created by API key …"),
        ("route", "Try 1 with"),
        ("route", "Every route that was weighed"),
        ("chain", "Transaction 1, a transfer on Base"),
        ("chain", "arrived"),
        ("payment", "Paid in full by Causeway"),
        ("webhook", "Event payment_intent.settled"),
    ):
        assert any(kind == one and words in line for one, line in told), (kind, words, told)
    assert "&quot;amount_received&quot;: &quot;25.00&quot;" in page
    assert {kind for kind, _ in told} == {"payment", "route", "chain", "webhook"}
    for kind in KINDS:
        assert f"?kind={kind}#timeline" in page
        narrowed = lines_of(text_of(owner.get(path_of(intent), {"kind": kind})))
        assert len(narrowed) == len([one for one in told if one[0] == kind])
        assert kind == "route" or set(narrowed) <= set(told)
    for nonsense in ({"kind": "x"}, {"before": "yesterday"}, {"before": "0001-01-01T00:00:00+23:59"}):
        assert owner.get(path_of(intent), nonsense).status_code == 200


def test_routes_are_told_with_their_reasons(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    tried = attempt(intent, 1, route_reason="Cheapest", pay_usd=usd("26.35"))
    candidate(tried, chosen=True, provider="meridian", reason="Cheapest", score="90")
    candidate(tried, reason="Works, but 1.40 USD more")
    candidate(tried, provider="comet", error="NO_LIQUIDITY", score="0")
    page = text_of(owner.get(path_of(intent), {"kind": "route"}))
    assert "3 routes weighed" in page
    assert page.index("meridian") < page.index("atlas") < page.index("comet")
    for words in ("$0.10", "$1.25 network", "2 min 29 s", "Works, but 1.40 USD more", "No liquidity", "$26.35"):
        assert words in page


def test_every_turn_of_a_credit_is_told(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    later = [NOON + timedelta(minutes=number) for number in range(1, 9)]
    credit(intent, 10_000_000, block_time=NOON, observed_at=later[0], final_at=later[1], finalized_at=later[2])
    credit(intent, 20_000_000, block_time=NOON, observed_at=later[3], reversed_at=later[4])
    credit(intent, 30_000_000, block_time=NOON, observed_at=later[5], final_at=later[6], vanished_at=later[7])
    credit(intent, 40_000_000, block_time=NOON, observed_at=NOON, late=True)
    credit(intent, 50, block_time=NOON, observed_at=NOON, purpose="stray", token_address="0xstray")
    told = " ".join(line for _, line in lines_of(text_of(owner.get(path_of(intent)))))
    expected = ["10 USDC counts now", "10 USDC is final", "20 USDC is gone again", "40 USDC arrived after expiry"]
    expected += ["30 USDC vanished after it had counted", "Another token (50 base units of 0xstray)"]
    assert [words for words in expected if words not in told] == []


def test_only_real_transactions_have_explorer_links(owner: Client, merchant: Merchant) -> None:
    real, play = paid_intent(merchant), paid_intent(merchant, mode="test")
    for intent in (real, play):
        paid_leg(intent, submitted_at=NOON, confirmed_at=NOON)
    assert "https://basescan.org/tx/0xabab" in text_of(owner.get(path_of(real, "live")))
    assert "basescan.org" not in text_of(owner.get(path_of(play)))


def test_deliveries_are_told_once_per_event(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    both = {"merchant": merchant, "mode": "test"}
    first, second = (
        WebhookEndpoint.objects.create(url=f"https://{name}.example/hook", events=["*"], **both) for name in "ab"
    )
    for number, outcomes in enumerate((["delivered", "delivered"], ["delivered", "exhausted"], ["due"], []), 1):
        event = happened(intent, number, number)
        for endpoint, outcome in zip((first, second), outcomes, strict=False):
            due = NOON if outcome == "due" else None
            facts = {"event": event, "endpoint": endpoint, "outcome": outcome, "next_attempt_at": due}
            Delivery.objects.create(attempts=3, **facts, **both)
    told = [line for kind, line in lines_of(text_of(owner.get(path_of(intent)))) if kind == "webhook"]
    expected = ("went to no endpoint", "Delivered to 0 of 1", "Not delivered to 1 of 2", "Delivered to all 2 endpoints")
    assert [words in line for words, line in zip(expected, told, strict=True)] == [True] * 4
    assert "https://b.example/hook" in told[2]
    assert "given up, 3 attempts" in told[2]


def test_a_long_story_comes_in_pages_that_leave_nothing_out(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    facts = {"subject": intent, "trigger": "quote", "from_status": "quoted", "to_status": "quoted", "actor": "payer"}
    IntentTransition.objects.bulk_create(
        IntentTransition(reason=f"step {n} of many", created_at=NOON + timedelta(seconds=n // 3), **facts)
        for n in range(450)
    )
    seen: list[str] = []
    older: list[str] = [""]
    while older:
        page = text_of(owner.get(path_of(intent) + older[0]))
        seen += re.findall(r"Step (\d+) of many", page)
        assert len(lines_of(page)) <= MOST + 3
        older = re.findall(r'rel="next" href="[^"?]*(\?before=[^"#]+)', page)
    assert sorted(map(int, seen)) == list(range(450))


def test_the_number_of_queries_does_not_grow(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    owner.get(path_of(intent))
    with CaptureQueriesContext(connection) as few:
        owner.get(path_of(intent))
    fill(intent)
    with CaptureQueriesContext(connection) as many:
        owner.get(path_of(intent))
    with CaptureQueriesContext(connection) as routes:
        page = text_of(owner.get(path_of(intent), {"kind": "route"}))
    assert "6 routes weighed" in page
    assert len(routes) <= MOST_QUERIES
    assert len(few) <= len(many) <= MOST_QUERIES, [query["sql"][:120] for query in many.captured_queries]


def fill(intent: PaymentIntent) -> None:
    """Fifty tries with six routes each, and two hundred deliveries."""
    both = {"merchant_id": intent.merchant_id, "mode": intent.mode}
    tries = [attempt(intent, number) for number in range(1, 51)]
    for tried in tries:
        for _ in range(6):
            candidate(tried)
        paid_leg(intent, attempt=tried, submitted_at=tried.created_at)
    credit(intent, 1, block_time=NOON)
    endpoints = [WebhookEndpoint.objects.create(url=f"https://{n}.example/", events=["*"], **both) for n in range(10)]
    for number in range(20):
        event = happened(intent, number + 1)
        for endpoint in endpoints:
            Delivery.objects.create(event=event, endpoint=endpoint, outcome="delivered", **both)
    for actor in (f"user:{number}" for number in range(1, 6)):
        IntentTransition.objects.create(subject=intent, trigger="quote", to_status="quoted", actor=actor)
        IntentTransition.objects.create(subject=intent, trigger="quote", to_status="quoted", actor=f"key:{actor[5:]}")


@pytest.mark.spec("Rulings B8.2")
def test_other_apps_add_lines_and_actions(owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    intent = stored_intent(merchant)
    line = TimelineLine(at=NOON, kind="refund", what="A refund was made", by=f"user:{10**17}", facts=(("Amount", "5"),))
    monkeypatch.setattr("dashboard.refunds.story.story_of_payment", lambda visit, pk: [line])
    action = PaymentAction(label="Dance", url="/dance/")
    monkeypatch.setattr("dashboard.payments.payment.refund_button", lambda visit, pk: [action])
    page = text_of(owner.get(path_of(intent)))
    assert '<a class="button" href="/dance/">Dance</a>' in page
    assert ("refund", True) in [(kind, "by somebody who left the team" in words) for kind, words in lines_of(page)]


def test_viewers_see_the_money_and_not_the_payer(merchant: Merchant) -> None:
    add_member(merchant, "viewer@shop.example", Role.VIEWER)
    intent = stored_intent(merchant, customer_email="ann@payer.example", metadata={"order": "secret-17"})
    page = text_of(sign_in("viewer@shop.example").get(path_of(intent)))
    assert "$25.00" in page
    assert [one for one in ("ann@payer.example", "secret-17", "customer_email", "cancel/") if one in page] == []


def test_cancelling_asks_first(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    offered = text_of(owner.get(path_of(intent)))
    assert ("cancel/" in offered, "accept/" in offered) == (True, False)
    asks = text_of(owner.get(f"{path_of(intent)}cancel/"))
    assert "Cancel this payment of $25.00?" in asks
    assert f"/payment-intents/{intent.pk}/cancel" in asks
    assert PaymentIntent.objects.get().status == "requires_payment"
    assert send_form(owner, f"{path_of(intent)}cancel/").headers["Location"] == path_of(intent)
    assert PaymentIntent.objects.get().status == "cancelled"
    page = text_of(owner.get(path_of(intent)))
    assert "The payment was cancelled by" in " ".join(line for _, line in lines_of(page))
    assert "owner@shop.example" in page
    paid = stored_intent(merchant, status="executing")
    assert "cancel/" not in text_of(owner.get(path_of(paid)))
    assert "cannot be cancelled" in text_of(owner.get(f"{path_of(paid)}cancel/"))
    send_form(owner, f"{path_of(paid)}cancel/", at="/dashboard/test/")
    assert PaymentIntent.objects.get(pk=paid.pk).status == "executing"


def test_nothing_is_without_words() -> None:
    assert set(STEPS) == {"create", *(row.trigger for row in INTENT_MACHINE.transitions)}
    assert set(STATUS) == set(IntentStatus)
    assert set(TRY) == set(AttemptStatus)
    assert set(LEG) == set(LegStatus)


def test_accepting_asks_first(world: World, api: ApiClient, merchant: Merchant, owner: Client) -> None:
    """A second press settles once. Who may not move money is not offered it."""
    intent = intent_in(world, api, "partially_filled")
    told, here = events(intent), path_of(intent)
    for role in (Role.DEVELOPER, Role.SUPPORT, Role.VIEWER):
        add_member(merchant, f"{role}@shop.example", role)
        assert "accept/" not in text_of(sign_in(f"{role}@shop.example").get(here)), role
    assert "Accept what arrived" in text_of(owner.get(here))
    asks = " ".join(text_of(owner.get(f"{here}accept/")).split())
    assert "$15.00 of $25.00 arrived; $10.00 is missing." in asks
    assert f"/payment-intents/{intent['id']}/accept-partial" in asks
    PaymentIntent.objects.get().legs.update(status="in_doubt")
    assert "More of this payment is on its way" in text_of(owner.get(f"{here}accept/"))
    send_form(owner, f"{here}accept/", at="/dashboard/test/")
    assert PaymentIntent.objects.get().status == "partially_filled"
    PaymentIntent.objects.get().legs.update(status="confirmed")
    assert send_form(owner, f"{here}accept/").headers["Location"] == here
    for _ in range(2):
        assert (PaymentIntent.objects.get().status, events(intent)) == ("settled", [*told, "settled"])
        page = text_of(owner.get(here))
        assert "The part was taken as the whole" in page
        assert "owner@shop.example" in page
        assert "accept/" not in page
        assert "There is nothing to accept" in text_of(owner.get(f"{here}accept/"))
        answer = send_form(owner, f"{here}accept/", at="/dashboard/test/")
        assert answer.headers["Location"] == here
        assert "this one is settled" in text_of(owner.get(here))
