"""An intent in each of the eleven statuses, reached as in real life: through HTTP and the workers."""

from collections.abc import Callable
from typing import Any

from django.db import transaction

from payments.models import PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay, read
from tests.told import told_once

Story = Callable[[World, ApiClient, dict[str, Any]], object]


def _paid(scenario: str, seconds: float = 4) -> Story:
    def story(world: World, api: ApiClient, intent: dict[str, Any]) -> None:
        pay(api, intent, scenario)
        world.run(seconds)

    return story


def _expired(world: World, api: ApiClient, intent: dict[str, Any]) -> None:
    world.wait(1800)
    world.run(1)


def _cancelled(world: World, api: ApiClient, intent: dict[str, Any]) -> None:
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200


def _refunded(world: World, api: ApiClient, intent: dict[str, Any]) -> None:
    _paid("settle")(world, api, intent)
    with transaction.atomic():
        apply_trigger(locked_intent(intent["id"]), "refund", actor="test")


STORIES: dict[str, Story] = {
    "created": lambda world, api, intent: None,
    "requires_payment": lambda world, api, intent: Payer.of(intent).renew(),
    "quoted": lambda world, api, intent: Payer.of(intent).quote(world),
    "awaiting_signature": lambda world, api, intent: Payer.of(intent).start(world),
    "executing": _paid("in_doubt", 3),
    "partially_filled": _paid("partial"),
    "settled": _paid("settle"),
    "failed": _paid("fail"),
    "expired": _expired,
    "cancelled": _cancelled,
    "refunded": _refunded,
}


@told_once
def intent_in(world: World, api: ApiClient, /, status: str, **fields: Any) -> dict[str, Any]:
    intent = create(api, **fields)
    STORIES[status](world, api, intent)
    intent = read(api, intent)
    assert intent["status"] == status
    assert PaymentIntent.objects.filter(pk=intent["id"]).exists()
    return intent
