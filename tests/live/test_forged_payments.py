"""Payments that are not what they seem, or lost their mark: only what was paid to an intent is credited to it."""

from collections.abc import Callable
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from web3 import Web3

from chains.registry import EVM_NATIVE_ADDRESS
from localnet.nodes import ONE_COIN, ROUTER, fresh_wallet
from payments.models import Credit
from tests.live.evm_till import BASE_USDC, Till
from tests.live.solana_till import SolanaTill
from tests.live.test_unlucky_payments import cut_to
from tests.live.till import LiveTill

Request = dict[str, Any]
FAKE_USDC = Web3.to_checksum_address("0x7e57000000000000000000000000000000000666")
STRANGER = "0x7e57000000000000000000000000000000000777"


FORGERIES: dict[str, Callable[[Request], Request]] = {
    "another token": lambda asked: {**asked, "to": FAKE_USDC},
    "another recipient": lambda asked: {
        **asked, "data": asked["data"][:10] + STRANGER[2:].rjust(64, "0") + asked["data"][74:]
    },
    "nothing": lambda asked: cut_to(asked, 0),
    "no mark": lambda asked: {**asked, "data": asked["data"][:138]},
    "another mark": lambda asked: {**asked, "data": asked["data"][:-1] + ("0" if asked["data"][-1] != "0" else "1")},
    "a longer mark": lambda asked: {**asked, "data": asked["data"][:138] + "00" + asked["data"][138:]},
}  # fmt: skip


@pytest.mark.spec("Rulings C8.1")
@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_a_changed_call_is_not_this_payment(till: Till, is_reported: bool) -> None:
    till.node.place("TestToken", FAKE_USDC)
    till.node.mint(FAKE_USDC, till.payer.address, 1_000_000_000)
    attempt = till.issue("25")
    honest = attempt["transactions"][0]["request"]
    for name, forge in FORGERIES.items():
        tx_hash = till.node.send(till.payer, forge(honest))
        assert till.node.await_receipt(tx_hash)["status"] == 1
        if is_reported:
            till.report(attempt, tx_hash)
        seen = (till.finish()["status"], till.credited(), till.leg().tx_hash, till.leg().error)
        error = "tx_not_for_this_intent" if is_reported else ""
        assert (name, *seen) == (name, "awaiting_signature", [], "", error)
    till.node.send(till.payer, honest)
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


def test_somebody_elses_payment_to_the_same_merchant_is_not_ours(till: Till) -> None:
    """Nor a transfer of zero, which anybody can log from anybody to anybody."""
    attempt, stranger = till.issue("25"), till.stranger()
    for units, held in ((0, 0), (25_000_000, 25_000_000)):
        call = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, units])
        till.report(attempt, till.node.send(stranger, {"to": BASE_USDC, "value": "0x0", "data": call}))
        assert (till.finish()["status"], till.credited(), till.held()) == ("awaiting_signature", [], held)
        assert till.leg().error == "tx_not_for_this_intent"


def test_a_payment_inside_anothers_call_is_not_credited_by_itself(till: Till) -> None:
    attempt = till.issue("25")
    honest = attempt["transactions"][0]["request"]
    till.node.mint(BASE_USDC, ROUTER, 25_000_000)
    tag = bytes.fromhex(honest["data"][-32:])
    call = till.node.router().functions.forward(BASE_USDC, till.merchant, 25_000_000, tag)
    bundled = {"to": ROUTER, "value": "0x0", "data": call._encode_transaction_data() + tag.hex()}
    till.report(attempt, till.node.send(till.payer, bundled))
    assert (till.finish()["status"], till.credited(), till.held()) == ("awaiting_signature", [], 25_000_000)


def test_one_payment_settles_one_of_two_intents(any_till: LiveTill) -> None:
    till = any_till
    first = till.issue("25")
    first_intent = till.intent
    second = till.issue("25")
    tx_hash = till.pay(first)
    till.report(second, tx_hash)
    seen = (till.finish()["status"], till.credited(), till.leg().error)
    assert seen == ("awaiting_signature", [], "tx_not_for_this_intent")
    second_intent, till.intent = till.intent, first_intent
    assert till.finish()["status"] == "settled"
    till.intent = second_intent
    body = {"attempt_id": second["id"], "leg_sequence": 1, "tx_hash": tx_hash}
    reply = till.page.send("POST", "/submitted", body)
    assert (reply.status, reply.body["code"]) == (409, "tx_already_used")
    assert (till.sweep()["status"], till.credited()) == ("awaiting_signature", [])


def test_an_old_transaction_is_not_taken_again(solana_till: SolanaTill) -> None:
    """On EVM chains a mark needs no age: nobody knew it before, and a branch may put a payment before its leg."""
    till = solana_till
    attempt = till.issue("25")
    tx_hash, leg = till.pay(attempt), till.leg()
    leg.start_block = till.node.head() + 1
    leg.save(update_fields=["start_block"])
    till.pass_time()
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")


