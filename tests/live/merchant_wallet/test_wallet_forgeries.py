"""Transactions that are not the refund, whoever says so: never paid, and the reason is shown."""

from collections.abc import Callable
from typing import Any

import pytest

from chains.models import Transfer, TransferProof
from chains.rails.merchant_wallet.commands import SenderIsRecipient, offer_transfer
from tests.live.evm_till import BASE_USDC
from tests.live.merchant_wallet.desk import UNITS, Desk, Request
from tests.live.test_forged_payments import FAKE_USDC, FORGERIES
from tests.live.test_unlucky_payments import cut_to


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "found"])
@pytest.mark.parametrize("forgery", ["another token", "another recipient", "no mark", "another mark"])
def test_another_transaction_is_refused(desk: Desk, forgery: str, is_told: bool) -> None:
    desk.node.place("TestToken", FAKE_USDC)
    desk.node.mint(FAKE_USDC, desk.wallet.address, 1_000_000_000)
    honest = desk.offer()
    tx_hash = desk.send(FORGERIES[forgery](honest))
    if is_told:
        desk.tell(tx_hash)
    assert (desk.finish(), desk.refused()) == ("signed", "another_transaction" if is_told else "")
    assert (desk.transfer.hint, desk.proof()) == ("", None)
    desk.send(honest)
    assert (desk.finish(), desk.refused()) == ("paid", "")


@pytest.mark.parametrize("units", [UNITS - 1, UNITS + 1, 1], ids=["short", "over", "dust"])
@pytest.mark.parametrize("is_told", [True, False], ids=["told", "found"])
def test_another_amount_is_refused(desk: Desk, units: int, is_told: bool) -> None:
    tx_hash = desk.send(cut_to(desk.offer(), units))
    if is_told:
        desk.tell(tx_hash)
    assert (desk.finish(), desk.refused(), desk.proof(), desk.held()) == ("signed", "wrong_amount", None, units)


@pytest.mark.parametrize("spelled", [str, str.lower])
def test_a_refund_is_not_sent_by_who_gets_it(desk: Desk, spelled: Callable[[str], str]) -> None:
    """A wallet that sends to itself moves nothing, so it is not registered."""
    Transfer.objects.filter(pk=desk.transfer.pk).update(recipient=desk.wallet.address)
    with pytest.raises(SenderIsRecipient) as refused:
        offer_transfer(desk.transfer.pk, spelled(desk.wallet.address))
    assert (refused.value.http_status, refused.value.code) == (409, "sender_is_recipient")
    row = Transfer.objects.get(pk=desk.transfer.pk)
    assert (row.status, row.offer, row.sender) == ("new", {}, "")


def test_who_gets_it_is_no_proof_of_it(desk: Desk) -> None:
    """A wallet was registered before this was refused: its transfer to itself moves nothing, and pays nothing."""
    request = desk.offer()
    desk.payer = desk.wallet.address
    Transfer.objects.filter(pk=desk.transfer.pk).update(recipient=desk.payer)
    before = desk.held()
    data = request["data"][:10] + desk.payer[2:].lower().rjust(64, "0") + request["data"][74:]
    desk.tell(desk.send({**request, "data": data}))
    assert (desk.finish(), desk.refused(), desk.proof(), desk.held()) == ("signed", "reverted", None, before)


@pytest.mark.spec("Rulings D5.3")
def test_another_sender_is_refused(desk: Desk) -> None:
    """Nor does a stranger's copy stand in the way."""
    request = desk.offer()
    desk.tell(desk.send(request, desk.stranger()))
    assert (desk.finish(), desk.refused(), desk.proof()) == ("signed", "another_sender", None)
    own = desk.send(request)
    assert (desk.finish(), desk.transfer.tx_hash) == ("paid", own)


