"""Branches of a chain, and what they do to payments: the books end as the branch that stands. On real nodes."""

from decimal import Decimal
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from localnet.addresses import DEX
from localnet.devchain import DevChain
from localnet.lifi import Lifi
from localnet.nodes import fresh_wallet
from payments.models import Credit
from tests.conftest import ApiClient
from tests.live.buyer import EXCHANGE_GAS, Buyer, asset
from tests.live.evm_till import BASE_USDC, Till
from tests.live.test_evm_pays import _call, _delegate


def signed(node: DevChain, payer: LocalAccount, request: dict[str, Any], **more: Any) -> tuple[str, str]:
    """What a wallet signed and has not sent, and its hash."""
    base_fee = node.web3.eth.get_block("latest")["baseFeePerGas"]
    wanted = {
        "to": request["to"],
        "value": int(request["value"], 16),
        "data": request["data"],
        "chainId": node.web3.eth.chain_id,
        "nonce": node.web3.eth.get_transaction_count(payer.address),
        "gas": 1_000_000,
        "maxFeePerGas": 4 * base_fee + 10**9,
        "maxPriorityFeePerGas": 10**9,
    }
    made = payer.sign_transaction(wanted | more)
    return "0x" + bytes(made.raw_transaction).hex(), "0x" + bytes(made.hash).hex()


def transfer(node: DevChain, to: str, units: int) -> dict[str, str]:
    call = node.token(BASE_USDC).encode_abi("transfer", args=[to, units])
    return {"to": BASE_USDC, "value": "0x0", "data": call}


def test_two_payments_of_one_batch_count_although_a_branch_shifts_their_logs(till: Till) -> None:
    first = till.issue("25")
    other = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second = other.issue("25")
    calls = [_call(one["transactions"][0]["request"]) for one in (second, first)]
    data = _delegate(till, till.payer.address).encode_abi("execute", args=[calls])
    batch, tx_hash = signed(till.node, till.payer, {"to": till.payer.address, "value": "0x0", "data": data})
    spammer = till.stranger(units=5)
    before, _ = signed(till.node, spammer, transfer(till.node, spammer.address, 1))
    till.node.mine(2)
    till.node.await_receipt(till.node.web3.eth.send_raw_transaction(bytes.fromhex(batch[2:])))
    till.report(first, tx_hash)
    other.report(second, tx_hash)
    till.sweep()
    other.sweep()
    till.node.rpc("anvil_reorg", 1, [[before, 0], [batch, 0]])
    assert [log["logIndex"] for log in till.node.await_receipt(tx_hash)["logs"]] != [0, 1]
    other.sweep()
    till.node.mine(10)
    assert [till.end()["status"], other.end()["status"]] == ["settled", "settled"]
    assert (till.credited(), other.credited()) == ([25_000_000], [25_000_000])


@pytest.mark.parametrize("reported", [False, True])
def test_a_payment_counts_that_a_branch_put_before_what_was_read(till: Till, reported: bool) -> None:
    attempt = till.issue("25")
    payment, tx_hash = signed(till.node, till.payer, attempt["transactions"][0]["request"])
    till.node.mine(20)
    till.sweep()
    till.node.rpc("anvil_reorg", 15, [[payment, 0]])
    till.node.await_receipt(tx_hash)
    till.node.mine(40)
    if reported:
        till.report(attempt, tx_hash)
    assert (till.sweep(3)["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("reported", [False, True])
def test_a_payment_counts_that_a_branch_put_before_the_leg_itself(till: Till, reported: bool) -> None:
    till.node.mine(6)
    attempt = till.issue("25")
    payment, tx_hash = signed(till.node, till.payer, attempt["transactions"][0]["request"])
    till.node.rpc("anvil_reorg", 3, [[payment, 0]])
    assert till.node.await_receipt(tx_hash)["blockNumber"] < (till.leg().start_block or 0)
    if reported:
        till.report(attempt, tx_hash)
    till.node.mine(20)
    assert (till.sweep(3)["status"], till.credited()) == ("settled", [25_000_000])


def test_a_failure_that_a_branch_turns_into_a_payment_counts(till: Till) -> None:
    attempt = till.issue("25")
    away = fresh_wallet()
    till.node.fund(away.address)
    till.node.send(till.payer, transfer(till.node, away.address, 999_000_000))
    payment, tx_hash = signed(till.node, till.payer, attempt["transactions"][0]["request"])
    back, _ = signed(till.node, away, transfer(till.node, till.payer.address, 999_000_000))
    till.node.mine(2)
    till.node.await_receipt(till.node.web3.eth.send_raw_transaction(bytes.fromhex(payment[2:])))
    till.report(attempt, tx_hash)
    till.sweep()
    till.node.mine(6)
    till.sweep()
    assert till.leg().error == "reverted"
    till.node.rpc("anvil_reorg", 8, [[back, 0], [payment, 1]])
    assert till.node.await_receipt(tx_hash)["status"] == 1
    till.node.mine(20)
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])


