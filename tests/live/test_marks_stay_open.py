"""Nothing that a stranger sends, and nothing that failed or came before, ends what is watched for a payer's money."""

from datetime import timedelta

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from localnet.lifi import Lifi
from localnet.nodes import fresh_wallet
from payments.models import Credit, Leg, PaymentIntent
from tests.conftest import ApiClient
from tests.factories.queue import due_at
from tests.live.buyer import Buyer, asset
from tests.live.evm_till import Till
from tests.live.test_unlucky_payments import cut_to


def ended_before(till: Till, **ago: int) -> None:
    """So much time passes after the intent's end."""
    moment = now() - timedelta(**ago)
    PaymentIntent.objects.filter(pk=till.intent["id"]).update(expires_at=moment, expires_due_at=moment)


def test_a_strangers_failing_copy_ends_nothing(till: Till) -> None:
    attempt = till.issue("25")
    stranger = fresh_wallet()
    till.node.fund(stranger.address)
    till.report(attempt, till.node.send(stranger, attempt["transactions"][0]["request"], gas=100_000))
    assert (till.finish()["status"], till.leg().error) == ("awaiting_signature", "tx_not_for_this_intent")
    till.pay(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("over", [False, True], ids=["at once", "after the try had ended"])
def test_what_failed_and_was_sent_again_counts(till: Till, over: bool) -> None:
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"], gas=30_000))
    assert till.sweep()["status"] == "executing"
    if over:
        assert (till.finish()["status"], till.leg().error) == ("requires_payment", "reverted")
    till.pay(attempt)
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
    assert not Credit.objects.filter(finalized_at=None).exists()


def test_a_bridge_call_that_failed_and_was_sent_again_arrives(live_api: ApiClient, lifi: Lifi) -> None:
    buyer = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    buyer.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    attempt = buyer.issue("25")
    request = attempt["transactions"][0]["request"]
    buyer.report(attempt, buyer.source.send(buyer.payer, request))  # before the approvals
    buyer.sweep()
    for approval in buyer.approvals():
        buyer.source.send(buyer.payer, approval)
    buyer.source.send(buyer.payer, request, gas=750_000)
    buyer.arrive()
    assert (buyer.arrive()["status"], len(buyer.credited())) == ("settled", 1)


@pytest.mark.parametrize("by", ["the payer", "a stranger"])
def test_what_can_never_land_holds_nothing(till: Till, by: str) -> None:
    """Its nonces before are missing: it costs nothing, and waits for ever."""
    attempt = till.issue("25", expires_in_seconds=60)
    sender = till.payer if by == "the payer" else till.stranger()
    try:
        till.report(attempt, till.node.post(sender, attempt["transactions"][0]["request"], nonce=7))
        assert till.sweep(2)["status"] == "awaiting_signature"
    finally:
        till.node.rpc("anvil_dropAllTransactions")
    ended_before(till, days=3)
    assert till.sweep(2)["status"] == "expired"


def test_what_the_network_forgot_holds_a_payment_for_ten_minutes(till: Till) -> None:
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        till.report(attempt, till.node.post(till.payer, attempt["transactions"][0]["request"]))
        assert till.sweep()["status"] == "executing"
    finally:
        till.node.rpc("anvil_dropAllTransactions")
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    Leg.objects.filter(pk=till.leg().pk).update(submitted_at=now() - timedelta(minutes=11))
    assert (till.sweep()["status"], till.leg().error) == ("requires_payment", "tx_not_found")
    till.pay(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.spec("Rulings C1.4")
def test_a_payment_long_after_the_end_is_seen_and_late(till: Till) -> None:
    attempt = till.issue("25")
    ended_before(till, days=30)
    assert till.sweep(2)["status"] == "expired"
    assert due_at(till.intent["id"]) is None
    till.pay(attempt)
    till.finish()
    till.end()
    [credit] = Credit.objects.all()
    assert (credit.late, credit.base_units, credit.finalized_at is None) == (True, 25_000_000, False)


@pytest.mark.spec("Rulings C1.5")
def test_what_left_in_time_and_crossed_its_bridge_afterwards_is_not_late(live_api: ApiClient, lifi: Lifi) -> None:
    buyer = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    buyer.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    attempt = buyer.issue("25")
    buyer.report(attempt, buyer.pay(attempt))
    buyer.sweep(2)
    left_at = Leg.objects.get(intent_id=buyer.intent["id"]).departed_at
    assert left_at is not None
    PaymentIntent.objects.filter(pk=buyer.intent["id"]).update(expires_at=left_at, expires_due_at=left_at)
    buyer.arrive()
    assert buyer.arrive()["status"] == "settled"
    assert list(Credit.objects.values_list("late", flat=True)) == [False]


def test_dust_under_the_mark_changes_no_status(till: Till) -> None:
    attempt = till.issue("25")
    stranger = till.stranger(units=1)
    till.node.send(stranger, cut_to(attempt["transactions"][0]["request"], 1))
    assert (till.finish()["status"], till.credited()) == ("awaiting_signature", [1])
    till.pay(attempt)
    assert (till.finish()["status"], till.credited()) == ("settled", [1, 25_000_000])


@pytest.mark.spec("Rulings C12.3")
@pytest.mark.parametrize("units", [999_999, 1_000_000], ids=["dust", "no dust"])
def test_a_pending_transfer_of_dust_starts_nothing(units: int, till: Till) -> None:
    """By the payer's own wallet, which may send the rest of what it was asked for in another one."""
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        cut = till.node.post(till.payer, cut_to(attempt["transactions"][0]["request"], units))
        till.report(attempt, cut)
        started = till.sweep(2)["status"]
    finally:
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    assert (started, till.credited()) == ("executing" if units == 1_000_000 else "awaiting_signature", [])
    till.node.mine()
    assert (till.finish()["status"], till.credited()) == (
        "partially_filled" if units == 1_000_000 else "awaiting_signature", [units]
    )  # fmt: skip


@pytest.mark.spec("Rulings C12.3")
def test_a_pending_dust_of_coins_starts_nothing(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    till.node.rpc("evm_setAutomine", False)  # noqa: FBT003  Why: the node's own parameter.
    try:
        request = attempt["transactions"][0]["request"]
        till.report(attempt, till.node.post(till.payer, {**request, "value": "0x1"}))
        status = till.sweep(2)["status"]
    finally:
        till.node.rpc("evm_setAutomine", True)  # noqa: FBT003  Why: the node's own parameter.
    till.node.mine()
    assert (status, till.finish()["status"], till.credited()) == ("awaiting_signature", "awaiting_signature", [1])
