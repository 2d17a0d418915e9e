"""What receivers are told about payouts. Source: specification, Payout; docs/guides/payouts.md, Events."""

from typing import Any

from django.db import models

from payouts.models import Payout
from payouts.shapes import PayoutShape, payout_body
from webhooks.services import draft_next_event


class PayoutEventShape(PayoutShape):
    """The ``data`` of an event: the whole payout, and what the merchant wrote on its intent."""

    metadata: dict[str, Any]


def event_body(payout: Payout) -> PayoutEventShape:
    """The ``data`` of an event."""
    return {**payout_body(payout), "metadata": payout.intent.metadata if payout.intent else {}}


def announce(payout: Payout, event: str) -> list[models.Model]:
    """The event row of a change, numbered per payout, to be stored in the change's own transaction."""
    return [draft_next_event(payout, event, "payout", event_body(payout))]
