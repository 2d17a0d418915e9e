"""Payouts of live intents: what settled at the merchant's address is paid; what settled with its signer is sent on."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from chains.models import SigningAccount, Transfer
from core.errors import ServiceError
from core.modes import Mode
from core.money import usd
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.services import create_payout, sweep_due
from tests.factories.payments import settlement_profile
from tests.factories.rows import all_rows
from tests.live.conftest import Till
from tests.payouts.stories import passed, shown, told


@pytest.fixture
def caller(merchant: Merchant) -> Principal:
    """The merchant's key in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")


def settled(till: Till, amount: str = "25", **fields: Any) -> str:
    """Have the payer pay; the transaction's hash."""
    till.issue_and_pay(amount, **fields)
    assert till.finish()["status"] == "settled"
    return till.leg().tx_hash


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
    assert (sweep_due(), create_payout(caller, UUID(till.intent["id"]), "another").payout.pk) == (0, payout.pk)
    assert (all_rows(), Transfer.objects.count(), till.held()) == (before, 0, 12_340_000)
    refused = till.api.post(f"/payouts/{payout.pk}/replay")
    assert (refused.status, refused.body["code"]) == (409, "payout_not_replayable")


ELSEWHERE: dict[str, dict[str, object]] = {
    "an address of no signer": {"address": "0x7E57000000000000000000000000000000000DE4"},
    "a signer on another chain": {"chain": "ethereum"},
    "a signer of test mode": {"mode": "test", "network": "simulated"},
    "the signer itself": {},
}


@pytest.mark.parametrize("other", ELSEWHERE)
def test_what_settled_elsewhere_is_direct_whatever_the_profile_says(
    till: Till, caller: Principal, merchant: Merchant, other: str
) -> None:
    """As is what settled with the signer and belongs there. Live mode plays no scenario."""
    home = till.merchant if other == "the signer itself" else fresh_wallet().address
    settlement_profile(merchant, chain="base", token="USDC", address=home)
    signer_at(till, caller, **ELSEWHERE[other])
    settled(till, metadata={"simulate": "payout_fail"})
    payout = ask(till, caller)
    assert (payout.rail, payout.status, payout.destination) == ("direct", "paid", till.merchant)
    assert Transfer.objects.count() == 0


@pytest.mark.spec("Rulings D1.2")
@pytest.mark.parametrize("back", ["0", "10.5"], ids=["whole", "less a refund"])
def test_what_settled_with_the_signer_is_sent_on_to_the_profile_s_address(
    till: Till, caller: Principal, merchant: Merchant, back: str
) -> None:
    home = fresh_wallet().address
    account = signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=home)
    settled(till)
    if back != "0":
        give_back(till, float(back))
    payout, left = ask(till, caller), Decimal(25) - Decimal(back)
    assert (payout.rail, payout.status, payout.destination) == ("evm", "queued", home)
    assert (int(payout.base_units), payout.amount_usd, payout.tx_hash) == (int(left * 10**6), usd(str(left)), "")
    assert told(payout) == ["created"]
    till.node.mine(70)
    till.sweep(2)
    sweep_due()
    ordered = Transfer.objects.get(purpose="payout")
    assert (ordered.purpose_id, ordered.rail) == (payout.pk, "evm")
    assert (ordered.account_id, ordered.sender, ordered.recipient) == (account.pk, till.merchant, home)
    assert (int(ordered.base_units), ordered.token_address, ordered.network) == (
        int(left * 10**6),
        till.token,
        "localnet",
    )
    assert (ordered.value_usd, ordered.behaviour) == (usd(str(left)), "")


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
    assert (refused.value.details, all_rows()) == ({"reason": reason}, before)


def test_a_payout_whose_signer_is_gone_fails_and_sends_nothing(
    till: Till, caller: Principal, merchant: Merchant
) -> None:
    account = signer_at(till, caller)
    settlement_profile(merchant, chain="base", token="USDC", address=fresh_wallet().address)
    settled(till)
    payout = ask(till, caller)
    account.delete()
    till.node.mine(70)
    till.sweep(2)
    sweep_due()
    failed = shown(till.api, payout)
    assert (failed["status"], failed["failure_reason"]) == ("failed", "signer_missing")
    assert (told(payout), Transfer.objects.count()) == (["created", "failed"], 0)
