"""Payouts of live intents: what settled at the merchant's address is paid; what settled with its signer is sent on."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from chains.models import SigningAccount, Transfer
from core.errors import ServiceError
from core.money import usd
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent, SettlementProfile
from payouts.models import Payout
from payouts.services import create_payout, sweep_due
from tests.factories.payments import settlement_profile
from tests.factories.rows import all_rows
from tests.live.evm_till import Till
from tests.payouts.stories import passed, shown, told


def settled(till: Till, amount: str = "25", **fields: Any) -> str:
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


def ask(till: Till, caller: Principal, key: str = "k") -> Payout:
    return create_payout(caller, UUID(till.intent["id"]), key).payout


@pytest.fixture
def home(merchant: Merchant) -> str:
    """Where the merchant's settlement profile says that its money goes."""
    address: str = fresh_wallet().address
    settlement_profile(merchant, chain="base", token="USDC", address=address)
    return address


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
    assert (sweep_due(), ask(till, caller, "another").pk) == (0, payout.pk)
    assert (all_rows(), Transfer.objects.count(), till.held()) == (before, 0, 12_340_000)
    refused = till.api.post(f"/payouts/{payout.pk}/replay")
    assert (refused.status, refused.body["code"]) == (409, "payout_not_replayable")


ELSEWHERE: dict[str, dict[str, object]] = {
    "an address of no signer": {"address": "0x7E57000000000000000000000000000000000DE4"},
    "a signer on another chain": {"chain": "ethereum"},
    "a signer of test mode": {"mode": "test", "network": "simulated"},
    "the signer itself": {},
}


def test_what_settled_elsewhere_is_direct_whatever_the_profile_says(till: Till, caller: Principal, home: str) -> None:
    """As is what settled with the signer and belongs there. Live mode plays no scenario."""
    for name, place in ELSEWHERE.items():
        if not place:
            SettlementProfile.objects.update(address=till.merchant)
        signer = signer_at(till, caller, **place)
        settled(till, metadata={"simulate": "payout_fail"})
        payout = ask(till, caller, till.intent["id"])
        seen = (payout.rail, payout.status, payout.destination, Transfer.objects.count())
        assert (name, *seen) == (name, "direct", "paid", till.merchant, 0)
        signer.delete()


@pytest.mark.spec("Rulings D1.2")
@pytest.mark.parametrize("back", ["0", "10.5"], ids=["whole", "less a refund"])
def test_what_settled_with_the_signer_is_sent_on_to_the_profile_s_address(
    till: Till, caller: Principal, home: str, back: str
) -> None:
    account, left = signer_at(till, caller), Decimal(25) - Decimal(back)
    settled(till)
    if back != "0":
        give_back(till, float(back))
    payout, units = ask(till, caller), int(left * 10**6)
    assert (payout.rail, payout.status, payout.destination) == ("evm", "queued", home)
    assert (int(payout.base_units), payout.amount_usd, payout.tx_hash) == (units, usd(str(left)), "")
    assert told(payout) == ["created"]
    till.end()
    sweep_due()
    ordered = Transfer.objects.get(purpose="payout")
    assert (ordered.purpose_id, ordered.rail, ordered.network) == (payout.pk, "evm", "localnet")
    assert (ordered.account_id, ordered.sender, ordered.recipient) == (account.pk, till.merchant, home)
    assert (int(ordered.base_units), ordered.token_address) == (units, till.token)
    assert (ordered.value_usd, ordered.behaviour) == (usd(str(left)), "")


@pytest.mark.spec("Rulings D1.3")
@pytest.mark.parametrize("reason", ["destination_missing", "nothing_left", "settlement_missing", "chain_unsupported"])
def test_every_other_combination_is_refused(till: Till, caller: Principal, home: str, reason: str) -> None:
    signer_at(till, caller)
    if reason == "destination_missing":
        SettlementProfile.objects.all().delete()
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


@pytest.mark.usefixtures("home")
def test_a_payout_whose_signer_is_gone_fails_and_sends_nothing(till: Till, caller: Principal) -> None:
    account = signer_at(till, caller)
    settled(till)
    payout = ask(till, caller)
    account.delete()
    till.end()
    sweep_due()
    failed = shown(till.api, payout)
    assert (failed["status"], failed["failure_reason"]) == ("failed", "signer_missing")
    assert (told(payout), Transfer.objects.count()) == (["created", "failed"], 0)
