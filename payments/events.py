"""What receivers are told about intents. Source: specification, Events; docs/guides/webhooks.md, Events."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypedDict

from django.conf import settings
from django.db import models

from core.money import optional_decimal_string, to_decimal_string
from core.shapes import Field, Figure, fields_of
from payments.models import PaymentIntent
from payments.shapes import PaymentIntentShape, intent_body
from payments.strays import STRAY_ARRIVED, StrayShape, strays_of
from webhooks.services import draft_next_event

_ALWAYS: Final = (
    *("id", "amount", "currency", "settlement_chain", "settlement_token", "metadata"),
    *("status", "mode", "amount_received", "failure_reason", "settled_at", "reference"),
)
"""Of the intent's fields: the specification's six, and the additive ones."""
_SOMETIMES: Final[Mapping[str, tuple[str, ...]]] = {
    "payment_intent.settled": ("platform_fee_usd", "net_settlement_usd"),
    "payment_intent.partially_filled": ("amount_due",),
    "payment_intent.expired": ("partially_funded",),
    "payment_intent.late_payment": ("amount_due", "partially_funded"),
    "payment_intent.overpaid": ("overpaid_usd",),
    "payment_intent.funds_owed": ("owed_usd",),
    STRAY_ARRIVED: ("strays",),
}
"""What some events hold besides."""


class _OnlyInEvents(TypedDict, total=False):
    owed_usd: Figure
    net_settlement_usd: Figure | None
    strays: list[StrayShape]


def event_fields(event: str = "") -> dict[str, Field]:
    """What the ``data`` of an event holds, for the description; without its name, what every one holds."""
    known = {**fields_of(PaymentIntentShape), **fields_of(_OnlyInEvents)}
    return {name: replace(known[name], required=True) for name in (*_ALWAYS, *_SOMETIMES.get(event, ()))}


def event_body(shown: PaymentIntentShape, intent: PaymentIntent, event: str) -> dict[str, Any]:
    """The ``data`` of an event, of an intent as it is shown."""
    known: Mapping[str, Any] = shown
    body = {name: known[name] for name in _ALWAYS}
    if event not in _SOMETIMES:
        return body
    known = {**shown, **_only_in_events(intent, event)}
    return body | {name: known[name] for name in _SOMETIMES[event]}


def _only_in_events(intent: PaymentIntent, event: str) -> _OnlyInEvents:
    if event == STRAY_ARRIVED:
        return {"strays": strays_of(intent)}
    return {
        "owed_usd": to_decimal_string(intent.owed_usd),
        "net_settlement_usd": optional_decimal_string(intent.net_settlement_usd),
    }


def announce(intent: PaymentIntent, event: str) -> list[models.Model]:
    """The event row of a change, numbered per intent, to be stored in the change's own transaction."""
    body = event_body(intent_body(intent, settings.BASE_URL), intent, event)
    return [draft_next_event(intent, event, "payment_intent", body, born_at=intent.created_at)]
