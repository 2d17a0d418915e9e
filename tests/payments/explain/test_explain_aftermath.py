"""Refunds and payouts in the diagnosis: who waits for whom comes first, and the payer's page keeps its own code."""

from typing import Any

import pytest

from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import pause_payouts
from refunds.models import Refund
from refunds.services.cancel import cancel_refund
from tests.conftest import ApiClient
from tests.payments.explain.reading import explained, said
from tests.payments.payer import Payer
from tests.payments.world import World
from tests.payouts.stories import asked, run
from tests.payouts.stories import settled as settled_for_payout
from tests.refunds.stories import PAYEE, refund, settled, work

pytestmark = pytest.mark.slow
UNTIL_SENT = "It is at the settlement address until the refund is sent."


def test_a_refund_without_an_address_leads(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10)
    body = explained(api, intent)
    assert (body["code"], body["situation"], [one["code"] for one in body["also"]]) == (
        "refund_waiting",
        "settled",
        ["settled"],
    )
    assert said(body) == (
        "merchant",
        "A refund waits for an address to send to.",
        UNTIL_SENT,
        "Enter the address on the dashboard, or send the payer the claim link.",
    )
    facts = {"id": made["id"], "amount_usd": "10.00", "failure_reason": "missing_destination", "attempts": 0}
    assert body["facts"] == facts
    assert Payer.of(intent).state()["message"]["code"] == "settled"


REFUNDS: dict[str, tuple[str, str, str]] = {
    "settle": ("refund_paid", "nobody", "A refund is paid."),
    "refund_retry": ("refund_retry_scheduled", "service", "A refund could not be sent; another attempt is planned."),
    "refund_fail": ("refund_failed", "merchant", "A refund failed. Nothing was sent."),
    "refund_unknown": ("refund_processing", "service", "A refund is being sent to the payer."),
}


@pytest.mark.parametrize("scenario", list(REFUNDS))
def test_a_refund_is_told_as_it_goes(world: World, api: ApiClient, scenario: str) -> None:
    intent = settled(world, api, metadata={"simulate": scenario})
    refund(api, intent, 10, destination=PAYEE)
    assert explained(api, intent)["code"] == "refund_queued"
    work(world, 2)
    body = explained(api, intent)
    line = told(body, "refund")
    assert (line["code"], line["actor"], line["happened"]) == REFUNDS[scenario]
    assert (body["code"] == "settled") is (line["actor"] == "nobody")


def told(body: dict[str, Any], kind: str) -> dict[str, Any]:
    """The line about a refund or payout, wherever it stands."""
    line: dict[str, Any]
    [line] = [one for one in (body, *body["also"]) if one["code"].startswith(kind)]
    return line


def test_a_cancelled_refund_presses_nobody(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10)
    cancel_refund(principal, Refund.objects.get(pk=made["id"]))
    body = explained(api, intent)
    assert (body["code"], told(body, "refund")["actor"]) == ("settled", "nobody")


def test_one_that_an_agent_may_not_send_any_more_is_the_merchants(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10, destination=PAYEE)
    Refund.objects.filter(pk=made["id"]).update(failure_reason="agent_revoked")
    body = explained(api, intent)
    assert (body["code"], body["actor"]) == ("refund_held", "merchant")


def test_one_for_the_merchants_own_wallet_waits_for_it(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10, destination=PAYEE)
    Refund.objects.filter(pk=made["id"]).update(rail="merchant_wallet")
    body = explained(api, intent)
    assert (body["code"], body["actor"]) == ("refund_awaiting_wallet", "merchant")


def test_everything_refunded_is_told(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    refund(api, intent, 25, destination=PAYEE)
    work(world, 4)
    body = explained(api, intent)
    assert (body["code"], body["facts"]["refunded_usd"]) == ("refunded", "25.00")
    assert [one["code"] for one in body["also"]] == ["refund_paid"]


PAYOUTS: dict[str, tuple[str, str, str]] = {
    "settle": ("payout_paid", "nobody", "The payout is done."),
    "payout_retry": ("payout_retry_scheduled", "service", "A payout could not be sent; another attempt is planned."),
    "payout_fail": ("payout_failed", "merchant", "The payout failed. Nothing was sent."),
    "payout_unknown": ("payout_pending_provider", "service", "A payout was sent; the chain has not confirmed it yet."),
}


@pytest.mark.parametrize("scenario", list(PAYOUTS))
def test_a_payout_is_told_as_it_goes(world: World, api: ApiClient, principal: Principal, scenario: str) -> None:
    intent = settled_for_payout(world, api, metadata={"simulate": scenario})
    asked(principal, intent)
    run(world, 3)
    body = explained(api, intent)
    line = told(body, "payout")
    assert (line["code"], line["actor"], line["happened"]) == PAYOUTS[scenario]
    assert (body["code"] == "settled") is (line["actor"] == "nobody")


def test_a_paused_payout_waits_for_the_merchant(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled_for_payout(world, api)
    pause_payouts(principal)
    payout: Payout = asked(principal, intent)
    run(world, 2)
    payout.refresh_from_db()
    body = explained(api, intent)
    assert (payout.status, body["code"], body["actor"]) == ("paused", "payout_paused", "merchant")
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
