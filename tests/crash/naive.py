"""Two dispatchers as they are often written, to prove that the crash tests notice what is wrong with them.

One writes down that a webhook was sent and then sends it; the other sends a transaction, then writes it down, and
looks only for what it wrote down.
"""

import asyncio
from typing import Any
from uuid import UUID

from django.db import transaction

from chains.clients.base import ChainClient, LegView
from chains.clients.script import SimulatedLeg
from chains.clients.simulated import SimulatedChain
from core.clock import now
from core.outbound.client import GuardedClient
from payments.models import Leg, PaymentIntent
from payments.services import advance, simulated_payer
from payments.services.watch import look_at_legs
from webhooks import delivery
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.delivery.posting import attempt
from webhooks.models import Delivery
from webhooks.services.urls import reach_of
from webhooks.states import Outcome


def replace_dispatchers() -> None:
    delivery.drain = naive_drain
    simulated_payer.send_simulated = naive_send
    advance.look_at_legs = naive_look  # type: ignore[attr-defined]  # it imports that name


def naive_drain(seconds: float = 0) -> int:
    """Mark as delivered, then send: a crash in between loses the event."""
    fan_out()
    claims = claim(Lanes())
    for mine in claims:
        Delivery.objects.filter(pk=mine.delivery_id).update(
            outcome=Outcome.DELIVERED, next_attempt_at=None, leased_until=None, finished_at=now()
        )
        asyncio.run(_send(mine))
    return len(claims)


async def _send(mine: Any) -> None:
    client = await GuardedClient.open(reach_of(mine.mode))
    await attempt(client, mine)
    await client.close()


def naive_send(leg: Leg, behaviour: str) -> str:
    """Send, then write it down: a crash in between sends twice."""
    with transaction.atomic():
        tx_hash = SimulatedChain().broadcast(_as_sent(leg, behaviour))
    with transaction.atomic():
        leg.issued = {**leg.issued, "simulated_tx_hash": tx_hash}
        leg.save(update_fields=["issued"])
    return tx_hash


def naive_look(intent: PaymentIntent, legs: list[Leg], client: ChainClient) -> dict[UUID, LegView]:
    """See only the transactions whose hash is known, as if nothing could have been sent before a crash."""
    return {leg_id: view for leg_id, view in look_at_legs(intent, legs, client).items() if view.seen is not None}


def _as_sent(leg: Leg, behaviour: str) -> SimulatedLeg:
    return SimulatedLeg(
        owner=simulated_payer.owner_of(leg.merchant_id), tag=str(leg.pk), chain=leg.chain, to_chain=leg.to_chain,
        sender=leg.payer_address, recipient=leg.intent.settlement_address, token=leg.token_address,
        destination_token=leg.intent.settlement_token_address, input_base_units=leg.input_base_units,
        output_base_units=leg.min_output_base_units, behaviour=behaviour,
    )  # fmt: skip
