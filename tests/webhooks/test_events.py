"""Drafting events, and who gets them: the endpoints enabled and subscribed when they happened."""

import uuid
from decimal import Decimal

import orjson
import pytest
from django.db import IntegrityError, transaction

from core.modes import Mode
from core.money import json_number
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.payments.world import World
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks import services
from webhooks.catalog import EVENT_NAMES, EVENT_TYPES
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.errors import UnknownEventType
from webhooks.models import Delivery, Event

URL = "https://hooks.shop.example/causeway"


def recipients(event: Event) -> set[str]:
    fan_out()
    return {str(key) for key in Delivery.objects.filter(event=event).values_list("endpoint_id", flat=True)}


def test_a_draft_is_exact_and_not_stored(principal: Principal) -> None:
    resource_id = uuid.uuid4()
    event = services.draft_event(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        type="refund.paid",
        resource_type="refund",
        resource_id=resource_id,
        sequence=7,
        body={"amount_usd": json_number(Decimal("25.10")), "note": "a é — 💶", "ratio": Decimal("0.1")},
    )
    assert not Event.objects.exists()
    assert '"amount_usd":25.10' in event.payload
    assert '"ratio":0.1}' in event.payload
    assert '"note":"a é — 💶"' in event.payload
    assert orjson.loads(event.payload)["sequence"] == 7


def test_a_type_outside_the_catalogue_cannot_be_drafted(principal: Principal) -> None:
    with pytest.raises(ValueError, match="not in the event catalogue"):
        happen(principal, "payment_intent.vanished")


def test_one_event_per_step_of_a_resource(principal: Principal) -> None:
    first = happen(principal)
    twin = services.draft_event(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        type="payment_intent.failed",
        resource_type="payment_intent",
        resource_id=first.resource_id,
        sequence=1,
        body={},
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save(force_insert=True)
    assert Event.objects.count() == 1


def test_only_matching_subscriptions_of_the_same_merchant_and_mode_get_it(
    principal: Principal, other_api: ApiClient
) -> None:
    stranger = Principal(merchant_id=principal.merchant_id + 1, mode=Mode.TEST, actor="key:x")
    assert other_api.get("/webhook-endpoints").status == 200
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:y")
    everything, exact, wildcard = (subscribe(principal, URL, name) for name in ("*", "payout.paid", "payout.*"))
    subscribe(principal, URL, "payout.failed", "payment_intent.*")
    subscribe(live, URL)
    subscribe(stranger, URL)
    assert recipients(happen(principal, "payout.paid")) == {everything.id, exact.id, wildcard.id}


@pytest.mark.spec("Rulings B14.1")
def test_subscriptions_are_dated(world: World, api: ApiClient, principal: Principal) -> None:
    path = "/webhook-endpoints/"
    before = happen(principal)
    world.wait(0.001)
    made = subscribe(principal, URL, "payment_intent.*")
    world.wait(0.001)
    while_wanted = happen(principal)
    world.wait(0.001)
    api.send("PATCH", path + made.id, {"events": ["payout.*"]})
    world.wait(0.001)
    after_narrowing = happen(principal)
    other_type = happen(principal, "payout.paid")
    world.wait(0.001)
    api.send("PATCH", path + made.id, {"enabled": False})
    world.wait(0.001)
    while_disabled = happen(principal, "payout.paid")
    world.wait(0.001)
    api.send("PATCH", path + made.id, {"enabled": True})
    world.wait(0.001)
    enabled_again = happen(principal, "payout.paid")
    got = {
        name: bool(recipients(event))
        for name, event in {
            "before": before,
            "while wanted": while_wanted,
            "after narrowing": after_narrowing,
            "other type": other_type,
            "while disabled": while_disabled,
            "enabled again": enabled_again,
        }.items()
    }
    assert got == {
        "before": False,
        "while wanted": True,
        "after narrowing": False,
        "other type": True,
        "while disabled": False,
        "enabled again": True,
    }


def test_fanning_out_twice_makes_no_second_delivery(principal: Principal) -> None:
    subscribe(principal, URL)
    event = happen(principal)
    assert fan_out() == 1
    assert fan_out() == 0
    Event.objects.update(fanned_out_at=None)
    assert fan_out() == 1
    assert Delivery.objects.filter(event=event).count() == 1


def test_an_event_nobody_wants_is_done_with(principal: Principal) -> None:
    happen(principal)
    assert fan_out() == 1
    assert not Delivery.objects.exists()
    assert not Event.objects.filter(fanned_out_at=None).exists()


@pytest.mark.spec("Contract 18.7")
@pytest.mark.parametrize("event_type", [entry.name for entry in EVENT_TYPES])
def test_a_sample_of_every_type_can_be_triggered(principal: Principal, receiver: Receiver, event_type: str) -> None:
    subscribe(principal, receiver.url, event_type)
    event = services.trigger_sample_event(principal, event_type, {"extra": "yes"})
    drain()
    body = orjson.loads(receiver.received[0].body)
    assert (body["id"], body["type"], body["mode"], body["data"]["extra"]) == (event.id, event_type, "test", "yes")
    assert body["resource"]["type"] == event_type.split(".", maxsplit=1)[0]


@pytest.mark.spec("Events: data for payment intent events has id, amount, currency, settlement_chain, ...")
def test_the_sample_of_an_intent_event_has_the_specified_keys(principal: Principal) -> None:
    event = services.trigger_sample_event(principal, "payment_intent.settled")
    assert set(orjson.loads(event.payload)["data"]) == {
        *("id", "amount", "currency", "settlement_chain", "settlement_token", "metadata")
    }


def test_an_unknown_sample_is_refused(principal: Principal) -> None:
    with pytest.raises(UnknownEventType) as refusal:
        services.trigger_sample_event(principal, "*")
    assert refusal.value.details["unknown"] == ["*"]
    assert set(refusal.value.details["allowed"]) == EVENT_NAMES
    assert not Event.objects.exists()
