"""What receivers are told about refunds. Source: docs/design/events.md, A refund's tail."""

from typing import Any

from django.db import models

from refunds.models import Refund
from refunds.selectors import destination_tail, refund_facts
from webhooks.services import draft_next_event


def event_body(refund: Refund) -> dict[str, Any]:
    """The ``data`` of an event: the resource, with the tail of its destination in place of the whole."""
    return refund_facts(refund, destination_tail=destination_tail(refund))


def announce(refund: Refund, event: str) -> list[models.Model]:
    """The event row of a change, numbered per refund, to be stored in the change's own transaction."""
    return [draft_next_event(refund, event, "refund", event_body(refund))]
