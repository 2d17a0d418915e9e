"""What arrived, what went back and what was paid out, counted once: live, on a real node."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from chains.models import SigningAccount, Transfer
from core.clock import now
from core.money import usd
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import Credit, PaymentIntent, PaymentPolicy, SettlementProfile
from payouts.errors import PayoutNotPossible
from payouts.models import Payout
from payouts.services import create_payout
from payouts.services import sweep_due as sweep_payouts
from refunds.models import Refund
from tests.factories.payments import settlement_profile
from tests.live.evm_till import Till
from tests.live.signers import money_goes, settles_with_signer
from tests.live.test_unlucky_payments import cut_to
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, send_form, sign_in, text_of
from tests.payments.world import read
from tests.payouts.stories import told


@pytest.fixture
def signer(till: Till, merchant: Merchant, settings: Settings) -> str:
    """The till settles at the merchant's own signing account; where payouts go from there."""
    settles_with_signer(till, merchant, settings)
    home, _ = till.new_key()
    settlement_profile(merchant, chain="base", token="USDC", address=home)
    return home


def pay(till: Till, units: int | None = None) -> dict[str, Any]:
    """Have the payer pay what is asked, or so many units, and the chain call it final; the intent."""
    attempt = till.again() if till.intent else till.issue("25")
    wanted = attempt["transactions"][0]
    request = wanted["request"] if units is None else cut_to(wanted["request"], units)
    till.page.report(attempt, wanted["leg_sequence"], till.node.send(till.payer, request))
    return till.end()


def refund(till: Till, dollars: int, destination: str, **fields: Any) -> Any:
    body = {"intent_id": till.intent["id"], "amount_usd": dollars, "destination": destination, **fields}
    return till.api.post("/refunds", body)


def payout(till: Till, caller: Principal, *, rest: bool = False, key: str = "k") -> Payout:
    return create_payout(caller, UUID(till.intent["id"]), key, rest=rest).payout


@pytest.mark.parametrize("is_sent", [False, True])
@pytest.mark.usefixtures("signer")
def test_what_was_given_back_is_due_again(till: Till, is_sent: bool) -> None:
    assert pay(till, 24_000_000)["status"] == "partially_filled"
    assert refund(till, 20, fresh_wallet().address).status == 201
    if is_sent:
        money_goes(till)
    body = read(till.api, till.intent)
    assert (body["status"], body["amount_due"]) == ("partially_filled", "21.00")
    short = pay(till, 1_000_000)
    assert (short["status"], short["amount_received"], short["amount_due"]) == ("partially_filled", "25.00", "20.00")
    assert "settled" not in till.told()
    full = pay(till)
    assert (full["status"], full["amount_received"], full["amount_due"]) == ("settled", "45.00", "0.00")
    intent = PaymentIntent.objects.get(pk=till.intent["id"])
    assert (intent.net_settlement_usd, intent.overpaid_usd) == (usd("25"), usd("0"))


def test_late_money_does_not_settle_with_what_was_given_back(till: Till, merchant: Merchant) -> None:
    PaymentPolicy.objects.create(merchant=merchant, mode="live", late="settle", late_since=now() - timedelta(days=1))
    first = till.issue("25")
    till.decline(first)
    second = till.again()
    till.node.send(till.payer, cut_to(first["transactions"][0]["request"], 24_000_000))
    till.end()
    ago = now() - timedelta(minutes=5)
    PaymentIntent.objects.filter(pk=till.intent["id"]).update(expires_at=ago, expires_due_at=ago)
    assert (till.sweep(2)["status"], refund(till, 20, fresh_wallet().address).status) == ("expired", 201)
    till.node.send(till.payer, cut_to(second["transactions"][0]["request"], 1_000_000))
    body = till.end()
    assert (body["status"], body["amount_received"]) == ("expired", "25.00")


def test_a_payout_leaves_what_a_waiting_refund_holds(till: Till, caller: Principal, signer: str) -> None:
    pay(till)
    payer = fresh_wallet().address
    assert refund(till, 10, payer).status == 201
    made = payout(till, caller)
    assert (made.base_units, made.amount_usd, made.less_refunds_usd) == (15_000_000, usd("15"), usd("10"))
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, Refund.objects.get().status) == ("paid", "paid")
    balances = (till.held(signer), till.held(payer), till.held())
    assert balances == (15_000_000, 10_000_000, 0)


@pytest.mark.usefixtures("signer")
def test_a_refund_after_a_payout_needs_the_merchants_explicit_word(till: Till, caller: Principal) -> None:
    pay(till)
    payout(till, caller)
    refused = refund(till, 10, till.payer.address)
    assert (refused.status, refused.body["code"]) == (422, "refund_exceeds_balance")
    assert refused.body["details"] == {"requested_usd": 10, "refundable_usd": 0, "paid_out_usd": 25}
    assert not Refund.objects.exists()
    assert refund(till, 26, till.payer.address, from_other_funds=True).status == 422
    assert refund(till, 10, till.payer.address, from_other_funds=True).status == 201
    assert refund(till, 16, till.payer.address, from_other_funds=True).status == 422
    assert [(one.amount_usd, one.other_funds_usd) for one in Refund.objects.all()] == [(usd("10"), usd("10"))]


