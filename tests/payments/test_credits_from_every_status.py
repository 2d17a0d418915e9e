"""Money is seen whatever an intent's status is, and never lost. Source: rulings, section C 1 and 12."""

from typing import Any

import pytest
from django.db import transaction

from chains.clients.simulated import SimulatedChain, SimulatedLeg
from core.money import usd
from payments.models import Credit, Leg, PaymentIntent
from payments.services.credits import Known, record_transfers
from payments.services.outcome import conclude
from payments.services.transition import apply_trigger, locked_intent
from payments.services.underway import underway
from tests.conftest import ApiClient
from tests.payments.arrivals import arrives
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, advance, create, events, history, pay, read

WHOLE, PART = 25_000_000, 15_000_000
UNFINISHED = {"created", "requires_payment", "quoted", "awaiting_signature", "partially_filled"}
OVER = {"failed", "expired", "cancelled"}
SOME = ["created", "partially_filled"]
"""Without any money and with some; the others differ no further, and only the whole amount tries them all here."""


@pytest.mark.spec("Rulings C1.1; Credits are observed from every status")
@pytest.mark.parametrize("status", sorted(UNFINISHED))
def test_the_whole_amount_settles_what_is_not_over(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    before, told = history(intent), events(intent)
    arrives(intent, WHOLE - (PART if status == "partially_filled" else 0))
    now_shown = read(api, intent)
    assert (now_shown["status"], now_shown["amount_received"], now_shown["amount_due"]) == ("settled", "25.00", "0.00")
    assert history(intent) == [*before, "executing", "settled"]
    assert events(intent) == [*told, "executing", "settled"]
    world.run(2)
    assert history(intent) == [*before, "executing", "settled"]
    assert UNFINISHED | OVER | {"executing", "settled", "refunded"} == set(STORIES), "every status is tried here"


@pytest.mark.parametrize("status", SOME)
def test_a_part_leaves_the_rest_to_pay(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    before, told = history(intent), events(intent)
    arrives(intent, 5_000_000)
    shown = read(api, intent)
    assert (shown["status"], shown["partially_funded"]) == ("partially_filled", True)
    assert shown["amount_received"] == ("20.00" if status == "partially_filled" else "5.00")
    assert history(intent) == [*before, "executing", "partially_filled"]
    assert events(intent) == [*told, "executing", "partially_filled"]
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 409
    pay(api, intent)
    world.run(4)
    assert read(api, intent)["status"] == "settled"


def test_what_completes_the_amount_settles_while_executing_and_as_dust(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "executing")
    arrives(intent, PART)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"]) == ("executing", "15.00")
    arrives(intent, WHOLE - PART)
    assert read(api, intent)["status"] == "settled"
    intent = create(api, amount=15.5)
    pay(api, intent, "partial")
    world.run(4)
    arrives(intent, 15_500_000 - 9_300_000 - 500_000)
    assert read(api, intent)["amount_due"] == "0.50"
    arrives(intent, 500_000)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.spec("Rulings C1.1; Rulings C1.4; Rulings C1.7; Late money: stays, late_payment")
@pytest.mark.spec("Policy settle never applies to cancelled")
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize(
    ("status", "units"), [("expired", WHOLE), ("expired", PART), ("failed", WHOLE), ("cancelled", WHOLE)]
)
def test_money_after_the_end_changes_no_status_and_can_be_refunded(
    world: World, api: ApiClient, status: str, units: int, late: bool
) -> None:
    """But what was paid in full before it expired, and only seen late, settles."""
    intent = intent_in(world, api, status)
    before, told = history(intent), events(intent)
    arrives(intent, units, late=late)
    shown = read(api, intent)
    if (status, units, late) == ("expired", WHOLE, False):
        assert (shown["status"], shown["amount_received"]) == ("settled", "25.00")
        assert (shown["settled_reason"], events(intent)) == ("paid_before_expiry", ["created", "expired", "settled"])
        return
    assert (shown["status"], shown["amount_received"]) == (status, f"{units // 10**6}.00")
    assert (history(intent), events(intent)) == (before, [*told, "late_payment"])
    world.run(2)
    assert events(intent) == [*told, "late_payment"]
    with transaction.atomic():
        apply_trigger(locked_intent(intent["id"]), "refund", actor="test")
    assert (read(api, intent)["status"], events(intent)[-1]) == ("refunded", "refunded")


@pytest.mark.spec("amount_received = net_settlement + platform_fee")
def test_money_after_settling_is_an_overpayment_and_after_refunding_is_told(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "settled")
    arrives(intent, WHOLE)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"], shown["overpaid_usd"]) == ("settled", "50.00", "25.00")
    assert events(intent) == ["created", "quoted", "executing", "settled", "overpaid"]
    row = PaymentIntent.objects.get()
    assert row.received_usd == (row.net_settlement_usd or 0) + (row.platform_fee_usd or 0)
    intent = intent_in(world, api, "refunded")
    told = events(intent)
    arrives(intent, PART, late=True)
    assert (read(api, intent)["status"], read(api, intent)["amount_received"]) == ("refunded", "40.00")
    assert events(intent) == [*told, "late_payment"]


@pytest.mark.spec("Rulings C12.2; Dust never changes a status")
@pytest.mark.parametrize("status", SOME)
def test_dust_changes_no_status_and_what_is_not_final_yet_is_on_its_way(
    world: World, api: ApiClient, status: str
) -> None:
    intent = intent_in(world, api, status)
    before, told = history(intent), events(intent)
    for units, final in ((999_999, True), (500_000, False)):
        arrives(intent, units, final=final)
        assert (read(api, intent)["status"], history(intent), events(intent)) == (status, before, told)
    arrives(intent, 10_000_000, final=False)
    assert (read(api, intent)["status"], history(intent)) == ("executing", [*before, "executing"])


@pytest.mark.spec("Rulings C1.2; Contract 0.6; Contract 2.7")
@pytest.mark.spec("With anything received a lapse or abandon returns to partially_filled")
def test_whatever_ends_a_try_to_pay_the_rest_leaves_what_arrived(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    payer = Payer.of(intent)
    payer.quote(world)
    world.wait(60)
    world.run(1)
    assert history(intent)[-3:] == ["partially_filled", "quoted", "partially_filled"]
    assert events(intent)[-2:] == ["partially_filled", "quoted"]
    payer.act("rejected", {"attempt_id": payer.start(world)["id"]})
    assert history(intent)[-4:] == ["partially_filled", "quoted", "awaiting_signature", "partially_filled"]
    payer.start(world)
    world.wait(600)
    world.run(1)
    assert history(intent)[-4:] == ["partially_filled", "quoted", "awaiting_signature", "partially_filled"]
    advance(api, 1800)
    world.run(1)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"], shown["partially_funded"]) == ("expired", "15.00", True)


def sent_unseen(world: World, api: ApiClient, delay: float) -> tuple[dict[str, Any], Leg]:
    """An intent whose payer signed; the wallet sends only later, and reports nothing."""
    intent = create(api)
    Payer.of(intent).start(world)
    world.wait(delay)
    return intent, Leg.objects.get()


def send(leg: Leg, **changes: Any) -> None:
    asked = leg.intent
    facts: dict[str, Any] = {"owner": f"m{leg.merchant_id}", "tag": str(leg.pk), "sender": leg.payer_address}
    facts |= {"chain": leg.chain, "token": leg.token_address, "input_base_units": leg.input_base_units}
    facts |= {"to_chain": leg.to_chain, "destination_token": asked.settlement_token_address}
    facts |= {"recipient": asked.settlement_address, "output_base_units": leg.min_output_base_units}
    SimulatedChain().broadcast(SimulatedLeg(**facts | changes))


@pytest.mark.spec("Rulings C1.8; Signed but unsent against cancel; Signed but unsent against expire")
@pytest.mark.parametrize(
    ("how", "ended"),
    [
        *(("cancelled", "cancelled"), ("expired", "expired"), ("expired in the test world", "expired")),
        *(("declined", "requires_payment"), ("unsigned for long", "requires_payment")),
    ],
)
def test_signed_and_sent_when_nobody_waits_any_more(world: World, api: ApiClient, how: str, ended: str) -> None:
    """In the merchant's test world it is late by the test clock, whatever the shown times say."""
    intent, leg = sent_unseen(world, api, 1)
    match how:
        case "cancelled":
            assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
        case "expired in the test world":
            advance(api, 1800)
        case "declined":
            payer = Payer.of(intent)
            payer.act("rejected", {"attempt_id": payer.state()["attempt"]["id"]})
        case _:
            world.wait(1799 if how == "expired" else 600)
    world.run(1)
    assert read(api, intent)["status"] == ended
    send(leg)
    world.run(5)
    shown = read(api, intent)
    if ended == "requires_payment":
        assert (shown["status"], history(intent)[-3:]) == ("settled", ["requires_payment", "executing", "settled"])
        return
    assert (shown["status"], shown["amount_received"]) == (ended, "25.00")
    assert Credit.objects.get().late is (ended == "expired")
    assert events(intent) == ["created", "quoted", ended, "late_payment"]


def test_two_payments_both_arrive(world: World, api: ApiClient) -> None:
    """The first was declined on the page and sent all the same, after the second had paid."""
    intent, leg = sent_unseen(world, api, 1)
    payer = Payer.of(intent)
    payer.act("rejected", {"attempt_id": payer.state()["attempt"]["id"]})
    payer.pay(payer.start(world))
    world.run(4)
    assert read(api, intent)["status"] == "settled"
    send(leg)
    world.run(5)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"], shown["overpaid_usd"]) == ("settled", "50.00", "25.00")
    assert events(intent).count("settled") == 1
    assert events(intent)[-1] == "overpaid"


@pytest.mark.spec("Rulings C11.1; Stray tokens are recorded, and settle nothing")
@pytest.mark.parametrize("name", ["destination_token", "recipient"])
def test_stray_tokens(world: World, api: ApiClient, name: str) -> None:
    intent, leg = sent_unseen(world, api, 1)
    send(leg, **{name: "0x00000000000000000000000000000000000Fa4e0"})
    world.run(5)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"]) == ("requires_payment", "0.00")
    assert [(one.purpose, one.value_usd) for one in Credit.objects.all()] == [("stray", usd("0"))]


@pytest.mark.spec("Rulings A2.2")
def test_one_chain_event_credits_once(world: World, api: ApiClient) -> None:
    first = intent_in(world, api, "settled")
    second = intent_in(world, api, "awaiting_signature")
    stolen = Credit.objects.get()
    leg = Leg.objects.get(intent_id=second["id"])
    transfers = SimulatedChain().transfers(str(stolen.leg_id))
    assert len(transfers) == 1
    with transaction.atomic():
        row = locked_intent(second["id"])
        record_transfers(row, leg, transfers, Known())
        conclude(row, underway(row))
    assert Credit.objects.count() == 1
    assert read(api, second)["amount_received"] == "0.00"
    assert read(api, first)["amount_received"] == "25.00"
