"""An event of each type as the service would write it, of an intent that nobody made: what a receiver is tried with.

Its body is written by the function that writes real ones. Source: docs/guides/webhooks.md, Try it.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, usd
from payments.events import event_body
from payments.models import Credit, PaymentIntent
from payments.services.settlement import TEST_ADDRESSES
from payments.shapes import intent_body
from payments.states import IntentStatus, Problem
from payments.strays import STRAY_ARRIVED, stray_body

METADATA: Final[Mapping[str, str]] = {"sample": "true"}
"""By which a receiver knows a sample."""
CHAIN, TOKEN, DECIMALS = "base", "USDC", 6
PAYER: Final = "0x7e57000000000000000000000000000000c0ffee"
TX_HASH: Final = f"0x{'7e57' * 16}"
UNITS: Final = BaseUnits(25_000_000)
"""25 USDC, and 25 of the token that was not asked for."""
_NOT_ASKED_FOR: Final = "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"
"""USDT."""
_AMOUNT = usd("25")
_PAID: Final = {"received_usd": _AMOUNT}
_SETTLED: Final = {**_PAID, "platform_fee_usd": usd("0"), "net_settlement_usd": _AMOUNT}
_BACK: Final = {"refunded_usd": _AMOUNT, "returned_usd": _AMOUNT}
S = IntentStatus
_FACTS: Final[Mapping[str, tuple[IntentStatus, Mapping[str, Any]]]] = {
    "payment_intent.created": (S.CREATED, {}),
    "payment_intent.quoted": (S.QUOTED, {}),
    "payment_intent.executing": (S.EXECUTING, {}),
    "payment_intent.partially_filled": (S.PARTIALLY_FILLED, {"received_usd": usd("10")}),
    "payment_intent.settled": (S.SETTLED, _SETTLED),
    "payment_intent.failed": (S.FAILED, {"failure_reason": Problem.EXECUTION_FAILED.value}),
    "payment_intent.expired": (S.EXPIRED, {}),
    "payment_intent.cancelled": (S.CANCELLED, {}),
    "payment_intent.refunded": (S.REFUNDED, {**_SETTLED, **_BACK}),
    "payment_intent.late_payment": (S.EXPIRED, _PAID),
    "payment_intent.overpaid": (
        S.SETTLED,
        {**_SETTLED, "received_usd": usd("30"), "net_settlement_usd": usd("30"), "overpaid_usd": usd("5")},
    ),
    "payment_intent.settlement_reversed": (S.EXECUTING, {}),
    "payment_intent.settlement_restored": (S.SETTLED, _SETTLED),
    "payment_intent.funds_owed": (S.REFUNDED, {**_SETTLED, **_BACK, "received_usd": usd("0"), "owed_usd": _AMOUNT}),
    STRAY_ARRIVED: (S.REQUIRES_PAYMENT, {}),
    "payment_intent.payment_counted_elsewhere": (S.REQUIRES_PAYMENT, {}),
}
"""In which status an intent is of which such an event tells, and what else is so then."""


def sample_of(event: str, intent_id: UUID) -> Mapping[str, Any]:
    """The ``data`` of an event of this type."""
    status, facts = _FACTS[event]
    intent = sample_intent(intent_id, status=status, **facts)
    body = event_body(intent_body(intent, settings.BASE_URL), intent, event)
    return {**body, "strays": [stray_body(_stray(intent))]} if event == STRAY_ARRIVED else body


def sample_intent(intent_id: UUID, **facts: Any) -> PaymentIntent:
    """An intent of test mode that is never stored: 25 dollars in USDC on Base."""
    moment = now()
    intent = PaymentIntent(
        id=intent_id,
        mode=Mode.TEST,
        amount=_AMOUNT,
        settlement_chain=CHAIN,
        settlement_token=TOKEN,
        settlement_decimals=DECIMALS,
        settlement_address=TEST_ADDRESSES["evm"],
        metadata=dict(METADATA),
        created_at=moment - timedelta(minutes=1),
        expires_at=moment + timedelta(minutes=29),
        **facts,
    )
    if intent.net_settlement_usd is not None:
        intent.settled_at = moment
    return intent


def _stray(intent: PaymentIntent) -> Credit:
    return Credit(
        id=1,
        intent_id=intent.pk,
        chain=CHAIN,
        token_address=_NOT_ASKED_FOR,
        base_units=UNITS,
        tx_hash=TX_HASH,
        payer=PAYER,
    )