@pytest.mark.usefixtures("signer")
def test_a_payout_waits_until_its_payment_is_final(till: Till, caller: Principal) -> None:
    """Also one that was held meanwhile."""
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    made = payout(till, caller)
    assert Credit.objects.get().finalized_at is None
    held = {"status": "paused", "failure_reason": "agents_paused", "next_attempt_at": now()}
    for before in ({}, held):
        Payout.objects.filter(pk=made.pk).update(**{"next_attempt_at": now()} | before)
        sweep_payouts()
        made.refresh_from_db()
        assert (made.status, Transfer.objects.count()) == ("queued", 0)
    till.end()
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, Transfer.objects.count()) == ("paid", 1)


def test_money_that_came_after_a_payout_can_be_paid_out_too(till: Till, caller: Principal, signer: str) -> None:
    first = till.issue("25")
    till.decline(first)
    pay(till)
    one = payout(till, caller)
    money_goes(till)
    till.node.send(till.payer, first["transactions"][0]["request"])
    assert (till.end()["overpaid_usd"], payout(till, caller, key="again").pk) == ("25.00", one.pk)
    two = payout(till, caller, rest=True, key="rest")
    assert two.pk != one.pk
    assert (two.base_units, two.amount_usd) == (25_000_000, usd("25"))
    money_goes(till)
    two.refresh_from_db()
    assert (two.status, till.held(signer)) == ("paid", 50_000_000)
    with pytest.raises(PayoutNotPossible):
        payout(till, caller, rest=True, key="more")
    assert Payout.objects.count() == 2


def test_a_failed_payout_is_not_replayed_over_a_refund_made_since(till: Till, caller: Principal, signer: str) -> None:
    pay(till)
    made = payout(till, caller)
    SigningAccount.objects.update(cap_per_transfer_usd=usd("1"))
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, made.failure_reason) == ("failed", "cap_exceeded")
    SigningAccount.objects.update(cap_per_transfer_usd=usd("100"))
    assert refund(till, 10, till.payer.address).status == 201
    refused = till.api.post(f"/payouts/{made.pk}/replay")
    assert (refused.status, refused.body["code"]) == (409, "payout_not_replayable")
    assert refused.body["details"]["reason"] == "balance_changed"
    rest = payout(till, caller, rest=True, key="rest")
    assert (rest.pk != made.pk, rest.base_units) == (True, 15_000_000)
    money_goes(till)
    assert till.held(signer) == 15_000_000


def test_dust_changes_no_status_stops_no_cancel_and_does_not_close_the_payments_mark(till: Till) -> None:
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    till.node.send(till.stranger(10), cut_to(request, 1))
    body = till.finish()
    assert (body["status"], body["amount_received"], till.credited()) == ("awaiting_signature", "0.000001", [1])
    assert [one for one in till.told() if one in {"executing", "partially_filled"}] == []
    till.report(attempt, till.node.send(till.payer, request))
    body = till.finish()
    assert (body["status"], body["amount_received"]) == ("settled", "25.000001")
    other = till.issue("25")
    till.node.send(till.payer, cut_to(other["transactions"][0]["request"], 1))
    assert till.finish()["status"] == "awaiting_signature"
    cancelled = till.api.post(f"/payment-intents/{till.intent['id']}/cancel")
    assert (cancelled.status, cancelled.body["status"], till.credited()) == (200, "cancelled", [1])


def test_a_queued_payout_waits_when_its_address_was_given_up(
    till: Till, caller: Principal, signer: str, account: NewMerchant
) -> None:
    old, new = signer, fresh_wallet().address
    pay(till)
    till.node.fund(till.merchant, 0)  # no gas: it waits
    made = payout(till, caller)
    sweep_payouts()
    made.refresh_from_db()
    assert (made.status, made.failure_reason) == ("retry_scheduled", "insufficient_gas")

    SettlementProfile.objects.update(address=new)
    till.node.fund(till.merchant)
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, made.failure_reason, made.next_attempt_at) == ("paused", "destination_changed", None)
    assert [till.held(address) for address in (old, new)] == [0, 0]

    owner = sign_in(OWNER)
    confirm_identity(owner)
    add_second_factor(OWNER)
    page = text_of(owner.get(f"/dashboard/live/payouts/{made.pk}/"))
    assert (old in page, new in page) == (True, True)
    send_form(owner, f"/dashboard/live/payouts/{made.pk}/readdress/", destination=new)
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, made.destination, made.destination_released_by) == ("paid", new, "")
    assert [till.held(address) for address in (old, new)] == [0, 25_000_000]
    assert told(made) == ["created", "processing", "retry_scheduled", "paused", "processing", "paid"]
