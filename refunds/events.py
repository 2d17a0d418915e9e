"""What receivers are told about refunds. Source: docs/design/events.md, A refund's tail."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from core.shapes import Field, fields_of
from refunds.models import Refund
from refunds.shapes import RefundPublicViewShape, RefundShape, destination_tail, refund_body
from webhooks.services import draft_next_event

_WHOLE, _TAIL = "destination", "destination_tail"
_FOR_THE_MERCHANT = ("suggested_destination", "payers")
"""What helps to decide where a refund goes, and is in no event."""
_NAMES = [_TAIL if name == _WHOLE else name for name in fields_of(RefundShape) if name not in _FOR_THE_MERCHANT]


def event_fields() -> dict[str, Field]:
    """What the ``data`` of an event holds: the resource, with the tail of its destination in place of the whole."""
    known = {**fields_of(RefundShape), _TAIL: fields_of(RefundPublicViewShape)[_TAIL]}
    return {name: known[name] for name in _NAMES}


def event_body(refund: Refund) -> dict[str, Any]:
    """The ``data`` of an event."""
    known: Mapping[str, Any] = {**refund_body(refund), _TAIL: destination_tail(refund)}
    return {name: known[name] for name in _NAMES}


def announce(refund: Refund, event: str) -> list[models.Model]:
    """The event row of a change, numbered per refund, to be stored in the change's own transaction."""
    return [draft_next_event(refund, event, "refund", event_body(refund))]
