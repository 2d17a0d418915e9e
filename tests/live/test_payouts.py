"""Payouts of live intents: what settled at the merchant's address is paid; what settled with its signer is sent on."""

from uuid import UUID

import pytest

from chains.models import SigningAccount, Transfer
from core.errors import ServiceError
from core.modes import Mode
from core.money import usd
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.services import create_payout, sweep_due
from tests.factories.payments import settlement_profile
from tests.factories.rows import all_rows
from tests.live.conftest import Till
from tests.live.node import fresh_wallet
from tests.payouts.stories import passed, shown, told


@pytest.fixture
def caller(merchant: Merchant) -> Principal:
    """The merchant's key in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")


def settled(till: Till, amount: str = "25") -> str:
    """Have the payer pay; the transaction's hash."""
    attempt = till.issue(amount)
    tx_hash = till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "settled"
    return tx_hash


def becomes_final(till: Till) -> None:
    """The chain calls the payment final, without which no payout is sent."""
    till.node.mine(70)
    till.sweep(2)


def give_back(till: Till, dollars: float) -> None:
    """A refund of the till's intent that waits for its address."""
    assert till.api.post("/refunds", {"intent_id": till.intent["id"], "amount_usd": dollars}).status == 201


def signer_at(till: Till, caller: Principal, **fields: object) -> SigningAccount:
    """The merchant's signing account on Base; unless said otherwise that is where the intent settles."""
    facts = {"chain": "base", "address": till.merchant, "network": "localnet", "mode": "live"}
    return SigningAccount.objects.create(
        merchant_id=caller.merchant_id, backend="keystore", key_reference="one", **facts | fields
    )


def ask(till: Till, caller: Principal) -> Payout:
    """The payout of the till's intent."""
    return create_payout(caller, UUID(till.intent["id"]), "k").payout


@pytest.mark.spec("Rulings D1.1; Contract 4.3")
def test_what_reached_the_merchant_is_paid_at_once_and_nothing_is_sent(till: Till, caller: Principal) -> None:
    tx_hash = settled(till, "12.34")
    payout = ask(till, caller)
    body = shown(till.api, payout)
    assert body == {
        "id": str(payout.pk),
        "payment_intent_id": till.intent["id"],
        "rail": "direct",
        "destination": till.merchant,
        "chain": "base",
        "token": "USDC",
        "amount": "12.34",
        "currency": "USD",
        "status": "paid",
        "tx_hash": tx_hash,
        "failure_reason": None,
        "attempts": 0,
        "next_attempt_at": None,
        "paid_at": body["paid_at"],
        "created_at": body["created_at"],
    }
    assert (passed(payout), told(payout)) == (["queued", "paid"], ["created", "paid"])
    before = all_rows()
    assert sweep_due() == 0
    assert create_payout(caller, UUID(till.intent["id"]), "another").payout.pk == payout.pk
    assert all_rows() == before
    assert (Transfer.objects.count(), till.held()) == (0, 12_340_000)
    refused = till.api.post(f"/payouts/{payout.pk}/replay")
    assert (refused.status, refused.body["code"]) == (409, "payout_not_replayable")


def test_live_mode_plays_no_scenario(till: Till, caller: Principal) -> None:
    attempt = till.issue("25", metadata={"simulate": "payout_fail"})
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    assert till.finish()["status"] == "settled"
    assert shown(till.api, ask(till, caller))["status"] == "paid"


@pytest.mark.parametrize("other", ["an address of no signer", "a signer on another chain", "a signer of test mode"])
def test_what_settled_elsewhere_is_direct_whatever_the_profile_says(
    till: Till, caller: Principal, merchant: Merchant, other: str
) -> None:
    settlement_profile(merchant, chain="base", token="USDC", address=fresh_wallet().address)
    fields: dict[str, dict[str, object]] = {
        "an address of no signer": {"address": fresh_wallet().address},
        "a signer on another chain": {"chain": "ethereum"},
        "a signer of test mode": {"mode": "test", "network": "simulated"},
    }
    signer_at(till, caller, **fields[other])
    settled(till)
    payout = ask(till, caller)
    assert (payout.rail, payout.status, payout.destination) == ("direct", "paid", till.merchant)


def test_what_settled_with_the_signer_and_belongs_there_is_direct(
    till: Till, caller: Principal, merchant: Merchant
) -> None:
    signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=till.merchant)
    settled(till)
    assert (ask(till, caller).rail, Transfer.objects.count()) == ("direct", 0)


@pytest.mark.spec("Rulings D1.2")
def test_what_settled_with_the_signer_is_sent_on_to_the_profile_s_address(
    till: Till, caller: Principal, merchant: Merchant
) -> None:
    home = fresh_wallet().address
    account = signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=home)
    settled(till)
    payout = ask(till, caller)
    assert (payout.rail, payout.status, payout.destination) == ("evm", "queued", home)
    assert (payout.base_units, payout.amount_usd, payout.tx_hash) == (25_000_000, usd("25"), "")
    assert told(payout) == ["created"]
    becomes_final(till)
    sweep_due()
    ordered = Transfer.objects.get()
    assert (ordered.purpose, ordered.purpose_id, ordered.rail) == ("payout", payout.pk, "evm")
    assert (ordered.account_id, ordered.sender, ordered.recipient) == (account.pk, till.merchant, home)
    assert (ordered.base_units, ordered.token_address, ordered.network) == (25_000_000, till.token, "localnet")
    assert (ordered.value_usd, ordered.behaviour) == (usd("25"), "")


def test_refunds_leave_less_to_send_on(till: Till, caller: Principal, merchant: Merchant) -> None:
    signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=fresh_wallet().address)
    settled(till)
    give_back(till, 10.5)
    payout = ask(till, caller)
    assert (payout.amount_usd, payout.base_units) == (usd("14.5"), 14_500_000)


@pytest.mark.spec("Rulings D1.3")
@pytest.mark.parametrize("reason", ["destination_missing", "nothing_left", "settlement_missing", "chain_unsupported"])
def test_every_other_combination_is_refused(till: Till, caller: Principal, merchant: Merchant, reason: str) -> None:
    signer_at(till, caller)
    if reason != "destination_missing":
        settlement_profile(merchant, chain="base", token="USDC", address=fresh_wallet().address)
    settled(till)
    intent = PaymentIntent.objects.filter(pk=till.intent["id"])
    if reason == "nothing_left":
        give_back(till, 25)
    elif reason == "settlement_missing":
        intent.get().credits.update(final_at=None)
    elif reason == "chain_unsupported":
        intent.update(settlement_chain="my-chain")
    before = all_rows()
    with pytest.raises(ServiceError) as refused:
        ask(till, caller)
    assert (refused.value.http_status, refused.value.code) == (409, "payout_not_possible")
    assert refused.value.details == {"reason": reason}
    assert all_rows() == before


def test_a_payout_whose_signer_is_gone_fails_and_sends_nothing(
    till: Till, caller: Principal, merchant: Merchant
) -> None:
    account = signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=fresh_wallet().address)
    settled(till)
    payout = ask(till, caller)
    account.delete()
    becomes_final(till)
    sweep_due()
    failed = shown(till.api, payout)
    assert (failed["status"], failed["failure_reason"]) == ("failed", "signer_missing")
    assert (told(payout), Transfer.objects.count()) == (["created", "failed"], 0)
