"""What arrived, what went back and what was paid out, counted once: live, on a real node."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from chains.models import SigningAccount, Transfer
from core.clock import now
from core.modes import Mode
from core.money import usd
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent, PaymentPolicy
from payouts.errors import PayoutNotPossible
from payouts.models import Payout
from payouts.services import create_payout
from payouts.services import sweep_due as sweep_payouts
from refunds.models import Refund
from refunds.services.advance import sweep_due as sweep_refunds
from tests.factories.payments import settlement_profile
from tests.live.buyer import Buyer, asset
from tests.live.conftest import BASE_USDC, Till
from tests.live.signers import settles_with_signer
from tests.live.test_unlucky_payments import cut_to
from tests.payments.world import read

MUCH_LATER = 70
"""Blocks after which the local chain calls everything final."""


@pytest.fixture
def caller(merchant: Merchant) -> Principal:
    """The merchant's key in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")


@pytest.fixture
def signer(till: Till, merchant: Merchant, settings: Settings) -> str:
    """The till settles at the merchant's own signing account; where payouts go from there."""
    wallet, home = fresh_wallet(), fresh_wallet().address
    settles_with_signer(till, merchant, settings, wallet.address, wallet.key.hex())
    till.node.fund(till.merchant)
    settlement_profile(merchant, chain="base", token="USDC", address=home)
    return home


def pay(till: Till, units: int | None = None) -> dict[str, Any]:
    """Have the payer pay what is asked, or so many units, and the chain call it final; the intent."""
    attempt = till.issue("25") if till.page is None else till.again()
    wanted = attempt["transactions"][0]
    request = wanted["request"] if units is None else cut_to(wanted["request"], units)
    assert till.page is not None
    till.page.report(attempt, wanted["leg_sequence"], till.node.send(till.payer, request))
    till.sweep()
    till.node.mine(MUCH_LATER)
    return till.sweep(3)


def refund(till: Till, dollars: int, destination: str, **fields: Any) -> Any:
    """Ask for a refund."""
    body = {"intent_id": till.intent["id"], "amount_usd": dollars, "destination": destination, **fields}
    return till.api.post("/refunds", body)


def money_goes(till: Till) -> None:
    """Let refunds and payouts go to their ends."""
    for _ in range(6):
        for model in (Refund, Payout):
            model._default_manager.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
        sweep_refunds()
        sweep_payouts()
        till.node.mine(MUCH_LATER)
        till.sweep()


def payout(till: Till, caller: Principal, *, rest: bool = False, key: str = "k") -> Payout:
    """The payout that the intent has or gets."""
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
    assert till.page is not None
    till.page.act("rejected", {"attempt_id": first["id"]})
    second = till.again()
    till.node.send(till.payer, cut_to(first["transactions"][0]["request"], 24_000_000))
    till.sweep()
    till.node.mine(MUCH_LATER)
    till.sweep(3)
    ago = now() - timedelta(minutes=5)
    PaymentIntent.objects.filter(pk=till.intent["id"]).update(expires_at=ago, expires_due_at=ago)
    assert (till.sweep(2)["status"], refund(till, 20, fresh_wallet().address).status) == ("expired", 201)
    till.node.send(till.payer, cut_to(second["transactions"][0]["request"], 1_000_000))
    till.sweep()
    till.node.mine(MUCH_LATER)
    body = till.sweep(4)
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
    balances = (till.node.balance(BASE_USDC, signer), till.node.balance(BASE_USDC, payer), till.held())
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


def test_everything_in_refunds_leaves_nothing_to_pay_out(till: Till, caller: Principal, signer: str) -> None:
    pay(till)
    assert refund(till, 25, till.payer.address).status == 201
    with pytest.raises(PayoutNotPossible) as refusal:
        payout(till, caller)
    assert refusal.value.details == {"reason": "nothing_left"}
    assert (Payout.objects.count(), till.node.balance(BASE_USDC, signer)) == (0, 0)


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
    till.node.mine(MUCH_LATER)
    till.sweep(2)
    money_goes(till)
    made.refresh_from_db()
    assert (made.status, Transfer.objects.count()) == ("paid", 1)


def test_money_that_came_after_a_payout_can_be_paid_out_too(till: Till, caller: Principal, signer: str) -> None:
    first = till.issue("25")
    assert till.page is not None
    till.page.act("rejected", {"attempt_id": first["id"]})
    pay(till)
    one = payout(till, caller)
    money_goes(till)
    till.node.send(till.payer, first["transactions"][0]["request"])
    till.sweep()
    till.node.mine(MUCH_LATER)
    assert (till.sweep(3)["overpaid_usd"], payout(till, caller, key="again").pk) == ("25.00", one.pk)
    two = payout(till, caller, rest=True, key="rest")
    assert two.pk != one.pk
    assert (two.base_units, two.amount_usd) == (25_000_000, usd("25"))
    money_goes(till)
    two.refresh_from_db()
    assert (two.status, till.node.balance(BASE_USDC, signer)) == ("paid", 50_000_000)
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
    assert till.node.balance(BASE_USDC, signer) == 15_000_000


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


def test_a_direct_payment_has_no_tolerance_of_bridges(live_api: Any, lifi: Any, merchant: Merchant) -> None:
    PaymentPolicy.objects.create(merchant=merchant, mode="live", tolerance_bps=500)
    buyer = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    buyer.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 500_000_000)
    lifi.nodes["base"].fund(buyer.payer.address)
    lifi.nodes["base"].mint(BASE_USDC, buyer.payer.address, 500_000_000)
    page = buyer.open("100")
    [direct] = [one for one in page.connect() if (one["chain"], one["token_address"]) == ("base", BASE_USDC)]
    first = page.choose(direct)
    page.act("start", {"attempt_id": first["id"]})
    buyer.sweep()
    issued = page.state()["attempt"]
    request = issued["transactions"][0]["request"]
    page.act("rejected", {"attempt_id": issued["id"]})
    [bridged] = [one for one in page.connect() if one["chain"] == "arbitrum" and one["symbol"] == "USDC"]
    second = page.choose(bridged)
    page.act("start", {"attempt_id": second["id"]})
    buyer.sweep()
    attempt = page.state()["attempt"]
    page.report(attempt, attempt["transactions"][0]["leg_sequence"], "0x" + "ab" * 32)
    buyer.node.send(buyer.payer, cut_to(request, 95_000_000))
    buyer.node.mine(50)
    body = buyer.sweep(4)
    assert (body["status"], body["amount_received"], body["amount_due"]) == ("partially_filled", "95.00", "5.00")