def test_a_deposit_that_gets_another_order_on_a_branch_stays_paid_and_becomes_final(
    live_api: ApiClient, lifi: Lifi
) -> None:
    one, two = (Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi) for _ in range(2))
    for buyer in (one, two):
        buyer.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    requests = [buyer.issue("25") for buyer in (one, two)]
    for buyer in (one, two):
        for approval in buyer.approvals():
            buyer.source.send(buyer.payer, approval)
    made = [
        signed(buyer.source, buyer.payer, attempt["transactions"][0]["request"], gas=EXCHANGE_GAS)
        for buyer, attempt in zip((one, two), requests, strict=True)
    ]
    one.source.mine(3)
    for raw, _ in made:
        one.source.await_receipt(one.source.web3.eth.send_raw_transaction(bytes.fromhex(raw[2:])))
    one.report(requests[0], made[0][1])
    one.sweep()
    before = one.leg().order_id
    lifi.relayer.work()
    one.node.mine(8)
    assert one.sweep(2)["status"] == "settled"
    one.source.rpc("anvil_reorg", 2, [[made[1][0], 0], [made[0][0], 1]])
    one.source.mine()
    one.source.await_receipt(made[0][1])
    one.sweep(3)
    one.source.mine(100)
    one.node.mine(100)
    assert (one.sweep(4)["status"], one.leg().order_id == before) == ("settled", False)
    [credit] = Credit.objects.filter(intent_id=one.intent["id"])
    assert credit.finalized_at is not None


@pytest.mark.parametrize("per_mille", [1_100, 997], ids=["more", "less"])
def test_a_swap_that_brings_another_amount_on_another_branch_counts_for_that(
    per_mille: int, swapper: Buyer, caplog: pytest.LogCaptureFixture
) -> None:
    """At the same place of the same transaction, after it had counted and before it was final."""
    attempt, node = swapper.issue("25"), swapper.node
    for approval in swapper.approvals():
        node.send(swapper.payer, approval)
    raw, tx_hash = signed(node, swapper.payer, attempt["transactions"][0]["request"], gas=EXCHANGE_GAS)
    price = swapper.shop.market.unit_price(swapper.paid) * per_mille // 1_000
    setter = swapper.stranger(units=1)
    data = node.contract("Dex", DEX).encode_abi("setPrice", args=[swapper.paid.address, price])
    moved, _ = signed(node, setter, {"to": DEX, "value": "0x0", "data": data})
    node.mine(2)
    node.await_receipt(node.web3.eth.send_raw_transaction(bytes.fromhex(raw[2:])))
    swapper.report(attempt, tx_hash)
    swapper.sweep()
    node.mine(6)
    assert swapper.sweep(2)["status"] == "settled"
    [before] = Credit.objects.all()
    node.rpc("anvil_reorg", 7, [[moved, 0], [raw, 1]])
    node.await_receipt(tx_hash)
    node.mine(8)
    caplog.clear()
    shown = swapper.sweep(3)
    [after] = Credit.objects.all()
    assert (after.pk, after.position, after.reversed_at) == (before.pk, before.position, None)
    assert after.base_units == swapper.held() != before.base_units
    assert (after.base_units > before.base_units) == (per_mille > 1_000)
    assert (after.value_usd, Decimal(shown["amount_received"])) == (Decimal(after.base_units) / 10**6,) * 2
    assert "credit_changed" in caplog.text
    assert (shown["status"], Decimal(shown["overpaid_usd"]) > 0) == ("settled", per_mille > 1_000)
    assert (swapper.end()["status"], swapper.credited()) == ("settled", [after.base_units])
    node.open_market(swapper.shop.market)
