"""Each invariant, seen red once: rows that are as they must be, then one thing is planted that can not be true."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.db.models import FloatField

from core.clock import now
from core.models import Heartbeat
from core.snapshot import one_moment
from merchants.services import NewMerchant
from operations.invariants import INVARIANTS, Scope, violations
from payments.models import PayerWallet, PaymentIntent
from payments.services.attempts import open_for_payment
from payments.services.transition import apply_trigger, locked_intent
from refunds.models import Refund
from tests.crash.conftest import shop  # noqa: F401 - a fixture
from tests.factories.money_out import paid_payout, paid_refund
from tests.invariants_plants import SEEN_RED
from tests.operations.planted import PLANTS, World, change, rows_of_payout, rows_of_refund, signed_by
from tests.operations.test_planted_wrongs import by_the_hour, by_the_walk
from tests.races.shop import Shop
from tests.webhooks.actors import subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery, Event, Subscription
from webhooks.services import purge_old_events

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def world(shop: Shop, other_account: NewMerchant) -> World:  # noqa: F811 - the fixture
    began = now()
    subscribe(shop.principal, "https://receiver.example/hooks")
    first, second = _settled(shop), _settled(shop)
    refund, payout = paid_refund(first), paid_payout(second)
    _mark_refunded(first)
    fan_out()
    return World(shop=shop, refund=refund, payout=payout, other=other_account, began=began)


def _settled(shop: Shop) -> PaymentIntent:  # noqa: F811 - not the fixture
    intent_id = shop.create()
    assert shop.pay(intent_id).status == 200
    shop.finish()
    return shop.row(intent_id).get()


def _mark_refunded(intent: PaymentIntent) -> None:
    locked = locked_intent(intent.pk)
    apply_trigger(locked, "refund", actor="worker")
    PaymentIntent.objects.filter(pk=intent.pk).update(refunded_usd=intent.received_usd)


def found(scope: Scope = Scope()) -> list[str]:  # noqa: B008 - immutable
    return list(violations(scope))


@pytest.mark.spec("Rulings A4.1; Rulings B15.1")
def test_what_cannot_be_true_is_found_and_every_invariant_was_seen_red(world: World) -> None:
    """One plant after the other, each in a savepoint of its own. An invariant that nothing turns red proves nothing."""
    red: set[str] = set()
    missed: dict[str, object] = {}
    for expected, plant in PLANTS.items():
        with suppress(_Undone), transaction.atomic():
            plant(world)
            said = {invariant.__name__: list(invariant(Scope())) for invariant in INVARIANTS}
            red |= {invariant for invariant, sentences in said.items() if sentences}
            sentences = [sentence for some in said.values() for sentence in some]
            ways = {"all": set(sentences), "hour": by_the_hour(world.began), "walk": by_the_walk()}
            wrong = {way for way, some in ways.items() if not any(re.match(expected, one) for one in some)}
            if wrong or ways["hour"] - ways["all"] or ways["walk"] != ways["all"]:
                missed[expected] = wrong, ways
            raise _Undone
    assert missed == {}
    assert {invariant.__name__ for invariant in INVARIANTS} - red - set(SEEN_RED) == {"no_amount_is_a_float"}


class _Undone(Exception):
    """Takes a plant back."""


def test_a_world_as_it_must_be_violates_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do signed bytes that are right; a float does."""
    assert found() == []
    signed_by(world)
    assert [sentence for sentence in found() if sentence.startswith("I2 attempt")] == []
    field = Refund._meta.get_field("amount_usd")
    monkeypatch.setattr(field, "__class__", FloatField)
    assert "I12 Refund.amount_usd is a float" in found()


def test_an_endpoint_that_came_or_went_while_an_event_was_fanned_out_is_no_wrong(world: World) -> None:
    """Its change is dated before it is committed, and who fans out meanwhile does not see it yet."""
    told = Delivery.objects.order_by("pk")[0].event
    Event.objects.exclude(pk=told.pk).delete()
    for ended, wrong in ((4, []), (6, ["I6"])):
        Subscription.objects.update(valid_to=told.occurred_at - timedelta(seconds=ended), valid_from=world.began - DAY)
        assert [one[:2] for one in found() if one.startswith("I6 event")] == wrong
    Delivery.objects.all().delete()
    for begun, wrong in ((4, []), (6, ["I6"])):
        Subscription.objects.update(valid_to=None, valid_from=told.occurred_at - timedelta(seconds=begun))
        assert [one[:2] for one in found() if one.startswith("I6 event")] == wrong


def test_a_transaction_that_the_wallet_replaced_is_no_second_one(shop: Shop) -> None:  # noqa: F811 - the fixture
    intent_id = shop.create()
    assert shop.pay(intent_id, "replaced").status == 200
    shop.finish()
    assert (shop.status(intent_id), found()) == ("settled", [])


def test_what_a_payer_only_opened_waits_for_its_time_alone(shop: Shop) -> None:  # noqa: F811 - the fixture
    intent_id = shop.create()
    open_for_payment(intent_id)
    assert (shop.status(intent_id), found()) == ("requires_payment", [])
    PayerWallet.objects.create(
        intent_id=intent_id, merchant_id=shop.principal.merchant_id, mode=shop.principal.mode, family="evm"
    )
    assert found() == [f"I7 intent {intent_id} is requires_payment and nobody will look at it"]


def test_only_what_was_asked_for_is_looked_at(world: World) -> None:
    change(rows_of_refund(world), amount_usd=26)
    mine, later = Scope(merchant_id=world.refund.merchant_id), Scope(since=now() + timedelta(seconds=1))
    assert [sentence.split()[0] for sentence in found(mine)] == ["I1", "I1", "I1", "I18", "I1"]
    assert found(replace(mine, merchant_id=world.other.merchant.pk)) == []
    assert found(later) == []


def test_the_command_ends_with_one_and_a_line_per_violation(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_invariants")
    assert capsys.readouterr().out == "All invariants hold.\n"
    change(rows_of_payout(world), amount_usd=24)
    with pytest.raises(CommandError, match=r"^2 violations\.$") as ended:
        call_command("check_invariants", "--json", "--merchant", str(world.payout.merchant_id))
    assert ended.value.returncode == 1
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["invariant"] for line in lines] == ["I15", "I18"]
    with pytest.raises(CommandError, match="not a moment with a time zone"):
        call_command("check_invariants", "--since", "2026-11-20T00:00:00")


@pytest.mark.django_db(transaction=True)
def test_nothing_can_be_written_while_checking() -> None:
    with pytest.raises(DatabaseError), one_moment():
        Heartbeat.objects.create(name="money", at=now())
    Heartbeat.objects.create(name="money", at=now())


def test_events_that_the_test_clock_ended_are_missed_by_nobody(shop: Shop) -> None:  # noqa: F811 - the fixture
    intent_id = shop.create()
    assert shop.pay(intent_id).status == 200
    shop.finish()
    fan_out()
    assert shop.advance(31 * 86_400).status == 200
    first = Event.objects.get(sequence=1)
    Event.objects.filter(sequence=2).delete()
    assert [line.split()[0] for line in found()] == ["I5", "I5"]  # a gap in what is left
    assert purge_old_events() == 3
    assert (Event.objects.filter(pk=first.pk).exists(), found()) == (False, [])
