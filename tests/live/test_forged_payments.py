"""Payments that are not what they seem, on a real node: nothing is ever credited that was not paid to this intent."""

from collections.abc import Callable
from typing import Any

import pytest
from web3 import Web3

from tests.live.conftest import BASE_USDC, Till
from tests.live.node import ROUTER, fresh_wallet

Request = dict[str, Any]
FAKE_USDC = Web3.to_checksum_address("0x7e57000000000000000000000000000000000666")
STRANGER = "0x7e57000000000000000000000000000000000777"


def _other_contract(request: Request) -> Request:
    return {**request, "to": FAKE_USDC}


def _other_recipient(request: Request) -> Request:
    return {**request, "data": request["data"][:10] + STRANGER[2:].rjust(64, "0") + request["data"][74:]}


def _nothing(request: Request) -> Request:
    return {**request, "data": request["data"][:74] + "0" * 64 + request["data"][138:]}


def _no_tag(request: Request) -> Request:
    return {**request, "data": request["data"][:138]}


def _other_tag(request: Request) -> Request:
    changed = "0" if request["data"][-1] != "0" else "1"
    return {**request, "data": request["data"][:-1] + changed}


def _longer(request: Request) -> Request:
    return {**request, "data": request["data"][:138] + "00" + request["data"][138:]}


FORGERIES: list[Callable[[Request], Request]] = [
    _other_contract,
    _other_recipient,
    _nothing,
    _no_tag,
    _other_tag,
    _longer,
]


@pytest.mark.spec("Rulings C8.1")
@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_a_changed_call_is_not_this_payment(till: Till, is_reported: bool) -> None:
    till.node.place("TestToken", FAKE_USDC)
    till.node.mint(FAKE_USDC, till.payer.address, 1_000_000_000)
    attempt = till.issue("25")
    honest = attempt["transactions"][0]["request"]
    for forge in FORGERIES:
        tx_hash = till.node.send(till.payer, forge(honest))
        assert till.node.await_receipt(tx_hash)["status"] == 1
        if is_reported:
            till.report(attempt, tx_hash)
        assert (forge.__name__, till.finish()["status"]) == (forge.__name__, "awaiting_signature")
        assert (forge.__name__, till.credited(), till.leg().tx_hash) == (forge.__name__, [], "")
        assert till.leg().error == ("tx_not_for_this_intent" if is_reported else "")
    till.node.send(till.payer, honest)
    assert till.finish()["status"] == "settled"
    assert till.credited() == [25_000_000]


def test_somebody_elses_payment_to_the_same_merchant_is_not_ours(till: Till) -> None:
    attempt = till.issue("25")
    stranger = fresh_wallet()
    till.node.fund(stranger.address)
    till.node.mint(BASE_USDC, stranger.address, 25_000_000)
    call = till.node.token(BASE_USDC).functions.transfer(till.merchant, 25_000_000)._encode_transaction_data()
    till.report(attempt, till.node.send(stranger, {"to": BASE_USDC, "value": "0x0", "data": call}))
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.held()) == ([], 25_000_000)


def test_a_payment_inside_anothers_call_is_not_credited_by_itself(till: Till) -> None:
    attempt = till.issue("25")
    honest = attempt["transactions"][0]["request"]
    till.node.mint(BASE_USDC, ROUTER, 25_000_000)
    tag = bytes.fromhex(honest["data"][-32:])
    call = till.node.router().functions.forward(BASE_USDC, till.merchant, 25_000_000, tag)
    bundled = {"to": ROUTER, "value": "0x0", "data": call._encode_transaction_data() + tag.hex()}
    till.report(attempt, till.node.send(till.payer, bundled))
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.held()) == ([], 25_000_000)


def test_one_payment_settles_one_of_two_intents(till: Till) -> None:
    first = till.issue("25")
    first_intent, first_request = till.intent, first["transactions"][0]["request"]
    second = till.issue("25")
    tx_hash = till.node.send(till.payer, first_request)
    till.report(second, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert till.credited() == []
    second_intent, till.intent = till.intent, first_intent
    assert till.finish()["status"] == "settled"
    till.intent = second_intent
    body = {"attempt_id": second["id"], "leg_sequence": 1, "tx_hash": tx_hash}
    assert till.page is not None
    reply = till.page.send("POST", "/submitted", body)
    assert (reply.status, reply.body["code"]) == (409, "tx_already_used")
    assert (till.sweep()["status"], till.credited()) == ("awaiting_signature", [])


def test_a_hash_that_nobody_knows_holds_nothing_up(till: Till) -> None:
    attempt = till.issue("25")
    till.report(attempt, "0x" + "ab" * 32)
    assert till.finish()["status"] == "awaiting_signature"
    real = till.node.send(till.payer, attempt["transactions"][0]["request"])
    assert till.finish()["status"] == "settled"
    assert (till.credited(), till.leg().tx_hash) == ([25_000_000], real)


def test_an_old_transaction_is_not_taken_again(till: Till) -> None:
    attempt = till.issue("25")
    tx_hash = till.node.send(till.payer, attempt["transactions"][0]["request"])
    leg = till.leg()
    leg.start_block = till.node.head() + 1
    leg.save(update_fields=["start_block"])
    till.node.mine()
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")
