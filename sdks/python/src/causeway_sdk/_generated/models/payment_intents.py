# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: payment intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    """In US dollars."""
    received_usd: Decimal | None
    """What has arrived and counts, in US dollars."""
    due_usd: Decimal | None
    """What is still to be paid, in US dollars."""
    overpaid_usd: Decimal | None
    """What arrived beyond the amount, in US dollars, as a decimal string."""
    refunded_usd: Decimal | None
    """What was refunded so far, in US dollars."""
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived."""
    expires_at: datetime | None
    """Until when it is valid. ISO 8601 in UTC."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    sent_at: datetime | None
    """When it was sent. ISO 8601 in UTC."""
    retry_at: datetime | None
    """When it is tried again. ISO 8601 in UTC."""
    settlement_chain: str | None
    """The chain that the money settles on."""
    chain: str | None
    """Where the transaction was sent."""
    tx_hash: str | None
    """The hash of the transaction; null until there is one."""
    destination_tx_hash: str | None
    """The transaction that paid out on the destination chain; null until it is seen."""
    explorer_url: str | None
    """The transaction in a block explorer; null where there is none."""
    confirmations: int | None
    """How many blocks confirm the transaction so far."""
    confirmations_required: int | None
    """How many blocks must confirm it before it counts."""
    typical_seconds: int | None
    """How long it usually takes, in seconds."""
    attempts: int | None
    """How many times it was tried."""
    error_code: PaymentProblem | None
    """The code of the last error."""
    failure_reason: str | None
    """Why it failed or waits; null if it does neither."""
    settled_reason: SettledReason | None
    """Why it counts as settled although not exactly its amount arrived in time; else null."""

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
    """What happened, in one sentence."""
    money: str
    """Where the money is."""
    next: str
    """What to do now."""


class ExplanationLine(Model):
    """ExplanationLine, as the service sends it."""

    code: str
    """Stable, machine-readable."""
    happened: str
    """What happened, in one sentence."""
    because: str | None
    """Why, in one sentence; null where there is nothing more to say."""
    money: str
    """Where the money is."""
    actor: WhoActs
    """Who must act."""
    next: str
    """The next safe step."""
    since: datetime | None
    """Since when it is so; null where it has no beginning. ISO 8601 in UTC."""
    facts: ExplanationFacts
    """The amounts, times and hashes that the sentences are about."""

    _read = {"since": moment, "facts": ExplanationFacts}


class Explanation(Model):
    """Explanation, as the service sends it."""

    payment_intent_id: str
    """The payment intent that it belongs to."""
    status: IntentStatus
    """Where it stands."""
    situation: PaymentSituation
    """The intent's own, as on the payer's page."""
    code: str
    """Stable, machine-readable."""
    happened: str
    """What happened, in one sentence."""
    because: str | None
    """Why, in one sentence; null where there is nothing more to say."""
    money: str
    """Where the money is."""
    actor: WhoActs
    """Who must act."""
    next: str
    """The next safe step."""
    since: datetime | None
    """Since when it is so; null where it has no beginning. ISO 8601 in UTC."""
    facts: ExplanationFacts
    """The amounts, times and hashes that the sentences are about."""
    payer: PayerWords
    """The same situation as the payer's page tells it."""
    also: list[ExplanationLine]
    """What else there is to say about the payment, most urgent first."""

    _read = {"since": moment, "facts": ExplanationFacts, "payer": PayerWords, "also": many(ExplanationLine)}


class FlightRecordEntry(Model):
    """FlightRecordEntry, as the service sends it."""

    number: int
    """Its place in the chain, counted from 1."""
    at: datetime
    """When it happened."""
    type: str
    """What happened, such as `credit.seen`; more may be added."""
    ref: str
    """Which of the like it is; no two entries of a record have the same."""
    facts: dict[str, Any]
    """What is known of it. Amounts are base units or US dollars, as text."""
    hash: str
    """SHA-256 over the entry before and this one, in hexadecimal."""

    _read = {"at": moment}


class FlightRecordSeal(Model):
    """FlightRecordSeal, as the service sends it."""

    statement: dict[str, Any]
    """What was signed: a receipt, or all that the record says up to an entry. See the guide."""
    key_id: str
    """Which key of `/.well-known/causeway-receipt-keys.json` signed it."""
    signature: str
    """Ed25519, in hexadecimal."""