@pytest.mark.spec("Rulings D5.3")
def test_an_old_transaction_is_refused(desk: Desk) -> None:
    call = desk.node.token(BASE_USDC).encode_abi("transfer", args=[desk.payer, UNITS]) + desk.transfer.pk.hex
    tx_hash = desk.send({"to": BASE_USDC, "value": "0x0", "data": call}, desk.stranger())
    desk.offer()
    desk.tell(tx_hash)
    assert (desk.finish(), desk.refused(), desk.proof()) == ("signed", "too_old", None)


def test_somebody_elses_hash_is_refused(desk: Desk) -> None:
    desk.offer()
    call = desk.node.token(BASE_USDC).encode_abi("transfer", args=[desk.payer, UNITS])
    desk.tell(desk.send({"to": BASE_USDC, "value": "0x0", "data": call}, desk.stranger()))
    assert (desk.finish(), desk.refused(), desk.held()) == ("signed", "another_transaction", UNITS)


def test_one_transaction_pays_one_of_two_refunds(desk: Desk) -> None:
    other = desk.another(payer=desk.payer)
    request, _ = desk.offer(), other.offer()
    tx_hash = desk.send(request)
    desk.tell(tx_hash)
    other.tell(tx_hash)
    assert [desk.finish(), other.finish()] == ["paid", "signed"]
    assert (other.refused(), desk.held()) == ("another_transaction", UNITS)


@pytest.mark.spec("Rulings D5.3")
def test_an_event_on_the_chain_proves_one_transfer_for_ever(desk: Desk) -> None:
    """What the mark already makes impossible, the database refuses once more."""
    other = desk.another()
    tx_hash = desk.send(desk.offer())
    assert desk.work() == "mined"
    TransferProof.objects.create(
        transfer=other.transfer, network="localnet", chain="base", tx_hash=tx_hash, kind="log", position="+0",
        base_units=UNITS, block_number=1, block_hash="0x",
    )  # fmt: skip
    assert (desk.finish(), desk.refused()) == ("mined", "already_used")


def test_a_reverted_one_is_refused_and_the_next_pays(desk: Desk) -> None:
    request = desk.offer()
    desk.node.send(desk.wallet, _pause(desk, on=True))
    desk.tell(desk.send(request))
    assert (desk.finish(), desk.refused()) == ("signed", "reverted")
    desk.node.send(desk.wallet, _pause(desk, on=False))
    desk.tell(desk.send(request))
    assert (desk.finish(), desk.held()) == ("paid", UNITS)


def _pause(desk: Desk, *, on: bool) -> Request:
    return {"to": desk.token, "value": "0x0", "data": desk.node.token(desk.token).encode_abi("pause", args=[on])}


def _batch(desk: Desk, requests: list[Request]) -> str:
    desk.node.place("SmartAccount", desk.wallet.address)
    calls: list[Any] = [(one["to"], int(one["value"], 16), one["data"]) for one in requests]
    call = desk.node.contract("SmartAccount", desk.wallet.address).encode_abi("execute", args=[calls])
    return desk.send({"to": desk.wallet.address, "value": "0x0", "data": call}, gas=500_000)


def test_halves_and_unmarked_transfers_in_a_bundle_are_refused(desk: Desk) -> None:
    request = desk.offer()
    half = cut_to(request, UNITS // 2)
    bare = FORGERIES["no mark"](request)
    for parts, said in (
        ([half, {**half, "data": half["data"][:138]}], "wrong_amount"),
        ([bare, bare], "another_transaction"),
    ):
        desk.tell(_batch(desk, parts))
        assert (desk.finish(), desk.refused(), desk.proof()) == ("signed", said, None)


def test_each_refund_in_a_bundle_is_proven_by_its_own_marked_part(desk: Desk) -> None:
    other = desk.another()
    request = desk.offer()
    _batch(desk, [FORGERIES["no mark"](request), other.offer(), request])
    assert [desk.finish(), other.finish()] == ["paid", "paid"]
    proofs = [desk.proof(), other.proof()]
    assert [(proof.position, proof.base_units) for proof in proofs if proof is not None] == [
        ("+2", UNITS),
        ("+1", UNITS),
    ]
    assert (desk.held(), other.held()) == (2 * UNITS, UNITS)
