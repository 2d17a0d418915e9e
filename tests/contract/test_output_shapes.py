"""What is answered and sent keeps to the shapes that are published: exact keys in their order, exact JSON types."""

import json
from decimal import Decimal
from typing import Any

import pytest
from rest_framework import serializers

from checkout.serializers import CheckoutViewSerializer, PayerStateSerializer
from core.fields import ExactNumberField
from core.openapi import component
from merchants.principal import Principal
from payments.shapes import LegShape, PaymentIntentShape, RouteCandidateShape
from payouts.events import PayoutEventShape
from payouts.shapes import PayoutShape
from refunds.shapes import IntentPayersShape, RefundPublicViewShape, RefundShape, RepaidShape
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay
from tests.payouts import stories as payouts
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.models import Event


def exact(raw: bytes) -> Any:
    """JSON whose numbers with a point are decimals, so that they differ from whole ones."""
    return json.loads(raw, parse_float=Decimal)


def type_of(field: serializers.Field[Any, Any, Any, Any]) -> tuple[type, ...]:
    if isinstance(field, serializers.BooleanField):
        return (bool,)
    if isinstance(field, serializers.IntegerField):
        return (int,)
    if isinstance(field, ExactNumberField):
        return (Decimal, int)
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        return (list,)
    if isinstance(field, serializers.BaseSerializer | serializers.DictField):
        return (dict,)
    return (str,)


def conforms(shape: serializers.BaseSerializer[Any], body: dict[str, Any], path: str = "") -> None:
    """Exactly the described keys in the described order, each of its type; null only where it is allowed."""
    assert isinstance(shape, serializers.Serializer)
    assert list(body) == list(shape.fields), path
    for name, field in shape.fields.items():
        value, place = body[name], f"{path}.{name}"
        if value is None:
            assert field.allow_null, place
            continue
        assert type(value) in type_of(field), (place, value)
        if isinstance(field, serializers.ListSerializer) and isinstance(field.child, serializers.Serializer):
            for number, item in enumerate(value):
                conforms(field.child, item, f"{place}[{number}]")
        elif isinstance(field, serializers.Serializer):
            conforms(field, value, place)


def intent_conforms(api: ApiClient, intent: dict[str, Any]) -> None:
    path = f"/payment-intents/{intent['id']}"
    conforms(component(PaymentIntentShape)(), exact(api.get(path).raw))
    for leg in exact(api.get(f"{path}/transactions").raw)["data"]:
        conforms(component(LegShape)(), leg)
    for candidate in exact(api.get(f"{path}/routing").raw)["data"]:
        conforms(component(RouteCandidateShape)(), candidate)


@pytest.mark.spec("Contract 1.3; Contract 8.1; Contract 21.4")
@pytest.mark.spec("PaymentIntent, RouteCandidate, CheckoutView, transaction leg: fields and types")
@pytest.mark.parametrize("status", STORIES)
def test_every_answer_in_every_status(world: World, api: ApiClient, anonymous: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status, reference="r", customer_email="a@b.example", metadata={"a": 1})
    intent_conforms(api, intent)
    conforms(CheckoutViewSerializer(), exact(anonymous.get(f"/checkout/{intent['id']}").raw))
    conforms(PayerStateSerializer(), exact(Payer.of(intent).send("GET", "/state").raw))


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
        conforms(component(PayoutShape)(), exact(api.get(f"/payouts/{payout.pk}").raw))
        payouts.run(world, seconds)
    if scenario == "payout_fail":
        conforms(component(PayoutShape)(), exact(api.post(f"/payouts/{payout.pk}/replay").raw))
    for event in Event.objects.filter(resource_id=payout.pk):
        conforms(component(PayoutEventShape)(), json.loads(event.payload)["data"])


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
        conforms(component(RefundShape)(), exact(api.get(f"/refunds/{made['id']}").raw))
        conforms(component(RefundShape)(), exact(api.get("/refunds").raw)["data"][0])
        conforms(
            component(RefundPublicViewShape)(), exact(anonymous.get(f"/api/public/refunds/{made['id']}/status").raw)
        )


def test_every_answer_about_payers(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    payers = exact(api.get(f"/payment-intents/{intent['id']}/payers").raw)
    conforms(component(IntentPayersShape)(), payers)
    assert len(payers["data"]) == 1
    conforms(component(RepaidShape)(), exact(api.post("/refunds/to-payers", {"intent_id": intent["id"]}).raw))
