"""The catalogue, drafting events, and who gets them: the endpoints enabled and subscribed when they happened."""

from decimal import Decimal

import orjson
import pytest
from django.db import IntegrityError, transaction

from core.modes import Mode
from core.money import json_number
from merchants.principal import Principal
from payments.events import event_fields
from tests.conftest import ApiClient
from tests.payments.world import World
from tests.webhooks.actors import draft, happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks import services
from webhooks.catalog import EVENT_NAMES, EVENT_TYPES, SUBSCRIBABLE, covers, types_covered_by, unknown_names
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.errors import UnknownEventType
from webhooks.models import Delivery, Event


@pytest.mark.spec("Contract 10.2")
@pytest.mark.spec("Events: event types")
def test_the_specified_types_are_there_and_every_row_says_when() -> None:
    assert {"payment_intent.settled", "payment_intent.failed", "payout.paid", "payout.failed"} <= EVENT_NAMES
    assert len(EVENT_NAMES) == len(EVENT_TYPES) == 30
    assert all(entry.when.endswith(".") and entry.since for entry in EVENT_TYPES)


@pytest.mark.spec("Contract 10.3")
def test_wildcards_cover_their_resource_only_and_only_what_exists_can_be_subscribed_to() -> None:
    assert covers(["payout.*"], "payout.paid")
    assert not covers(["payout.*"], "payment_intent.settled")
    assert covers(["*"], "ping")
    assert not covers(["payment_intent.settled"], "payment_intent.settlement_reversed")
    refunds = [
        f"refund.{step}" for step in ("created", "missing_destination", "processing", "paid", "failed", "cancelled")
    ]
    assert types_covered_by(["refund.*", "ping"]) == [*refunds, "ping"]
    assert unknown_names(SUBSCRIBABLE) == []
    unknown = ["payout.gone", "*.paid", "PING", "", "ping.*"]
    assert unknown_names(["payout.*", *unknown]) == unknown


URL = "https://hooks.shop.example/causeway"


def recipients(event: Event) -> set[str]:
    fan_out()
    return {str(key) for key in Delivery.objects.filter(event=event).values_list("endpoint_id", flat=True)}


def test_a_draft_is_exact_and_not_stored(principal: Principal) -> None:
    body = {"amount_usd": json_number(Decimal("25.10")), "note": "a é — 💶", "ratio": Decimal("0.1")}
    event = draft(principal, "refund.paid", body, sequence=7)
    assert not Event.objects.exists()
    assert '"amount_usd":25.10' in event.payload
    assert '"ratio":0.1}' in event.payload
    assert '"note":"a é — 💶"' in event.payload
    assert orjson.loads(event.payload)["sequence"] == 7


def test_a_type_outside_the_catalogue_cannot_be_drafted_and_there_is_one_event_per_step(principal: Principal) -> None:
    with pytest.raises(ValueError, match="not in the event catalogue"):
        happen(principal, "payment_intent.vanished")
    twin = draft(principal, "payment_intent.failed", {}, happen(principal).resource_id)
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
    events: dict[str, Event] = {}

    def note(name: str, event_type: str = "payment_intent.settled") -> None:
        events[name] = happen(principal, event_type)
        world.wait(0.001)

    def change(**fields: object) -> None:
        assert api.send("PATCH", f"/webhook-endpoints/{made.id}", fields).status == 200
        world.wait(0.001)

    note("before")
    made = subscribe(principal, URL, "payment_intent.*")
    world.wait(0.001)
    note("while wanted")
    change(events=["payout.*"])
    note("after narrowing")
    note("other type", "payout.paid")
    change(enabled=False)
    note("while disabled", "payout.paid")
    change(enabled=True)
    note("enabled again", "payout.paid")
    got = [name for name, event in events.items() if recipients(event)]
    assert got == ["while wanted", "other type", "enabled again"]


def test_fanning_out_twice_makes_no_second_delivery_and_what_nobody_wants_is_done_with(principal: Principal) -> None:
    happen(principal)
    assert fan_out() == 1
    assert not Delivery.objects.exists()
    assert not Event.objects.filter(fanned_out_at=None).exists()
    subscribe(principal, URL)
    event = happen(principal)
    assert fan_out() == 1
    assert fan_out() == 0
    Event.objects.filter(pk=event.pk).update(fanned_out_at=None)
    assert fan_out() == 1
    assert Delivery.objects.filter(event=event).count() == 1


@pytest.mark.spec("Contract 18.7")
@pytest.mark.spec("Events: data for payment intent events has id, amount, currency, settlement_chain, ...")
def test_a_sample_of_every_type_can_be_triggered_and_no_other(principal: Principal, receiver: Receiver) -> None:
    with pytest.raises(UnknownEventType) as refusal:
        services.trigger_sample_event(principal, "*")
    assert refusal.value.details["unknown"] == ["*"]
    assert set(refusal.value.details["allowed"]) == EVENT_NAMES
    assert not Event.objects.exists()
    subscribe(principal, receiver.url)
    made = {name: services.trigger_sample_event(principal, name, {"extra": "yes"}).id for name in EVENT_NAMES}
    drain()
    sent = {body["type"]: body for body in (orjson.loads(request.body) for request in receiver.received)}
    assert {name: body["id"] for name, body in sent.items()} == made
    for name, body in sent.items():
        assert (body["mode"], body["data"]["extra"]) == ("test", "yes"), name
        assert body["resource"]["type"] == name.split(".", maxsplit=1)[0]
    plain = orjson.loads(services.trigger_sample_event(principal, "payment_intent.settled").payload)
    assert set(plain["data"]) == set(event_fields("payment_intent.settled"))
    assert plain["data"]["metadata"] == {"sample": "true"}
