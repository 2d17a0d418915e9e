"""Somebody else has the checkout's link: nothing of the payer's is in reach, and the payer's money counts."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from chains.clients.evm_claims import claim_text
from localnet.solana.server import signed
from payments.models import Credit, Leg, PaymentAttempt
from payments.services.advance import sweep_due
from tests.conftest import Reply
from tests.core.error_form import assert_refused
from tests.live.conftest import BASE_USDC, Till
from tests.live.node import fresh_wallet
from tests.live.solana_till import SolanaTill
from tests.live.test_claimed_payments import FINAL
from tests.live.test_unlucky_payments import cut_to
from tests.payments.payer import Payer

PAYERS, STRANGERS = "a" * 43, "b" * 43
NOWHERE = "0x" + "cd" * 32


@pytest.fixture
def till(till: Till) -> Till:
    """The payer's page has a secret, as the real one."""
    till.browser = PAYERS
    return till


def stranger_at(till: Till) -> tuple[Payer, LocalAccount]:
    """Another browser that opened the same link, with a wallet that holds enough."""
    wallet = fresh_wallet()
    till.node.fund(wallet.address)
    till.node.mint(BASE_USDC, wallet.address, 25_000_000)
    return Payer.of(till.intent, "evm", wallet.address, browser=STRANGERS), wallet


def begin(page: Payer) -> dict[str, Any]:
    """The stranger's own attempt, ready to sign."""
    [usdc] = [one for one in page.connect() if one["token_address"] == BASE_USDC]
    page.act("start", {"attempt_id": page.choose(usdc)["id"]})
    sweep_due()
    attempt: dict[str, Any] = page.state()["attempt"]
    return attempt


def tell(page: Payer, attempt: dict[str, Any], **said: str) -> Reply:
    """Report something of an attempt's first transaction."""
    return page.send("POST", "/submitted", {"attempt_id": attempt["id"], "leg_sequence": 1, **said})


def claim_of(till: Till, tx_hash: str) -> str:
    """The payer's wallet's signature that this was its payment."""
    text = claim_text(str(till.leg().pk), tx_hash)
    return "0x" + bytes(Account.sign_message(encode_defunct(text=text), till.payer.key).signature).hex()


def final(till: Till) -> dict[str, Any]:
    """The intent once the chain calls all of it final: claims wait for that."""
    till.sweep()
    till.node.mine(FINAL)
    return till.sweep(2)


def test_a_strangers_report_leaves_the_payers_claim(till: Till) -> None:
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    paid = till.node.send(till.payer, {**request, "data": request["data"][:138]})
    claim = claim_of(till, paid)
    assert till.page is not None
    assert tell(till.page, attempt, tx_hash=paid, claim=claim).status == 202
    stranger, _ = stranger_at(till)
    assert_refused(tell(stranger, attempt, tx_hash=NOWHERE), 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim) == (paid, claim)
    assert final(till)["status"] == "settled"
    assert (till.held(), till.credited()) == (25_000_000, [25_000_000])


def test_a_claim_that_the_wallet_signed_needs_no_browser(till: Till) -> None:
    """Say on another device, where the wallet is."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    paid = till.node.send(till.payer, {**request, "data": request["data"][:138]})
    elsewhere, wallet = stranger_at(till)
    text = claim_text(str(till.leg().pk), paid)
    forged = "0x" + bytes(Account.sign_message(encode_defunct(text=text), wallet.key).signature).hex()
    assert_refused(tell(elsewhere, attempt, tx_hash=paid, claim=forged), 403, "attempt_of_another_browser")
    of_another = claim_of(till, NOWHERE)
    assert_refused(tell(elsewhere, attempt, tx_hash=paid, claim=of_another), 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim) == ("", "")
    assert tell(elsewhere, attempt, tx_hash=paid, claim=claim_of(till, paid)).status == 202
    assert final(till)["status"] == "settled"
    assert till.credited() == [25_000_000]


def test_the_payers_money_counts_beside_a_stranger_who_pays_too(till: Till) -> None:
    """The stranger declines for the payer, then pays one unit by a try of his own, before the payer signs."""
    mine = till.issue("25")
    stranger, wallet = stranger_at(till)
    reply = stranger.send("POST", "/rejected", {"attempt_id": mine["id"]})
    assert_refused(reply, 403, "attempt_of_another_browser")
    theirs = begin(stranger)
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "awaiting_signature"
    [wanted] = theirs["transactions"]
    stranger.report(theirs, wanted["leg_sequence"], till.node.send(wallet, cut_to(wanted["request"], 1)))
    till.sweep()
    till.node.send(till.payer, mine["transactions"][0]["request"])
    till.finish()
    assert till.sweep()["status"] == "settled"
    [leg] = Leg.objects.filter(attempt_id=mine["id"])
    assert leg.status == "confirmed"
    assert [credit.base_units for credit in Credit.objects.filter(leg=leg)] == [25_000_000]
    assert till.held() == 25_000_001


def test_both_pay_in_full_and_each_is_credited(till: Till) -> None:
    mine = till.issue("25")
    stranger, wallet = stranger_at(till)
    theirs = begin(stranger)
    till.node.send(till.payer, mine["transactions"][0]["request"])
    till.node.send(wallet, theirs["transactions"][0]["request"])
    till.finish()
    body = till.sweep()
    assert (body["status"], body["amount_received"], body["overpaid_usd"]) == ("settled", "50.00", "25.00")
    legs = {str(leg.attempt_id): leg.pk for leg in Leg.objects.all()}
    assert {credit.leg_id for credit in Credit.objects.all()} == {legs[mine["id"]], legs[theirs["id"]]}
    assert not PaymentAttempt.objects.filter(status__in=["awaiting_signature", "executing"]).exists()


def test_on_solana_what_the_wallet_signed_needs_no_browser(solana_till: SolanaTill) -> None:
    till = solana_till
    till.browser = PAYERS
    attempt = till.issue("25")
    elsewhere = Payer.of(till.intent, *till.wallet, browser=STRANGERS)
    unsigned = till.unsigned(attempt)
    named = "1" * 88
    refused = tell(elsewhere, attempt, tx_hash=named, signed_transaction=unsigned)
    assert_refused(refused, 403, "attempt_of_another_browser")
    assert_refused(tell(elsewhere, attempt, tx_hash=named), 403, "attempt_of_another_browser")
    assert till.leg().status == "awaiting_signature"
    whole = signed(till.payer, unsigned)
    assert tell(elsewhere, attempt, tx_hash=named, signed_transaction=whole).status == 202
    assert till.finish()["status"] == "settled"
