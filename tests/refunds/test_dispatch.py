"""What is ordered for a refund: on which rail, how much, to whom, and not before the money is the merchant's."""

from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from chains.models import SigningAccount, Transfer
from chains.transfers import RailName
from core.clock import now
from core.money import BaseUnits, usd
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent
from payments.services.transition import apply_trigger
from payouts.services import create_payout
from refunds.selectors import oldest_due_at
from refunds.services.advance import SWEEP, sweep_due
from refunds.services.dispatch import order_transfer
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA, credit
from tests.factories.refunds import USDC_ON_BASE, paid_intent, paid_leg, sends_anywhere
from tests.payments.world import World, advance, read
from tests.refunds.stories import PAYEE, ask, refund, refunded_usd, row, settled, steps, told, work

USDC_ON_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"


@pytest.fixture(autouse=True)
def _live_network(settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"


def account_of(merchant: Merchant, chain: str, address: str = ANNS_EVM, **fields: Any) -> SigningAccount:
    sends_anywhere(merchant)
    facts = {"mode": "live", "network": "localnet", "backend": "keystore", "key_reference": "k"}
    made: SigningAccount = SigningAccount.objects.create(
        merchant=merchant, chain=chain, address=address, **facts | fields
    )
    return made


def ordered(api: ApiClient, intent: PaymentIntent, amount: int = 10, destination: str = PAYEE) -> Transfer:
    made = refund(api, {"id": str(intent.pk)}, amount, destination=destination)
    transfer = order_transfer(intent.pk, row(made).pk)
    assert transfer is not None
    is_waiting = transfer.rail == RailName.MERCHANT_WALLET
    assert (row(made).rail, row(made).transfer_id) == (transfer.rail, transfer.pk)
    assert (steps(made)[-1], row(made).attempts) == (("queued", 0) if is_waiting else ("processing", 1))
    return transfer


def test_with_a_signing_account(merchant: Merchant, live_api: ApiClient) -> None:
    account = account_of(merchant, "base")
    transfer = ordered(live_api, paid_intent(merchant))
    assert (transfer.rail, transfer.account_id, transfer.sender) == (RailName.EVM, account.pk, ANNS_EVM)
    assert (transfer.purpose, transfer.network, transfer.mode, transfer.round) == ("refund", "localnet", "live", 1)
    assert (transfer.chain, transfer.token_address, transfer.token_decimals) == ("base", USDC_ON_BASE, 6)
    assert (transfer.recipient, str(transfer.base_units), str(transfer.value_usd)) == (PAYEE, "10000000", "10.000000")
    assert (transfer.merchant_id, transfer.behaviour) == (merchant.pk, "")
    account_of(merchant, "solana", ANNS_SOLANA)
    facts: dict[str, Any] = {"settlement_token_address": USDC_ON_SOLANA, "settlement_address": ANNS_SOLANA}
    intent = paid_intent(merchant, settlement_chain="solana", **facts)
    assert ordered(live_api, intent, destination=ANNS_SOLANA).rail == RailName.SOLANA


def test_without_a_signing_account_the_merchant_signs(merchant: Merchant, live_api: ApiClient) -> None:
    """Nor with one on another chain, on another network or of the other mode; live mode knows no scenario."""
    for elsewhere in ({}, {"chain": "polygon"}, {"network": "mainnet"}, {"mode": "test"}):
        if elsewhere:
            account_of(merchant, **{"chain": "base"} | elsewhere)
        transfer = ordered(live_api, paid_intent(merchant, metadata={"simulate": "refund_fail"}))
        assert (transfer.rail, transfer.account_id, transfer.sender) == (RailName.MERCHANT_WALLET, None, "")
        assert transfer.behaviour == ""


def test_a_refund_is_sent_once_a_wallet_was_shown_it(world: World, merchant: Merchant, live_api: ApiClient) -> None:
    """Until then it is queued, whatever the workers do, and can be cancelled; nobody is told that it is on its way."""
    intent = paid_intent(merchant)
    made = refund(live_api, {"id": str(intent.pk)}, 10, destination=PAYEE)
    for _ in range(3):
        sweep_due()
        world.wait(60)
    assert (steps(made), row(made).attempts, told(made)) == (["waiting", "queued"], 0, ["created"])
    transfer = Transfer.objects.get()
    assert (transfer.status, transfer.blocker) == ("new", "awaiting_wallet")
    other = refund(live_api, {"id": str(intent.pk)}, 10, destination=PAYEE)
    sweep_due()
    assert live_api.post(f"/refunds/{other['id']}/cancel").status == 200
    assert Transfer.objects.get(purpose_id=other["id"]).status == "failed"
    assert told(other) == ["created", "cancelled"]
    Transfer.objects.filter(pk=transfer.pk).update(status="signed", start_block=1)
    intent.credits.update(finalized_at=None)  # what may land is followed, whatever becomes of the credits
    assert order_transfer(intent.pk, row(made).pk) is not None
    assert (steps(made)[-1], row(made).attempts, told(made)) == ("processing", 1, ["created", "processing"])


def test_test_mode_plays_scenarios(merchant: Merchant, api: ApiClient) -> None:
    plays = {"refund_retry": "retry", "refund_fail": "fail", "refund_unknown": "unknown", "payout_fail": ""}
    for scenario, behaviour in plays.items():
        transfer = ordered(api, paid_intent(merchant, mode="test", metadata={"simulate": scenario}))
        assert (transfer.rail, transfer.network, transfer.behaviour) == ("simulated", "simulated", behaviour)


@pytest.mark.spec("Rulings C10.4")
@pytest.mark.parametrize("doubt", [{"finalized_at": None}, {"vanished_at": "2026-05-04T12:00:00Z"}])
def test_only_what_is_final_leaves(doubt: dict[str, Any], world: World, merchant: Merchant, api: ApiClient) -> None:
    """It is due and is not sent, which burns no attempt; the row is looked at again until they are."""
    intent = paid_intent(merchant, mode="test")
    intent.credits.update(**doubt)
    made = refund(api, {"id": str(intent.pk)}, 10, destination=PAYEE)
    assert sweep_due() == 1
    assert (steps(made), row(made).attempts, Transfer.objects.count()) == (["waiting", "queued"], 0, 0)
    assert sweep_due() == 0
    world.wait(10)
    assert oldest_due_at() is not None
    intent.credits.update(finalized_at=now(), vanished_at=None)
    work(world, 15)
    assert (steps(made)[-1], row(made).attempts) == ("paid", 1)


def test_nothing_leaves_while_the_settlement_is_reversed(world: World, merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test")
    made = refund(api, {"id": str(intent.pk)}, 10, destination=PAYEE)
    apply_trigger(intent, "reverse", actor="test")
    sweep_due()
    assert steps(made)[-1] == "queued"
    apply_trigger(intent, "restore", actor="test")
    world.wait(10)
    sweep_due()
    assert steps(made)[-1] == "processing"


def test_nothing_leaves_while_more_is_promised_than_arrived(world: World, merchant: Merchant, api: ApiClient) -> None:
    """A reorganisation took a part: both refunds wait until a person cancels one."""
    intent = paid_intent(merchant, mode="test")
    first, second = (refund(api, {"id": str(intent.pk)}, 12, destination=PAYEE) for _ in range(2))
    intent.credits.update(base_units=BaseUnits(20_000_000))
    PaymentIntent.objects.filter(pk=intent.pk).update(received_usd=usd("20"))
    sweep_due()
    assert (steps(first)[-1], steps(second)[-1]) == ("queued", "queued")
    assert api.post(f"/refunds/{first['id']}/cancel").status == 200
    world.wait(10)
    work(world)
    assert (steps(first)[-1], steps(second)[-1]) == ("cancelled", "paid")


def test_an_intent_that_is_being_topped_up_is_marked_later(world: World, merchant: Merchant, api: ApiClient) -> None:
    """Everything went back while a payer was asking for a quote: the intent is marked when it can be."""
    intent = paid_intent(
        merchant, mode="test", status="partially_filled", units=15_000_000, target_base_units=25_000_000
    )
    made = refund(api, {"id": str(intent.pk)}, 15, destination=PAYEE)
    sweep_due()
    PaymentIntent.objects.filter(pk=intent.pk).update(status="quoted")
    work(world, 3)
    assert (steps(made)[-1], str(refunded_usd({"id": intent.pk}))) == ("paid", "15.000000")
    assert read(api, {"id": str(intent.pk)})["status"] == "quoted"
    PaymentIntent.objects.filter(pk=intent.pk).update(status="expired")
    advance(api, 30)
    assert sweep_due() == 1
    assert read(api, {"id": str(intent.pk)})["status"] == "refunded"
    assert row(made).next_attempt_at is None
    assert refunded_usd({"id": intent.pk}) == 15


def claimed() -> list[UUID]:
    return [one.key for one in SWEEP.claim()]


@pytest.mark.spec("Rulings B3.1")
def test_a_claim_moves_the_due_time_by_a_lease(world: World, api: ApiClient) -> None:
    """An attempt that is planned is not taken over."""
    made = refund(api, settled(world, api), destination=PAYEE)
    assert claimed() == [row(made).pk]
    assert (claimed(), oldest_due_at()) == ([], None)
    world.wait(45)
    assert claimed() == [row(made).pk]
    SWEEP.take_over()
    assert claimed() == [row(made).pk]
    made = refund(api, settled(world, api, metadata={"simulate": "refund_retry"}), destination=PAYEE)
    sweep_due()
    planned = row(made).next_attempt_at
    assert planned == row(made).retry_at
    SWEEP.take_over()
    assert row(made).next_attempt_at == planned
    assert order_transfer(row(made).intent_id, row(made).pk) is None  # a late worker: not yet


def test_one_that_breaks_does_not_hold_up_the_others(world: World, merchant: Merchant, api: ApiClient) -> None:
    broken = paid_intent(merchant, mode="test")
    paid_leg(broken)
    first = refund(api, {"id": str(broken.pk)}, 10, destination=PAYEE)
    second = refund(api, settled(world, api), 10, destination=PAYEE)
    row(first).__class__.objects.filter(pk=first["id"]).update(status="processing", transfer=None)
    work(world)
    assert steps(second)[-1] == "paid"
    assert ask(api, {"id": str(broken.pk)}, 15, destination=PAYEE).status == 201


def test_a_refund_of_what_a_payout_took_waits(world: World, api: ApiClient, principal: Principal) -> None:
    intent = settled(world, api)
    create_payout(principal, UUID(intent["id"]), "k")
    surplus = credit(
        PaymentIntent.objects.get(pk=intent["id"]), 5_000_000, block_time=now(), final_at=now(), finalized_at=now()
    )
    made = refund(api, intent, 5, destination=PAYEE)
    Credit.objects.filter(pk=surplus.pk).update(reversed_at=now(), final_at=None, finalized_at=None)
    work(world)
    assert (steps(made), Transfer.objects.filter(purpose="refund").count()) == (["waiting", "queued"], 0)
    assert api.post(f"/refunds/{made['id']}/cancel").status == 200
