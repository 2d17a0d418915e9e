"""Every scenario of test mode, driven through the door: the right diagnosis at every stage."""

from collections.abc import Iterator
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
ACTORS = {
    **{"partial": "payer", "overpay": "merchant", "late": "merchant", "fail": "nobody", "in_doubt": "service"},
    **dict.fromkeys(("fail_route", "fail_execution", "bridge_refund", "quote_expired", "decline", "no_gas"), "payer"),
    **dict.fromkeys(("locked", "request_pending", "wrong_network", "account_changed", "empty"), "payer"),
    "stuck": "service",
}
"""Who must act at the end; nobody where it is settled."""
DOUBT = "Wait: the service keeps looking. Do not ask the payer to pay again."


def each_ending_once() -> Iterator[Any]:
    """The scenarios; of those that are told alike to their end, all but the first are exhaustive."""
    seen: list[list[str]] = []
    for name, told in STAGES.items():
        yield pytest.param(name, marks=pytest.mark.exhaustive if told in seen else ())
        seen.append(told)


def test_every_scenario_is_told_here() -> None:
    assert set(STAGES) == set(scenarios())


@pytest.mark.slow
@pytest.mark.parametrize("scenario", list(each_ending_once()))
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
    assert told[-1]["actor"] == ACTORS.get(scenario, "nobody")
    assert Payer.of(intent).state()["message"]["code"] == told[-1]["situation"]


@pytest.mark.slow
def test_what_was_in_doubt_is_settled_in_the_end(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "in_doubt")
    world.run(3)
    doubtful = explained(api, intent)
    assert (doubtful["because"], doubtful["next"]) == (
        "The transaction was lost sight of and is being looked for.",
        DOUBT,
    )
    advance(api, 600)
    world.run(3)
    assert explained(api, intent)["code"] == "settled"


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
