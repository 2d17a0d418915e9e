"""Somebody else has the checkout's link: nothing of the payer's is in reach, and the payer's money counts."""

from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from localnet.solana.server import signed
from payments.models import Credit, PaymentAttempt
from payments.services.advance import sweep_due
from tests.conftest import Reply
from tests.core.error_form import assert_refused
from tests.live.conftest import BASE_USDC, Till
from tests.live.solana_till import SolanaTill
from tests.live.test_forged_payments import FINAL
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
    wallet = till.stranger()
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


def final(till: Till) -> dict[str, Any]:
    """The intent once the chain calls all of it final: claims wait for that."""
    till.sweep()
    till.node.mine(FINAL)
    return till.sweep(2)


def test_a_strangers_report_leaves_the_payers_claim(till: Till) -> None:
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    paid = till.node.send(till.payer, {**request, "data": request["data"][:138]})
    claim = till.claim(paid)
    assert till.page is not None
    assert tell(till.page, attempt, tx_hash=paid, claim=claim).status == 202
    stranger, _ = stranger_at(till)
    assert_refused(tell(stranger, attempt, tx_hash=NOWHERE), 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim, final(till)["status"]) == (paid, claim, "settled")
    assert (till.held(), till.credited()) == (25_000_000, [25_000_000])


def test_a_claim_that_the_wallet_signed_needs_no_browser(till: Till) -> None:
    """Say on another device, where the wallet is."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    paid = till.node.send(till.payer, {**request, "data": request["data"][:138]})
    elsewhere, wallet = stranger_at(till)
    for not_his in (till.claim(paid, wallet), till.claim(NOWHERE)):
        reply = tell(elsewhere, attempt, tx_hash=paid, claim=not_his)
        assert_refused(reply, 403, "attempt_of_another_browser")
    assert (till.leg().tx_hash, till.leg().payer_claim) == ("", "")
    assert tell(elsewhere, attempt, tx_hash=paid, claim=till.claim(paid)).status == 202
    assert (final(till)["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("units", [1, 25_000_000], ids=["a unit", "in full"])
def test_the_payers_money_counts_beside_a_stranger_who_pays_too(till: Till, units: int) -> None:
    """The stranger declines for the payer, then pays by a try of his own, before the payer signs."""
    mine = till.issue("25")
    stranger, wallet = stranger_at(till)
    reply = stranger.send("POST", "/rejected", {"attempt_id": mine["id"]})
    assert_refused(reply, 403, "attempt_of_another_browser")
    theirs = begin(stranger)
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "awaiting_signature"
    [wanted] = theirs["transactions"]
    stranger.report(theirs, wanted["leg_sequence"], till.node.send(wallet, cut_to(wanted["request"], units)))
    till.node.send(till.payer, mine["transactions"][0]["request"])
    till.finish()
    body = till.sweep()
    assert (body["status"], till.held()) == ("settled", 25_000_000 + units)
    credited = {str(one.leg.attempt_id): one.base_units for one in Credit.objects.select_related("leg") if one.leg}
    assert credited == {mine["id"]: 25_000_000, theirs["id"]: units}
    if units > 1:
        assert (body["amount_received"], body["overpaid_usd"]) == ("50.00", "25.00")
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