def _bare(till: Till, sender: LocalAccount, units: int = 25_000_000) -> str:
    """A transfer to the merchant without the mark."""
    calldata = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, units])
    return till.node.send(sender, {"to": BASE_USDC, "value": "0x0", "data": calldata})


@pytest.mark.spec("Rulings C8.3")
def test_a_payer_claims_its_own_transfer(till: Till) -> None:
    """A claim waits until its block is final; and no other intent gets that transfer."""
    attempt = till.issue("25")
    other = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second = other.issue("25")
    tx_hash = _bare(till, till.payer)
    till.report(attempt, tx_hash)
    assert (till.finish()["status"], till.leg().error) == ("awaiting_signature", "tx_not_for_this_intent")
    till.claims(attempt, tx_hash)
    assert (till.sweep(2)["status"], till.credited()) == ("executing", [])
    assert (till.leg().status, till.leg().tx_hash) == ("confirming", tx_hash)
    assert (till.finish()["status"], till.credited()) == ("executing", [])
    assert (till.end()["status"], till.credited()) == ("settled", [25_000_000])
    assert Credit.objects.get(tx_hash=tx_hash).mark == "claim"
    body = {"attempt_id": second["id"], "leg_sequence": 1, "tx_hash": tx_hash, "claim": other.claim(tx_hash)}
    refused = other.page.send("POST", "/submitted", body)
    assert (refused.status, refused.body["code"]) == (409, "tx_already_used")
    assert (other.finish()["status"], other.credited()) == ("awaiting_signature", [])


def test_a_contract_that_is_a_wallet_claims_nothing(till: Till) -> None:
    """What a contract does inside another call is not told from what somebody else had done there."""
    owner = till.payer
    account = fresh_wallet()
    till.node.place("OwnedAccount", account.address)
    contract = till.node.contract("OwnedAccount", account.address)
    set_owner = contract.encode_abi("setOwner", args=[owner.address])
    till.node.send(owner, {"to": account.address, "value": "0x0", "data": set_owner})
    till.node.mint(BASE_USDC, account.address, 30_000_000)
    till.node.fund(account.address)
    till.payer = account
    attempt = till.issue("25")
    pay = contract.encode_abi("pay", args=[BASE_USDC, till.merchant, 25_000_000])
    tx_hash = till.node.send(owner, {"to": account.address, "value": "0x0", "data": pay})
    till.claims(attempt, tx_hash, till.claim(tx_hash, owner))
    assert (till.end()["status"], till.credited()) == ("awaiting_signature", [])
    assert till.leg().error == "tx_not_for_this_intent"


@pytest.mark.parametrize("symbol", ["USDC", "ETH"])
def test_a_transfer_with_bytes_behind_it_is_claimed_by_nobody(till: Till, symbol: str) -> None:
    """The bare one is, in native coin too."""
    till.token, till.symbol = BASE_USDC if symbol == "USDC" else EVM_NATIVE_ADDRESS, symbol
    attempt = till.issue("25")
    units = 25_000_000 if symbol == "USDC" else ONE_COIN // 100
    call = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, units])
    bare = {"to": BASE_USDC, "value": "0x0", "data": call}
    if symbol == "ETH":
        bare = {"to": till.merchant, "value": hex(units), "data": "0x"}
    for more in ("00", "7e570000000040008000000000000001"):
        tx_hash = till.node.send(till.payer, {**bare, "data": bare["data"] + more})
        till.claims(attempt, tx_hash)
        seen = (till.end()["status"], till.credited(), till.leg().error)
        assert (more, *seen) == (more, "awaiting_signature", [], "tx_not_for_this_intent")
    till.claims(attempt, till.node.send(till.payer, bare))
    assert (till.end()["status"], till.credited()) == ("settled", [units])


@pytest.mark.spec("Rulings C8.3")
def test_a_claim_that_does_not_fit_changes_nothing(till: Till) -> None:
    older = _bare(till, till.payer)
    till.node.mine(2)
    attempt, stranger = till.issue("25"), till.stranger()
    short, theirs, own = _bare(till, till.payer, 24_000_000), _bare(till, stranger), _bare(till, till.payer)
    claims = {
        "older than the attempt": (older, till.claim(older)),
        "another amount": (short, till.claim(short)),
        "another sender": (theirs, till.claim(theirs)),
        "another signer": (own, till.claim(own, stranger)),
        "another leg": (own, till.claim(own, till.payer, "7e570000-0000-4000-8000-000000000001")),
        "nonsense": (own, "0x" + "ff" * 65),
    }
    for name, (tx_hash, signature) in claims.items():
        till.claims(attempt, tx_hash, signature)
        seen = (till.end()["status"], till.credited(), till.leg().error)
        assert (name, *seen) == (name, "awaiting_signature", [], "tx_not_for_this_intent")
