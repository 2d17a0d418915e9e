"""What is answered and sent keeps to the shapes that are published: exact keys in their order, exact JSON types."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from checkout.shapes import CheckoutViewShape, PayerStateShape
from core.shapes import Field, Kind, fields_of
from merchants.principal import Principal
from payments import events as intent_events
from payments.explanation import ExplanationShape
from payments.shapes import LegShape, PaymentIntentShape, RouteCandidateShape
from payouts.events import PayoutEventShape
from payouts.shapes import PayoutShape
from refunds import events as refund_events
from refunds.shapes import IntentPayersShape, RefundPublicViewShape, RefundShape, RefundsToPayersShape
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay
from tests.payouts import stories as payouts
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.events import WebhookEventShape
from webhooks.models import Event


def exact(raw: bytes | str) -> Any:
    """JSON whose numbers with a point are decimals, so that they differ from whole ones."""
    return json.loads(raw, parse_float=Decimal)


def type_of(field: Field) -> tuple[type, ...]:
    if field.many:
        return (list,)
    if field.is_shape or field.is_free:
        return (dict,)
    return (Decimal, int) if field.kind is Kind.NUMBER else (field.type,)


def conforms(fields: Mapping[str, Field], body: dict[str, Any], path: str = "") -> None:
    """Every key that must be there, in the described order, and no other but optional ones; each of its type."""
    assert [name for name in body if name not in fields or fields[name].required] == [
        name for name, field in fields.items() if field.required
    ], path
    for name, value in body.items():
        field, place = fields[name], f"{path}.{name}"
        if value is None:
            assert field.null, place
            continue
        assert type(value) in type_of(field), (place, value)
        assert not field.words or set(value if field.many else [value]) <= set(field.values), (place, value)
        if field.is_shape:
            for number, item in enumerate(value if field.many else [value]):
                conforms(fields_of(field.type), item, f"{place}[{number}]")


def events_conform(resource: dict[str, Any], fields: Callable[[str], Mapping[str, Field]]) -> None:
    """Every event of a resource, envelope and what it carries."""
    events = Event.objects.filter(resource_id=resource["id"])
    for event in map(exact, events.values_list("payload", flat=True)):
        conforms(fields_of(WebhookEventShape), event)
        conforms(fields(event["type"]), event["data"])


def intent_conforms(api: ApiClient, intent: dict[str, Any]) -> None:
    path = f"/payment-intents/{intent['id']}"
    conforms(fields_of(PaymentIntentShape), exact(api.get(path).raw))
    conforms(fields_of(ExplanationShape), exact(api.get(f"{path}/explain").raw))
    for leg in exact(api.get(f"{path}/transactions").raw)["data"]:
        conforms(fields_of(LegShape), leg)
    for candidate in exact(api.get(f"{path}/routing").raw)["data"]:
        conforms(fields_of(RouteCandidateShape), candidate)
    events_conform(intent, intent_events.event_fields)


@pytest.mark.spec("Contract 1.3; Contract 8.1; Contract 21.4")
@pytest.mark.spec("PaymentIntent, RouteCandidate, CheckoutView, transaction leg: fields and types")
@pytest.mark.parametrize("status", STORIES)
def test_every_answer_in_every_status(world: World, api: ApiClient, anonymous: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status, reference="r", customer_email="a@b.example", metadata={"a": 1})
    intent_conforms(api, intent)
    conforms(fields_of(CheckoutViewShape), exact(anonymous.get(f"/checkout/{intent['id']}").raw))
    conforms(fields_of(PayerStateShape), exact(Payer.of(intent).send("GET", "/state").raw))


def test_every_answer_of_special_endings(world: World, api: ApiClient) -> None:
    intents = {
        ending: create(api) for ending in ("overpay", "in_doubt", "late", "fail_route", "bridge_refund", "reorg")
    }
    for ending, intent in intents.items():
        pay(api, intent, ending)
    world.run(5)
    for intent in intents.values():
        intent_conforms(api, intent)


@pytest.mark.spec("Payout")
@pytest.mark.parametrize("scenario", ["settle", "payout_retry", "payout_fail", "payout_unknown"])
def test_every_answer_about_a_payout(world: World, api: ApiClient, principal: Principal, scenario: str) -> None:
    payout = payouts.asked(principal, payouts.settled(world, api, metadata={"simulate": scenario}))
    for seconds in (0, 60):
        conforms(fields_of(PayoutShape), exact(api.get(f"/payouts/{payout.pk}").raw))
        payouts.run(world, seconds)
    if scenario == "payout_fail":
        conforms(fields_of(PayoutShape), exact(api.post(f"/payouts/{payout.pk}/replay").raw))
    events_conform({"id": payout.pk}, lambda _: fields_of(PayoutEventShape))


@pytest.mark.spec("Contract 1.3")
@pytest.mark.spec("Refund")
@pytest.mark.parametrize("destination", [None, PAYEE])
@pytest.mark.parametrize("scenario", ["settle", "refund_retry", "refund_fail", "refund_unknown"])
def test_every_answer_about_refunds(
    world: World, api: ApiClient, anonymous: ApiClient, scenario: str, destination: str | None
) -> None:
    made = refund(api, settled(world, api, metadata={"simulate": scenario}), 12.5, destination=destination)
    for seconds in (0, 1, 3):
        work(world, seconds)
        conforms(fields_of(RefundShape), exact(api.get(f"/refunds/{made['id']}").raw))
        conforms(fields_of(RefundShape), exact(api.get("/refunds").raw)["data"][0])
        public = anonymous.get(f"/api/public/refunds/{made['id']}/status")
        conforms(fields_of(RefundPublicViewShape), exact(public.raw))
    events_conform(made, lambda _: refund_events.event_fields())


def test_every_answer_about_payers(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    payers = exact(api.get(f"/payment-intents/{intent['id']}/payers").raw)
    conforms(fields_of(IntentPayersShape), payers)
    assert len(payers["data"]) == 1
    conforms(fields_of(RefundsToPayersShape), exact(api.post("/refunds/to-payers", {"intent_id": intent["id"]}).raw))
