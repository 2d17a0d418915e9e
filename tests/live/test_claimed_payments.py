"""Payments whose wallet dropped the mark: the wallet that made one may claim it, and nobody else."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_claims import claim_text
from chains.registry import EVM_NATIVE_ADDRESS
from payments.models import Credit
from tests.live.conftest import BASE_USDC, Till
from tests.live.node import ONE_COIN, fresh_wallet

FINAL = 70
"""Blocks after which the chain calls one final."""


def _signed(till: Till, tx_hash: str, signer: LocalAccount, tag: str = "") -> str:
    text = claim_text(tag or str(till.leg().pk), tx_hash)
    signature = Account.sign_message(encode_defunct(text=text), signer.key).signature
    return "0x" + bytes(signature).hex()


def _claim(till: Till, attempt: dict[str, Any], tx_hash: str, signature: str) -> dict[str, Any]:
    assert till.page is not None
    body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash, "claim": signature}
    till.page.act("submitted", body)
    till.sweep()
    till.node.mine(FINAL)
    return till.sweep(2)


def _bare(till: Till, sender: LocalAccount, units: int = 25_000_000) -> str:
    """A transfer to the merchant without the mark."""
    calldata = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, units])
    return till.node.send(sender, {"to": BASE_USDC, "value": "0x0", "data": calldata})


@pytest.mark.spec("Rulings C8.3")
def test_a_payer_claims_its_own_transfer(till: Till) -> None:
    attempt = till.issue("25")
    tx_hash = _bare(till, till.payer)
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert till.leg().error == "tx_not_for_this_intent"
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "settled"
    assert (till.credited(), till.leg().tx_hash) == ([25_000_000], tx_hash)


def test_native_coin_is_claimed(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    bare = {"to": till.merchant, "value": hex(ONE_COIN // 100), "data": "0x"}
    tx_hash = till.node.send(till.payer, bare)
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "settled"
    assert till.credited() == [ONE_COIN // 100]


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
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, owner))["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")


def test_a_claim_waits_until_its_block_is_final(till: Till) -> None:
    attempt = till.issue("25")
    tx_hash = _bare(till, till.payer)
    assert till.page is not None
    body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": tx_hash}
    till.page.act("submitted", {**body, "claim": _signed(till, tx_hash, till.payer)})
    assert (till.sweep(2)["status"], till.credited()) == ("executing", [])
    assert (till.leg().status, till.leg().tx_hash) == ("confirming", tx_hash)
    assert (till.finish()["status"], till.credited()) == ("executing", [])
    till.node.mine(FINAL)
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])
    assert Credit.objects.get(tx_hash=tx_hash).mark == "claim"


@pytest.mark.parametrize("more", ["00", "7e570000000040008000000000000001"])
def test_a_transfer_with_bytes_behind_it_is_claimed_by_nobody(till: Till, more: str) -> None:
    attempt = till.issue("25")
    calldata = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, 25_000_000])
    tx_hash = till.node.send(till.payer, {"to": BASE_USDC, "value": "0x0", "data": calldata + more})
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")


def test_native_coin_with_a_note_is_claimed_by_nobody(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    noted = {"to": till.merchant, "value": hex(ONE_COIN // 100), "data": "0x7e570000000040008000000000000001"}
    tx_hash = till.node.send(till.payer, noted)
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")


@pytest.mark.spec("Rulings C8.3")
def test_a_claim_that_does_not_fit_changes_nothing(till: Till) -> None:
    attempt = till.issue("25")
    stranger = fresh_wallet()
    till.node.fund(stranger.address)
    till.node.mint(BASE_USDC, stranger.address, 25_000_000)
    short, theirs, own = _bare(till, till.payer, 24_000_000), _bare(till, stranger), _bare(till, till.payer)
    claims = {
        "another amount": (short, _signed(till, short, till.payer)),
        "another sender": (theirs, _signed(till, theirs, till.payer)),
        "another signer": (own, _signed(till, own, stranger)),
        "another leg": (own, _signed(till, own, till.payer, "7e570000-0000-4000-8000-000000000001")),
        "nonsense": (own, "0x" + "ff" * 65),
    }
    for name, (tx_hash, signature) in claims.items():
        assert (name, _claim(till, attempt, tx_hash, signature)["status"]) == (name, "awaiting_signature")
        assert (name, till.credited(), till.leg().error) == (name, [], "tx_not_for_this_intent")


def test_one_transfer_is_claimed_once(till: Till) -> None:
    """The same payer, two intents, one transfer."""
    first = till.issue("25")
    other = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second = other.issue("25")
    tx_hash = _bare(till, till.payer)
    assert _claim(till, first, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "settled"
    assert other.page is not None
    body = {"attempt_id": second["id"], "leg_sequence": 1, "tx_hash": tx_hash}
    refused = other.page.send("POST", "/submitted", {**body, "claim": _signed(other, tx_hash, till.payer)})
    assert (refused.status, refused.body["code"]) == (409, "tx_already_used")
    assert other.finish()["status"] == "awaiting_signature"
    assert other.credited() == []


def test_an_older_transfer_is_never_claimed(till: Till) -> None:
    tx_hash = _bare(till, till.payer)
    till.open("25")
    till.node.mine(2)
    attempt = till.issue("25")
    assert _claim(till, attempt, tx_hash, _signed(till, tx_hash, till.payer))["status"] == "awaiting_signature"
    assert till.credited() == []
