"""What tests of explanations share: asking for one, as a merchant, and stepping through a payment."""

from typing import Any

from payments.models import PaymentIntent
from payments.services.advance import advance_intent
from tests.conftest import ApiClient
from tests.payments.world import World

SENTENCES = ("happened", "money", "next")
STEP_SECONDS = 0.5


def explained(api: ApiClient, intent: dict[str, Any]) -> dict[str, Any]:
    """The diagnosis as REST gives it."""
    reply = api.get(f"/payment-intents/{intent['id']}/explain")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def said(body: dict[str, Any]) -> tuple[str, str, str, str]:
    """Who must act, and the three sentences."""
    return (body["actor"], body["happened"], body["money"], body["next"])


def stages(world: World, api: ApiClient, intent: dict[str, Any], seconds: float = 10) -> list[dict[str, Any]]:
    """The diagnosis after every single step of the workers until they rest, where its code is another than before."""
    seen = [explained(api, intent)]
    for _ in range(int(seconds / STEP_SECONDS)):
        is_more = True
        while is_more:
            is_more = advance_intent(intent["id"])
            body = explained(api, intent)
            if body["code"] != seen[-1]["code"]:
                seen.append(body)
        if PaymentIntent.objects.get(pk=intent["id"]).next_attempt_at is None:
            break
        world.wait(STEP_SECONDS)
    return seen
