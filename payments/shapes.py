"""What merchants are shown of an intent, its legs and its weighed routes: each a shape and the function that writes it.

Agents' schemas and the ``data`` of events follow from the same shapes.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from core.clock import optional_wire_time, wire_time
from core.money import from_base_units, json_number, optional_decimal_string, to_decimal_string
from core.shapes import (
    Address,
    Chain,
    Code,
    Currency,
    Email,
    Figure,
    Link,
    ModeName,
    Moment,
    Number,
    Sentence,
    Symbol,
    TxHash,
    Url,
    Uuid,
)
from payments.amounts import amount_due, is_partially_funded
from payments.models import Hint, Leg, PaymentIntent, Reporter, RouteCandidate, Verdict
from payments.routing.registry import PROVIDER_NAMES
from payments.scenarios import ENDS, NAMES, Scenario
from payments.selectors import leg_explorer_url
from payments.states import PARTIAL, SETTLED_REASONS, IntentStatus, LegStatus, Problem
from payments.strays import StrayShape


class PaymentIntentLastErrorShape(TypedDict):
    """Why the last try to pay ended."""

    code: Annotated[Code, Problem]
    message: str


class PaymentIntentShape(TypedDict):
    """Source: specification, PaymentIntent. The additive keys follow ``metadata``."""

    id: Uuid
    amount: Annotated[Figure, "Decimal string with two places."]
    currency: Currency
    mode: ModeName
    status: Annotated[str, IntentStatus]
    checkout_url: Url
    settlement_chain: Chain
    settlement_token: Symbol
    settlement_address: Address
    customer_email: Email | None
    expires_at: Moment
    created_at: Moment
    metadata: dict[str, Any]
    amount_received: Figure
    amount_due: Figure
    overpaid_usd: Figure
    platform_fee_usd: Annotated[Figure | None, "Paid by the payer on top of what arrived; null until it is settled."]
    amount_refunded_usd: Figure
    partially_funded: bool
    in_doubt: bool
    last_error: PaymentIntentLastErrorShape | None
    failure_reason: Annotated[Code | None, Problem]
    settled_at: Moment | None
    settled_reason: Annotated[Code | None, SETTLED_REASONS]
    cancelled_at: Moment | None
    reference: str | None
    return_url: Link | None


class ScenarioShape(TypedDict):
    """What test mode can be asked for, in `metadata.simulate` or as `scenario` of the pay helper."""

    name: Annotated[Code, NAMES]
    about: Sentence
    applies_to: Annotated[str, ("payment_intent", "payout", "refund")]
    ends_in: Annotated[Code, ENDS, "The status in which that ends when nothing more is done."]


class RouteCandidateShape(TypedDict):
    """Source: specification, RouteCandidate."""

    id: Uuid
    provider: Annotated[Code, PROVIDER_NAMES]
    chosen: bool
    ai_pick: bool
    score: Number
    from_chain: Chain
    to_chain: Chain
    from_token: Symbol
    to_token: Symbol
    to_amount_usd: Number
    fee_usd: Number
    gas_usd: Number
    duration_sec: int
    reason: str | None
    error: str | None
    created_at: Moment


class TransactionHintShape(TypedDict):
    """A hash that somebody reported for a transaction: where it was looked for, never that money arrived."""

    tx_hash: str
    by: Annotated[str, Reporter]
    reported_at: Moment
    verdict: Annotated[str | None, Verdict]
    checked_at: Moment | None


class LegShape(TypedDict):
    """Source: docs/design/payments.md, A leg."""

    id: Uuid
    payment_intent_id: Uuid
    sequence: int
    kind: Annotated[str, ("swap", "bridge", "transfer", "settlement", "payout", "refund")]
    provider: Annotated[Code, PROVIDER_NAMES]
    chain: Chain
    to_chain: Chain
    token: Symbol
    to_token: Symbol
    amount: Figure
    to_amount: Figure | None
    amount_usd: Number
    fee_usd: Number
    gas_usd: Number
    status: Annotated[str, LegStatus]
    sub_status: Annotated[Code | None, (PARTIAL,)]
    tx_hash: TxHash | None
    destination_tx_hash: TxHash | None
    explorer_url: Url | None
    block_number: int | None
    confirmations: int
    confirmations_required: int
    payer_address: Address
    error: str | None
    created_at: Moment
    submitted_at: Moment | None
    confirmed_at: Moment | None
    updated_at: Moment
    strays: Annotated[list[StrayShape], "Other tokens that came with it: shown, and counted for nothing."]
    hints: Annotated[list[TransactionHintShape], "Hashes that were reported for it, and what became of each."]


def intent_body(intent: PaymentIntent, base_url: str) -> PaymentIntentShape:
    """An intent on the wire."""
    last_error: PaymentIntentLastErrorShape = {"code": intent.last_error_code, "message": intent.last_error_message}
    return {
        "id": str(intent.pk),
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "mode": intent.mode,
        "status": intent.status,
        "checkout_url": f"{base_url}/checkout/{intent.pk}",
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "settlement_address": intent.settlement_address,
        "customer_email": intent.customer_email,
        "expires_at": wire_time(intent.expires_at),
        "created_at": wire_time(intent.created_at),
        "metadata": intent.metadata,
        "amount_received": to_decimal_string(intent.received_usd),
        "amount_due": to_decimal_string(amount_due(intent)),
        "overpaid_usd": to_decimal_string(intent.overpaid_usd),
        "platform_fee_usd": optional_decimal_string(intent.platform_fee_usd),
        "amount_refunded_usd": to_decimal_string(intent.refunded_usd),
        "partially_funded": is_partially_funded(intent),
        "in_doubt": intent.in_doubt,
        "last_error": last_error if intent.last_error_code else None,
        "failure_reason": intent.failure_reason or None,
        "settled_at": optional_wire_time(intent.settled_at),
        "settled_reason": intent.settled_reason or None,
        "cancelled_at": optional_wire_time(intent.cancelled_at),
        "reference": intent.reference or None,
        "return_url": intent.return_url or None,
    }


def scenario_body(scenario: Scenario) -> ScenarioShape:
    """A scenario on the wire."""
    return {
        "name": scenario.name,
        "about": scenario.label,
        "applies_to": scenario.applies_to,
        "ends_in": scenario.ends_in,
    }


def candidate_body(candidate: RouteCandidate) -> RouteCandidateShape:
    """A weighed route on the wire."""
    return {
        "id": str(candidate.pk),
        "provider": candidate.provider,
        "chosen": candidate.chosen,
        "ai_pick": candidate.ai_pick,
        "score": candidate.score,
        "from_chain": candidate.from_chain,
        "to_chain": candidate.to_chain,
        "from_token": candidate.from_token,
        "to_token": candidate.to_token,
        "to_amount_usd": json_number(candidate.to_amount_usd),
        "fee_usd": json_number(candidate.fee_usd),
        "gas_usd": json_number(candidate.gas_usd),
        "duration_sec": candidate.duration_sec,
        "reason": candidate.reason,
        "error": candidate.error,
        "created_at": wire_time(candidate.created_at),
    }


def leg_body(leg: Leg, strays: list[StrayShape], hints: Iterable[Hint]) -> LegShape:
    """A leg on the wire, with the tokens that came and the hashes that were reported beside it."""
    arrived = leg.output_base_units
    return {
        "id": str(leg.pk),
        "payment_intent_id": str(leg.intent_id),
        "sequence": leg.sequence,
        "kind": leg.kind,
        "provider": leg.provider,
        "chain": leg.chain,
        "to_chain": leg.to_chain,
        "token": leg.token,
        "to_token": leg.to_token,
        "amount": to_decimal_string(from_base_units(leg.input_base_units, leg.token_decimals), 0),
        "to_amount": None if arrived is None else to_decimal_string(from_base_units(arrived, leg.to_token_decimals), 0),
        "amount_usd": json_number(leg.amount_usd),
        "fee_usd": json_number(leg.fee_usd),
        "gas_usd": json_number(leg.gas_usd),
        "status": leg.status,
        "sub_status": leg.sub_status or None,
        "tx_hash": leg.tx_hash or None,
        "destination_tx_hash": leg.destination_tx_hash or None,
        "explorer_url": leg_explorer_url(leg),
        "block_number": leg.block_number,
        "confirmations": leg.confirmations,
        "confirmations_required": leg.confirmations_required,
        "payer_address": leg.payer_address,
        "error": leg.error or None,
        "created_at": wire_time(leg.created_at),
        "submitted_at": optional_wire_time(leg.submitted_at),
        "confirmed_at": optional_wire_time(leg.confirmed_at),
        "updated_at": wire_time(leg.updated_at),
        "strays": strays,
        "hints": [hint_body(one) for one in hints],
    }


def hint_body(hint: Hint) -> TransactionHintShape:
    """What was reported, on the wire."""
    return {
        "tx_hash": hint.tx_hash,
        "by": hint.by,
        "reported_at": wire_time(hint.reported_at),
        "verdict": hint.verdict or None,
        "checked_at": optional_wire_time(hint.checked_at),
    }
