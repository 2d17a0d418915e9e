"""Every scenario of test mode, every status, refunds and payouts: the right diagnosis at every stage, cheaply."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import now
from merchants.principal import Principal
from payments.explanation import Situation, explain, explanation_body
from payments.explanation.merchant_words import MERCHANT_WORDS, NOT_SEEN
from payments.models import PaymentIntent
from payments.scenarios import scenarios
from payments.services.advance import advance_intent
from payouts.services import pause_payouts
from refunds.models import Refund
from refunds.services.cancel import cancel_refund
from tests.conftest import ApiClient
from tests.factories.queue import due_at
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, advance, create, pay
from tests.payouts.stories import asked, run
from tests.payouts.stories import settled as settled_for_payout
from tests.refunds.stories import PAYEE, refund, settled, work

pytestmark = pytest.mark.slow


def explained(api: ApiClient, intent: dict[str, Any]) -> dict[str, Any]:
    reply = api.get(f"/payment-intents/{intent['id']}/explain")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def said(body: dict[str, Any]) -> tuple[str, str, str, str]:
    return (body["actor"], body["happened"], body["money"], body["next"])


def stages(world: World, intent: dict[str, Any]) -> list[dict[str, Any]]:
    """The diagnosis after every single step of the workers until they rest, where its code is another than before."""
    seen: list[dict[str, Any]] = []
    for _ in range(20):
        _note(seen, intent)
        while advance_intent(intent["id"]):
            _note(seen, intent)
        if _note(seen, intent) is None:
            break
        world.wait(0.5)
    return seen


def _note(seen: list[dict[str, Any]], intent: dict[str, Any]) -> object:
    """Add what is said now, if it is something else; when a worker is due next."""
    row = PaymentIntent.objects.get(pk=intent["id"])
    body = dict(explanation_body(row, explain(row)))
    seen += [] if seen and body["code"] == seen[-1]["code"] else [body]
    return due_at(row.pk)


SIGNED = ["quoting", "quoted", "preparing", "awaiting_signature", "signature_reported", "executing"]
ARRIVED = [*SIGNED, "confirming"]
STAGES: dict[str, list[str]] = {
    "settle": [*ARRIVED, "settled"],
    "partial": [*ARRIVED, "partially_filled"],
    "overpay": [*ARRIVED, "settled_overpaid"],
    "late": [*SIGNED[:4], "expired", "late_arriving", "late_payment"],
    "fail_route": ["quoting", "route_unavailable"],
    "fail_execution": [*SIGNED, "execution_failed"],
    "fail": [*SIGNED, "failed"],
    "bridge_refund": [*SIGNED, "bridge_refunded"],
    "in_doubt": [*SIGNED, "in_doubt"],
    "reorg": [*ARRIVED, "reorg_rechecked", "confirming", "settled"],
    "stuck": SIGNED,
    "quote_expired": ["quoting", "quote_lapsed"],
    "decline": [*SIGNED[:4], "signature_declined"],
    "locked": ["requires_payment"],
    "wrong_network": SIGNED[:4],
}
ALIKE = {
    *("replaced", "unknown_network", "split", "empty", "no_gas", "request_pending", "account_changed"),
    *(f"{kind}_{end}" for kind in ("payout", "refund") for end in ("retry", "fail", "unknown")),
}
"""Scenarios that are told like another one to their end."""
ACTORS = {
    **{"partial": "payer", "overpay": "merchant", "late": "merchant", "fail": "nobody", "in_doubt": "service"},
    **dict.fromkeys(("fail_route", "fail_execution", "bridge_refund", "quote_expired", "decline"), "payer"),
    **dict.fromkeys(("locked", "wrong_network"), "payer"),
    "stuck": "service",
}
"""Who must act at the end; nobody where it is settled."""


def test_every_scenario_and_status_is_told_here() -> None:
    assert set(STAGES) | ALIKE == set(scenarios())
    assert set(TOLD) == set(STORIES)


@pytest.mark.parametrize("scenario", STAGES)
def test_a_scenario_is_told_rightly_at_every_stage(world: World, api: ApiClient, scenario: str) -> None:
    intent = create(api)
    assert explained(api, intent)["code"] == "created"
    assert pay(api, intent, scenario).status == 200
    told = stages(world, intent)
    assert [one["code"] for one in told] == STAGES[scenario]
    for one in told:
        actor, _, words = MERCHANT_WORDS[Situation(one["code"])]
        money = NOT_SEEN if (scenario, one["code"]) == ("late", "expired") else words.money
        assert said(one) == (actor.value, words.happened, money, words.next)
        assert one["situation"] == one["code"]
    assert told[-1]["actor"] == ACTORS.get(scenario, "nobody")
    assert explained(api, intent)["code"] == told[-1]["code"]
    assert Payer.of(intent).state()["message"]["code"] == told[-1]["situation"]


def test_what_was_in_doubt_is_settled_in_the_end(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "in_doubt")
    world.run(3)
    doubtful = explained(api, intent)
    assert doubtful["because"] == "The transaction was lost sight of and is being looked for."
    assert doubtful["next"] == "Wait: the service keeps looking. Do not ask the payer to pay again."
    advance(api, 600)
    world.run(3)
    assert explained(api, intent)["code"] == "settled"


def test_the_facts_are_figures_codes_hashes_and_moments(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    facts: dict[str, Any] = explained(api, intent)["facts"]
    assert facts.pop("tx_hash").startswith("0x")
    assert facts.pop("destination_tx_hash").startswith("0x")
    assert facts.pop("sent_at") > facts.pop("expires_at")[:10]
    told = {"confirmations": facts["confirmations"], "typical_seconds": facts["typical_seconds"]}
    place = {"settlement_chain": "base", "chain": "base", "confirmations_required": 5}
    assert facts == {"amount_usd": "25.00", "received_usd": "15.00", "due_usd": "10.00", **place, **told}


MOST_QUERIES = 6
TOLD = {
    **dict.fromkeys(("created", "requires_payment", "quoted", "awaiting_signature", "partially_filled"), "payer"),
    **dict.fromkeys(("settled", "failed", "expired", "cancelled", "refunded"), "nobody"),
    "executing": "service",
}
"""Who must act in each status."""


@pytest.mark.parametrize("status", list(TOLD))
def test_a_status_has_its_diagnosis(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    if status == "refunded":  # by hand, so no refund row says how much
        PaymentIntent.objects.filter(pk=intent["id"]).update(refunded_usd=25)
    row = PaymentIntent.objects.get(pk=intent["id"])
    with CaptureQueriesContext(connection) as captured:
        first = explanation_body(row, explain(row))
    assert len(captured.captured_queries) <= MOST_QUERIES
    assert first["code"] == ("in_doubt" if status == "executing" else status)
    assert (first["actor"], first["status"], first["payment_intent_id"]) == (TOLD[status], status, intent["id"])
    assert first == explained(api, intent) == explanation_body(row, explain(row, at=now()))
    assert explain(row).payer.happened == Payer.of(intent).state()["message"]["happened"]


def test_refunds_cost_no_more_and_what_was_prefetched_is_not_read_again(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "settled")
    for _ in range(3):
        refund(api, intent, 1, destination=PAYEE)
    rows = PaymentIntent.objects.prefetch_related("legs", "credits", "payment_attempts")
    for row, most in ((PaymentIntent.objects.get(), MOST_QUERIES), (rows.get(), 4)):
        with CaptureQueriesContext(connection) as captured:
            explain(row)
        assert len(captured.captured_queries) <= most


def test_what_was_declined_or_ran_out_of_time_is_told(world: World, api: ApiClient) -> None:
    declined, quoted, asked = create(api), create(api), create(api)
    payer = Payer.of(declined)
    payer.act("rejected", {"attempt_id": payer.start(world)["id"], "reason": "payer_rejected"})
    body = explained(api, declined)
    assert (body["code"], body["happened"], body["because"]) == (
        "signature_declined",
        "The payer declined in the wallet, or left before signing.",
        "The last try was given up before anything was signed.",
    )
    assert payer.state()["message"]["happened"] == "This payment was not approved."
    Payer.of(quoted).quote(world)
    Payer.of(asked).start(world)
    for seconds in (60, 600):
        world.wait(seconds)
        world.run(1)
    assert [explained(api, one)["code"] for one in (quoted, asked)] == ["quote_lapsed", "signature_timed_out"]
    world.wait(1800)
    assert [explained(api, one)["code"] for one in (quoted, asked)] == ["time_over", "time_over"]
    world.run(1)
    assert [explained(api, one)["code"] for one in (quoted, asked)] == ["expired", "expired"]


def test_a_top_up_says_that_something_is_there(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    Payer.of(intent).quote(world)
    body = explained(api, intent)
    assert (body["code"], body["money"]) == ("quoted", "What arrived is at the settlement address.")
    assert body["because"] == "The payer has a price and has not accepted it."


def test_a_refund_without_an_address_leads(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10)
    body = explained(api, intent)
    assert (body["code"], body["situation"]) == ("refund_waiting", "settled")
    assert [one["code"] for one in body["also"]] == ["settled"]
    assert said(body) == (
        "merchant",
        "A refund waits for an address to send to.",
        "It is at the settlement address until the refund is sent.",
        "Enter the address on the dashboard, or send the payer the claim link.",
    )
    facts = {"id": made["id"], "amount_usd": "10.00", "failure_reason": "missing_destination", "attempts": 0}
    assert body["facts"] == facts
    assert Payer.of(intent).state()["message"]["code"] == "settled"


REFUNDS = {
    "settle": ("refund_paid", "nobody"),
    "refund_retry": ("refund_retry_scheduled", "service"),
    "refund_fail": ("refund_failed", "merchant"),
    "refund_unknown": ("refund_processing", "service"),
}
PAYOUTS = {
    "settle": ("payout_paid", "nobody"),
    "payout_retry": ("payout_retry_scheduled", "service"),
    "payout_fail": ("payout_failed", "merchant"),
    "payout_unknown": ("payout_pending_provider", "service"),
}


def line_about(body: dict[str, Any], kind: str) -> tuple[str, str]:
    """Code and actor of the line about a refund or payout, which leads where somebody must act."""
    [line] = [one for one in (body, *body["also"]) if one["code"].startswith(kind)]
    assert (body["code"] == "settled") is (line["actor"] == "nobody")
    return line["code"], line["actor"]


@pytest.mark.parametrize("scenario", list(REFUNDS))
def test_a_refund_is_told_as_it_goes(world: World, api: ApiClient, scenario: str) -> None:
    intent = settled(world, api, metadata={"simulate": scenario})
    refund(api, intent, 10, destination=PAYEE)
    assert explained(api, intent)["code"] == "refund_queued"
    work(world, 2)
    assert line_about(explained(api, intent), "refund") == REFUNDS[scenario]


def test_whom_a_refund_waits_for(world: World, api: ApiClient, principal: Principal) -> None:
    """The merchant, where an agent may not send it any more; its own wallet; nobody once it is cancelled or paid."""
    intent = settled(world, api)
    made = Refund.objects.filter(pk=refund(api, intent, 10, destination=PAYEE)["id"])
    made.update(failure_reason="agent_revoked")
    assert line_about(explained(api, intent), "refund") == ("refund_held", "merchant")
    made.update(failure_reason="", rail="merchant_wallet")
    assert line_about(explained(api, intent), "refund") == ("refund_awaiting_wallet", "merchant")
    made.update(rail="simulated")
    cancel_refund(principal, made.get())
    assert line_about(explained(api, intent), "refund") == ("refund_cancelled", "nobody")
    refund(api, intent, 25, destination=PAYEE)
    work(world, 4)
    body = explained(api, intent)
    assert (body["code"], body["facts"]["refunded_usd"]) == ("refunded", "25.00")
    assert sorted(one["code"] for one in body["also"]) == ["refund_cancelled", "refund_paid"]


@pytest.mark.parametrize("scenario", list(PAYOUTS))
def test_a_payout_is_told_as_it_goes(world: World, api: ApiClient, principal: Principal, scenario: str) -> None:
    intent = settled_for_payout(world, api, metadata={"simulate": scenario})
    asked(principal, intent)
    run(world, 3)
    assert line_about(explained(api, intent), "payout") == PAYOUTS[scenario]


def test_a_paused_payout_waits_for_the_merchant(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled_for_payout(world, api)
    pause_payouts(principal)
    asked(principal, intent)
    run(world, 2)
    body = explained(api, intent)
    assert (body["code"], body["actor"]) == ("payout_paused", "merchant")
    assert body["facts"]["failure_reason"] == "merchant_paused"


def test_a_failed_payout_comes_before_a_refund_that_is_under_way(
    world: World, api: ApiClient, principal: Principal
) -> None:
    intent = settled_for_payout(world, api, metadata={"simulate": "payout_fail"})
    asked(principal, intent)
    run(world, 3)
    refund(api, intent, 10, destination=PAYEE)
    body = explained(api, intent)
    assert [body["code"], *(one["code"] for one in body["also"])] == ["payout_failed", "settled", "refund_queued"]
