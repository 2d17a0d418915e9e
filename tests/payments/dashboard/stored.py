"""Payments as rows: what the list, its file and the search are shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

from core.money import usd
from merchants.models import Merchant
from payments.models import PaymentIntent
from tests.factories.payments import ANNS_EVM

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)',
    "right-to-left": "\u202egnihtemos",
    "zero width": "A\u200b\u200d\ufeff1",
    "long": "x" * 10_000,
    "template": "{{ request }}{% csrf_token %}",
    "formula": "=HYPERLINK(1)",
}
"""By what they try."""


def stored_intent(merchant: Merchant, number: int = 0, **fields: Any) -> PaymentIntent:
    """An intent over 25 dollars, created so many minutes after noon, unless the fields say otherwise."""
    at = NOON + timedelta(minutes=number)
    place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_decimals": 6}
    times = {"created_at": at, "expires_at": at + timedelta(minutes=30), "expires_due_at": at + timedelta(minutes=30)}
    facts = {"mode": "test", "status": "requires_payment", "amount": usd("25"), "settlement_address": ANNS_EVM}
    facts |= place | times
    made: PaymentIntent = PaymentIntent.objects.create(merchant=merchant, **facts | fields)
    return made
