"""What a receipt holds: the payment in its payer's words and figures, at any moment of its life. Reads alone."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from chains.registry import chain, explorer_tx_url, is_tx_hash
from checkout.messages import Message, message_for
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, from_base_units, to_decimal_string
from payments.explanation import Rows
from payments.models import Leg, PaymentIntent
from payments.receipts import Returned, returned_from
from payments.selectors import leg_explorer_url
from payments.states import INTENT_MACHINE, IntentStatus, LegStatus

_ENDS: Final = 6, 4
"""How many characters of a wallet's address are shown at its beginning and end: enough for its owner to know it."""
LEG_WORDS: Final = {
    LegStatus.AWAITING_SIGNATURE: gettext_noop("Reported by the wallet"),
    LegStatus.SUBMITTED: gettext_noop("Sent"),
    LegStatus.CONFIRMING: gettext_noop("Being confirmed"),
    LegStatus.CONFIRMED: gettext_noop("Arrived"),
    LegStatus.FAILED: gettext_noop("Failed"),
    LegStatus.REFUNDED: gettext_noop("Returned by the bridge"),
    LegStatus.IN_DOUBT: gettext_noop("Being looked for"),
}


_TONES: Final = {
    IntentStatus.SETTLED: "ok",
    IntentStatus.FAILED: "bad",
    IntentStatus.PARTIALLY_FILLED: "warn",
    IntentStatus.EXECUTING: "busy",
}


class Sent(NamedTuple):
    """One transaction of the payer's. Links are empty where no explorer shows it: play money above all."""

    sequence: int
    quantity: Decimal
    token: str
    chain: str
    to_chain: str
    amount_usd: Decimal
    status: str
    words: str
    wallet: str
    at: datetime | None
    tx_hash: str
    explorer_url: str
    arrival_hash: str
    arrival_url: str


class Receipt(NamedTuple):
    """A payment as its payer keeps it. ``received`` is what counts for the merchant, in its own token."""

    id: str
    url: str
    is_test: bool
    status: str
    tone: str
    message: Message
    amount: str
    currency: str
    has_money: bool
    is_over: bool
    paid_at: datetime | None
    received_usd: str
    platform_fee_usd: str
    received: Decimal
    settlement_token: str
    settlement_chain: str
    reference: str
    sent: Sequence[Sent]
    refunds: Sequence[Returned]
    refunded_usd: str


def receipt_path(intent: PaymentIntent) -> str:
    """Where the receipt of a payment is for ever, below the service's address."""
    return reverse("receipt", kwargs={"intent_id": intent.pk})


def receipt_of(intent: PaymentIntent) -> Receipt:
    """The receipt as it stands now."""
    rows = Rows(intent, now())
    counted = [one for one in rows.standing if one.final_at is not None]
    units = BaseUnits(sum(one.base_units for one in counted))
    return Receipt(
        id=str(intent.pk),
        url=settings.BASE_URL + receipt_path(intent),
        is_test=intent.mode == Mode.TEST,
        status=intent.status,
        tone=_tone(intent),
        message=message_for(rows),
        amount=to_decimal_string(intent.amount),
        currency=intent.currency,
        has_money=intent.received_usd > 0,
        is_over=intent.status in INTENT_MACHINE.terminal,
        paid_at=intent.settled_at or max((one.observed_at for one in counted), default=None),
        received_usd=to_decimal_string(intent.received_usd),
        platform_fee_usd=to_decimal_string(intent.platform_fee_usd) if intent.platform_fee_usd else "",
        received=from_base_units(units, intent.settlement_decimals),
        settlement_token=intent.settlement_token,
        settlement_chain=_chain_name(intent.settlement_chain),
        reference=intent.reference,
        sent=[_sent(leg) for leg in rows.legs if leg.tx_hash],
        refunds=returned_from(intent),
        refunded_usd=to_decimal_string(intent.refunded_usd),
    )


def _tone(intent: PaymentIntent) -> str:
    """How grave it is, as the checkout page colours it."""
    has_ended_short = intent.status in (IntentStatus.EXPIRED, IntentStatus.CANCELLED) and intent.received_usd > 0
    if intent.in_doubt or has_ended_short:
        return "warn"
    return _TONES.get(IntentStatus(intent.status), "rest")


def _sent(leg: Leg) -> Sent:
    is_live = leg.mode == Mode.LIVE
    arrival = leg.destination_tx_hash if is_tx_hash(leg.destination_tx_hash) else ""
    wallet, (start, end) = leg.payer_address, _ENDS
    return Sent(
        sequence=leg.sequence,
        quantity=from_base_units(leg.input_base_units, leg.token_decimals),
        token=leg.token,
        chain=_chain_name(leg.chain),
        to_chain="" if leg.to_chain == leg.chain else _chain_name(leg.to_chain),
        amount_usd=leg.amount_usd,
        status=leg.status,
        words=LEG_WORDS.get(LegStatus(leg.status), ""),
        wallet=f"{wallet[:start]}…{wallet[-end:]}" if len(wallet) > start + end else wallet,
        at=leg.submitted_at,
        tx_hash=leg.tx_hash if is_tx_hash(leg.tx_hash) else "",
        explorer_url=leg_explorer_url(leg) or "",
        arrival_hash=arrival,
        arrival_url=(explorer_tx_url(leg.to_chain, arrival) or "") if arrival and is_live else "",
    )


def _chain_name(name: str) -> str:
    known = chain(name)
    return name if known is None else known.display_name
