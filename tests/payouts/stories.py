"""What tests of payouts share: settled intents, workers that come round, and what became of a payout."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from merchants.principal import Principal
from payments.services.advance import sweep_due as sweep_intents
from payouts.models import Payout
from payouts.services import create_payout, sweep_due
from tests.conftest import ApiClient
from tests.payments.world import TICK, World, create, next_due_at, pay, read
from tests.told import told_once
from webhooks.models import Event


def run(world: World, seconds: float = 6) -> None:
    """Let time pass with workers of both kinds at work: a sweep now, then whenever something is due."""
    end = now() + timedelta(seconds=seconds)
    _sweep()
    while (due := _next_due_at()) is not None and max(due, now() + TICK) < end:
        world.clock.shift(max(due, now() + TICK) - now())
        _sweep()
    if now() < end:
        world.clock.shift(end - now())
        _sweep()


def _sweep() -> None:
    sweep_intents()
    sweep_due()


def _next_due_at() -> datetime | None:
    payouts = Payout.objects.aggregate(first=Min("next_attempt_at"))["first"]
    return min((moment for moment in (next_due_at(), payouts) if moment is not None), default=None)


@told_once
def settled(world: World, api: ApiClient, /, scenario: str = "settle", **fields: Any) -> dict[str, Any]:
    intent = create(api, **fields)
    assert pay(api, intent, scenario).status == 200
    world.run(4)
    intent = read(api, intent)
    assert intent["status"] == "settled"
    return intent


def asked(principal: Principal, intent: dict[str, Any], key: str = "k") -> Payout:
    """The payout that the agent's tool would get for an intent."""
    return create_payout(principal, UUID(intent["id"]), key).payout


def shown(api: ApiClient, payout: Payout) -> dict[str, Any]:
    reply = api.get(f"/payouts/{payout.pk}")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def passed(payout: Payout) -> list[str]:
    return list(payout.history.order_by("id").values_list("to_status", flat=True))


def told(payout: Payout) -> list[str]:
    """The events about a payout, in order, without the resource's name; numbered without a gap."""
    events = Event.objects.filter(resource_id=payout.pk).order_by("sequence").values_list("sequence", "type")
    assert [number for number, _ in events] == list(range(1, len(events) + 1))
    return [name.removeprefix("payout.") for _, name in events]


def transfers(payout: Payout) -> list[str]:
    """The status of each transfer that was made for a payout, round by round."""
    rows = Transfer.objects.filter(purpose="payout", purpose_id=payout.pk).order_by("round")
    return list(rows.values_list("status", flat=True))


def sent(payout: Payout) -> list[SimulatedTransaction]:
    return list(SimulatedTransaction.objects.filter(tag=f"payout:{payout.pk}"))
