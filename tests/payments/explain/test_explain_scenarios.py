"""Every scenario of test mode, driven through the door: the right diagnosis at every stage."""

from typing import Any

import pytest

from payments.explanation import Situation
from payments.explanation.merchant_words import MERCHANT_WORDS, NOT_SEEN
from payments.scenarios import scenarios
from tests.conftest import ApiClient
from tests.payments.explain.reading import explained, said, stages
from tests.payments.payer import Payer
from tests.payments.world import World, advance, create, pay

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
    "replaced": [*ARRIVED, "settled"],
    "quote_expired": ["quoting", "quote_lapsed"],
    "decline": [*SIGNED[:4], "signature_declined"],
    "no_gas": [*SIGNED[:4], "signature_declined"],
    "locked": ["requires_payment"],
    "request_pending": ["requires_payment"],
    "wrong_network": SIGNED[:4],
    "account_changed": SIGNED[:4],
    "unknown_network": [*ARRIVED, "settled"],
    "split": [*ARRIVED, "settled"],
    "empty": ["quoting", "route_unavailable"],
    "payout_retry": [*ARRIVED, "settled"],
    "payout_fail": [*ARRIVED, "settled"],
    "payout_unknown": [*ARRIVED, "settled"],
    "refund_retry": [*ARRIVED, "settled"],
    "refund_fail": [*ARRIVED, "settled"],
    "refund_unknown": [*ARRIVED, "settled"],
}
SETTLED = ("nobody", "The intent is paid.", "It is at the settlement address.", "It can be paid out, or refunded.")
ENDS: dict[str, tuple[str, str, str, str]] = {
    "settle": SETTLED,
    "partial": (
        "payer",
        "Only a part of the amount arrived.",
        "What arrived is at the settlement address.",
        "The payer may pay the rest until it expires; a person may refund what arrived.",
    ),
    "overpay": (
        "merchant",
        "The intent is paid, with more than was asked for.",
        "All of it is at the settlement address, the surplus too.",
        "It can be paid out; the surplus can be refunded.",
    ),
    "late": (
        "merchant",
        "Time ran out, and money arrived afterwards.",
        "What arrived is at the settlement address.",
        "A person should decide: complete the order, or refund what arrived.",
    ),
    "fail_route": (
        "payer",
        "No route could carry the payment.",
        "No money has moved. It is with the payer.",
        "The payer may try another token.",
    ),
    "fail_execution": (
        "payer",
        "The payer's transaction did not go through.",
        "No money has moved by it; at most the network fee was spent.",
        "The payer may try again until it expires.",
    ),
    "fail": (
        "nobody",
        "The payment failed for good.",
        "Nothing arrived.",
        "Create a new intent if it is still wanted.",
    ),
    "bridge_refund": (
        "payer",
        "The bridge could not deliver and returned the money.",
        "It is back in the payer's wallet.",
        "The payer may try again until it expires.",
    ),
    "in_doubt": (
        "service",
        "The payer has paid; it is not known yet how that ended.",
        "The payer's wallet sent it. Where it ended is not known yet.",
        "Wait: the service keeps looking. Do not ask the payer to pay again.",
    ),
}
UNPAID = (
    "No money has moved. It is with the payer.",
    "Nothing to do: the payer acts on the checkout page. It expires by itself.",
)
DECLINED = ("payer", "The payer declined in the wallet, or left before signing.", *UNPAID)
OPENED = ("payer", "The payer has opened the checkout and not paid.", *UNPAID)
ASKED = ("payer", "The payer's wallet is asking for approval.", *UNPAID)
ENDS |= {
    "stuck": (
        "service",
        "The payer has paid; the transaction is not final yet.",
        "It is on its way from the payer's wallet to the settlement address.",
        "Wait until the status changes. It cannot be cancelled now.",
    ),
    "quote_expired": ("payer", "The payer was shown a price and let it lapse.", *UNPAID),
    "decline": DECLINED,
    "no_gas": DECLINED,
    "locked": OPENED,
    "request_pending": OPENED,
    "wrong_network": ASKED,
    "account_changed": ASKED,
    "empty": ENDS["fail_route"],
}


def test_every_scenario_is_told_here() -> None:
    assert set(STAGES) == set(scenarios())


@pytest.mark.slow
@pytest.mark.parametrize("scenario", list(STAGES))
def test_a_scenario_is_told_rightly_at_every_stage(world: World, api: ApiClient, scenario: str) -> None:
    intent = create(api)
    assert explained(api, intent)["code"] == "created"
    assert pay(api, intent, scenario).status == 200
    told = stages(world, api, intent)
    assert [one["code"] for one in told] == STAGES[scenario]
    for one in told:
        actor, _, words = MERCHANT_WORDS[Situation(one["code"])]
        money = NOT_SEEN if (scenario, one["code"]) == ("late", "expired") else words.money
        assert said(one) == (actor.value, words.happened, money, words.next)
        assert one["situation"] == one["code"]
    assert said(told[-1]) == ENDS.get(scenario, SETTLED)
    assert Payer.of(intent).state()["message"]["code"] == told[-1]["situation"]


@pytest.mark.slow
def test_what_was_in_doubt_is_settled_in_the_end(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "in_doubt")
    world.run(3)
    assert explained(api, intent)["because"] == "The transaction was lost sight of and is being looked for."
    advance(api, 600)
    world.run(3)
    assert said(explained(api, intent)) == SETTLED


def test_the_facts_are_figures_codes_hashes_and_moments(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "partial")
    world.run(4)
    facts: dict[str, Any] = explained(api, intent)["facts"]
    assert facts.pop("tx_hash").startswith("0x")
    assert facts.pop("destination_tx_hash").startswith("0x")
    assert facts.pop("sent_at") > facts.pop("expires_at")[:10]
    assert facts == {
        "amount_usd": "25.00",
        "received_usd": "15.00",
        "due_usd": "10.00",
        "settlement_chain": "base",
        "chain": "base",
        "confirmations": facts["confirmations"],
        "confirmations_required": 5,
        "typical_seconds": facts["typical_seconds"],
    }
