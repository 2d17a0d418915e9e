"""What merchants are shown of a payout, and the function that writes it."""

from typing import Annotated, TypedDict

from core.clock import optional_wire_time, wire_time
from core.money import to_decimal_string
from core.shapes import Address, Chain, Code, Currency, Figure, Moment, Symbol, TxHash, Uuid
from payouts.models import Payout
from payouts.states import FAILURE_REASONS, PayoutStatus


class PayoutShape(TypedDict):
    """Source: specification, Payout."""

    id: Uuid
    payment_intent_id: Uuid | None
    rail: Annotated[str, ("direct", "evm", "solana", "merchant_wallet", "simulated")]
    destination: Address
    chain: Chain
    token: Symbol
    amount: Annotated[Figure, "Decimal string with at least two places."]
    currency: Currency
    status: Annotated[str, PayoutStatus]
    tx_hash: TxHash | None
    failure_reason: Annotated[Code | None, FAILURE_REASONS, "Why it is not paid, or not paid yet."]
    attempts: Annotated[int, {"min_value": 0}]
    next_attempt_at: Moment | None
    paid_at: Moment | None
    created_at: Moment


def payout_body(payout: Payout) -> PayoutShape:
    """A payout on the wire."""
    return {
        "id": str(payout.pk),
        "payment_intent_id": str(payout.intent_id) if payout.intent_id else None,
        "rail": payout.rail,
        "destination": payout.destination,
        "chain": payout.chain,
        "token": payout.token,
        "amount": to_decimal_string(payout.amount_usd),
        "currency": payout.currency,
        "status": payout.status,
        "tx_hash": payout.tx_hash or None,
        "failure_reason": payout.failure_reason or None,
        "attempts": payout.attempts,
        "next_attempt_at": optional_wire_time(payout.retry_at),
        "paid_at": optional_wire_time(payout.paid_at),
        "created_at": wire_time(payout.created_at),
    }
