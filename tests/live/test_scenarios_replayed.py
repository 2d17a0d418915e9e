"""A failure on a real node is exported through the door, played in test mode, and ends in the same state."""

import json
from collections.abc import Callable

import pytest

from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.live.evm_till import Till
from tests.theatre.test_replays import file_of, replayed


def reverted(till: Till) -> str:
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"], gas=30_000))
    return str(till.finish()["status"])


def short(till: Till) -> str:
    request = till.issue("25")["transactions"][0]["request"]
    data = request["data"][:74] + f"{20_000_000:064x}" + request["data"][138:]
    till.node.send(till.payer, {**request, "data": data})
    return str(till.finish()["status"])


def taken_back(till: Till) -> str:
    till.node.send(till.payer, till.issue("25")["transactions"][0]["request"])
    till.node.mine(8)
    assert till.sweep(2)["status"] == "settled"
    till.node.rpc("anvil_reorg", 9, [])
    return str(till.sweep()["status"])


def taken_back_and_returned(till: Till) -> str:
    request = till.issue("25")["transactions"][0]["request"]
    till.node.send(till.payer, request)
    till.node.mine(8)
    assert till.sweep(2)["status"] == "settled"
    till.node.rpc("anvil_reorg", 9, [])
    assert till.sweep()["status"] == "executing"
    till.node.send(till.payer, request)
    return str(till.finish()["status"])


def late(till: Till) -> str:
    till.pay_late()
    return str(till.finish()["status"])


def replaced(till: Till) -> str:
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        till.report(attempt, till.node.post(till.payer, attempt["transactions"][0]["request"]))
        assert till.sweep()["status"] == "executing"
        dearer = {"nonce": 0, "maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**10}
        till.node.post(till.payer, {"to": till.payer.address, "value": "0x0", "data": "0x"}, **dearer)
    finally:
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    till.node.mine()
    return str(till.finish()["status"])


STORIES: dict[str, tuple[Callable[[Till], str], str]] = {
    "reverted": (reverted, "requires_payment"),
    "short": (short, "partially_filled"),
    "taken back": (taken_back, "executing"),
    "and returned": (taken_back_and_returned, "settled"),
    "late": (late, "expired"),
    "replaced": (replaced, "requires_payment"),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_live_failure_is_played_in_test_mode_to_the_same_end(till: Till, api: ApiClient, name: str) -> None:
    story, status = STORIES[name]
    assert story(till) == status
    scenario = file_of(till.api, till.intent)
    assert (scenario["mode"], scenario["end"]["status"]) == ("live", status)
    leg = till.leg()
    secret = [till.merchant, till.payer.address, leg.tx_hash, till.intent["id"], str(leg.pk), leg.intent.reference]
    text = json.dumps(scenario).lower()
    assert [one for one in secret if one and str(one).lower() in text] == []
    replay = replayed(api, scenario)
    assert (replay["differences"], replay["problem"], replay["verdict"]) == ([], "", "same")
    assert replay["steps"][-1]["status"] == status
    assert PaymentIntent.objects.count() == 1
