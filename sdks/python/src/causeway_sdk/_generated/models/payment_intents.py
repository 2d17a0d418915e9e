# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: payment intents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated.models.shared import Stray
from causeway_sdk._models import Model, many
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        HintReporter,
        HintVerdict,
        IntentStatus,
        LegKind,
        LegStatus,
        LegSubStatus,
        PaymentProblem,
        PaymentSituation,
        SettledReason,
        WhoActs,
    )


class ExplanationFacts(Model):
    """ExplanationFacts, as the service sends it."""

    id: str | None
    """Of the refund or payout that the line is about."""
    amount_usd: Decimal | None
    received_usd: Decimal | None
    due_usd: Decimal | None
    overpaid_usd: Decimal | None
    refunded_usd: Decimal | None
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived."""
    expires_at: datetime | None
    settled_at: datetime | None
    sent_at: datetime | None
    retry_at: datetime | None
    settlement_chain: str | None
    chain: str | None
    """Where the transaction was sent."""
    tx_hash: str | None
    destination_tx_hash: str | None
    explorer_url: str | None
    confirmations: int | None
    confirmations_required: int | None
    typical_seconds: int | None
    attempts: int | None
    error_code: PaymentProblem | None
    """Why a payment, or one attempt to pay, failed."""
    failure_reason: str | None
    settled_reason: SettledReason | None
    """Why an intent counts as settled although not exactly its amount arrived."""

    _read = {
        "amount_usd": decimal,
        "received_usd": decimal,
        "due_usd": decimal,
        "overpaid_usd": decimal,
        "refunded_usd": decimal,
        "platform_fee_usd": decimal,
        "expires_at": moment,
        "settled_at": moment,
        "sent_at": moment,
        "retry_at": moment,
    }


class PayerWords(Model):
    """PayerWords, as the service sends it."""

    happened: str
    money: str
    """Where the money is."""
    next: str
    """What to do now."""


class ExplanationLine(Model):
    """ExplanationLine, as the service sends it."""

    code: str
    """Stable, machine-readable."""
    happened: str
    because: str | None
    money: str
    """Where the money is."""
    actor: WhoActs
    """Who must act."""
    next: str
    """The next safe step."""
    since: datetime | None
    facts: ExplanationFacts

    _read = {"since": moment, "facts": ExplanationFacts}


class Explanation(Model):
    """Explanation, as the service sends it."""

    payment_intent_id: str
    status: IntentStatus
    """Where a payment intent stands. See docs/states for every change of status."""
    situation: PaymentSituation
    """The intent's own, as on the payer's page."""
    code: str
    """Stable, machine-readable."""
    happened: str
    because: str | None
    money: str
    """Where the money is."""
    actor: WhoActs
    """Who must act."""
    next: str
    """The next safe step."""
    since: datetime | None
    facts: ExplanationFacts
    payer: PayerWords
    """The same situation as the payer's page tells it."""
    also: list[ExplanationLine]

    _read = {"since": moment, "facts": ExplanationFacts, "payer": PayerWords, "also": many(ExplanationLine)}


class TransactionHint(Model):
    """TransactionHint, as the service sends it."""

    tx_hash: str
    by: HintReporter
    """Who reported a transaction hash."""
    reported_at: datetime
    verdict: HintVerdict | None
    checked_at: datetime | None

    _read = {"reported_at": moment, "checked_at": moment}


class Leg(Model):
    """Leg, as the service sends it."""

    id: str
    payment_intent_id: str
    sequence: int
    kind: LegKind
    """What a transaction does with the money."""
    provider: str
    chain: str
    to_chain: str
    token: str
    to_token: str
    amount: Decimal
    to_amount: Decimal | None
    amount_usd: Decimal
    fee_usd: Decimal
    gas_usd: Decimal
    status: LegStatus
    """Where a transaction stands on its chain."""
    sub_status: LegSubStatus | None
    tx_hash: str | None
    destination_tx_hash: str | None
    explorer_url: str | None
    block_number: int | None
    confirmations: int
    confirmations_required: int
    payer_address: str
    error: str | None
    created_at: datetime
    submitted_at: datetime | None
    confirmed_at: datetime | None
    updated_at: datetime
    strays: list[Stray]
    """Other tokens that came with it: shown, and counted for nothing."""
    hints: list[TransactionHint]
    """Hashes that were reported for it, and what became of each."""

    _read = {
        "amount": decimal,
        "to_amount": decimal,
        "amount_usd": decimal,
        "fee_usd": decimal,
        "gas_usd": decimal,
        "created_at": moment,
        "submitted_at": moment,
        "confirmed_at": moment,
        "updated_at": moment,
        "strays": many(Stray),
        "hints": many(TransactionHint),
    }


class RouteCandidate(Model):
    """RouteCandidate, as the service sends it."""

    id: str
    provider: str
    chosen: bool
    ai_pick: bool
    score: Decimal
    from_chain: str
    to_chain: str
    from_token: str
    to_token: str
    to_amount_usd: Decimal
    fee_usd: Decimal
    gas_usd: Decimal
    duration_sec: int
    reason: str | None
    error: str | None
    created_at: datetime

    _read = {"score": decimal, "to_amount_usd": decimal, "fee_usd": decimal, "gas_usd": decimal, "created_at": moment}