class FlightRecord(Model):
    """FlightRecord, as the service sends it."""

    type: str
    """The form of the record: `causeway.flight-record.v1`."""
    payment_intent_id: str
    """The payment intent that it belongs to."""
    entries: list[FlightRecordEntry]
    """Everything that happened, the oldest first."""
    head: str
    """The hash of the last entry."""
    seals: list[FlightRecordSeal]
    """The signatures, the oldest first; none until seconds after the settlement."""

    _read = {"entries": many(FlightRecordEntry), "seals": many(FlightRecordSeal)}


class TransactionHint(Model):
    """TransactionHint, as the service sends it."""

    tx_hash: str
    """The hash that was reported."""
    by: HintReporter
    """Who reported it."""
    reported_at: datetime
    """When it was reported. ISO 8601 in UTC."""
    verdict: HintVerdict | None
    """What the chain said about it; null while it is being looked for."""
    checked_at: datetime | None
    """When the verdict was reached; null while there is none. ISO 8601 in UTC."""

    _read = {"reported_at": moment, "checked_at": moment}


class Leg(Model):
    """Leg, as the service sends it."""

    id: str
    """Its id."""
    payment_intent_id: str
    """The payment intent that it belongs to."""
    sequence: int
    """Its place among the transactions of the payment, counted from 1."""
    kind: LegKind
    """What the transaction does with the money."""
    provider: str
    """Who carries the transaction out, such as `direct` or `lifi`."""
    chain: str
    """The chain on which the payer sends it."""
    to_chain: str
    """The chain on which the money arrives."""
    token: str
    """The symbol of the token that the payer sends."""
    to_token: str
    """The symbol of the token that arrives."""
    amount: Decimal
    """What the payer sends, in the token, as a decimal string."""
    to_amount: Decimal | None
    """What arrived, in the token that arrives, as a decimal string; null until it is known."""
    amount_usd: Decimal
    """What it is worth, in US dollars."""
    fee_usd: Decimal
    """Fees of the provider, in US dollars."""
    gas_usd: Decimal
    """Network fees, in US dollars."""
    status: LegStatus
    """Where it stands."""
    sub_status: LegSubStatus | None
    """More about the status; null where there is nothing more to say."""
    tx_hash: str | None
    """The hash of the transaction; null until there is one."""
    destination_tx_hash: str | None
    """The transaction that paid out on the destination chain; null until it is seen."""
    explorer_url: str | None
    """The transaction in a block explorer; null where there is none."""
    block_number: int | None
    """The block that holds the transaction; null until it is in one."""
    confirmations: int
    """How many blocks confirm the transaction so far."""
    confirmations_required: int
    """How many blocks must confirm it before it counts."""
    payer_address: str
    """The wallet that pays; empty until it is known."""
    error: str | None
    """Why it failed, one stable word; null if it did not."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    submitted_at: datetime | None
    """When the transaction was seen or reported; null until then. ISO 8601 in UTC."""
    confirmed_at: datetime | None
    """When it had enough confirmations; null until then. ISO 8601 in UTC."""
    updated_at: datetime
    """When it last changed. ISO 8601 in UTC."""
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
    """Its id."""
    provider: str
    """Who carries the transaction out, such as `direct` or `lifi`."""
    chosen: bool
    """Whether it was the one taken."""
    ai_pick: bool
    """Whether the routing advisor preferred it."""
    score: Decimal
    """How good it is by cost and time; higher is better."""
    from_chain: str
    """The chain on which the payer pays."""
    to_chain: str
    """The chain on which the money arrives."""
    from_token: str
    """The symbol of the token that the payer pays with."""
    to_token: str
    """The symbol of the token that arrives."""
    to_amount_usd: Decimal
    """What would arrive, in US dollars."""
    fee_usd: Decimal
    """Fees of the provider, in US dollars."""
    gas_usd: Decimal
    """Network fees, in US dollars."""
    duration_sec: int
    """How long it is expected to take, in seconds."""
    reason: str | None
    """Why it was taken or not; null if nothing was said."""
    error: str | None
    """Why it cannot be taken; null if it can."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""

    _read = {"score": decimal, "to_amount_usd": decimal, "fee_usd": decimal, "gas_usd": decimal, "created_at": moment}
