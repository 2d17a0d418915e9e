"""What is shown of a refund, to the merchant and to whoever has its link, each with the function that writes it."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from chains.registry import Family
from core.clock import optional_wire_time, wire_time
from core.money import from_base_units, json_number, to_decimal_string
from core.shapes import Address, Chain, Code, Figure, Moment, Number, Sentence, Symbol, TxHash, Uuid
from payments.models import stray_id_of
from refunds.models import Refund
from refunds.shares import MOST_SHOWN, Share, payer_for
from refunds.states import FAILURE_REASONS, PUBLIC_STATUS, RECORD_STATUS, REFUND_MACHINE, R

RECORD_STATUSES = tuple(dict.fromkeys(RECORD_STATUS.values()))
PUBLIC_STATUSES = tuple(dict.fromkeys(PUBLIC_STATUS.values()))
TAIL_LENGTH = 6
"""Source: specification, Refund public status view."""


class PayerShareShape(TypedDict):
    """One wallet that provably paid. Units: base units of the settlement token, as text."""

    wallet: Address
    family: Annotated[Code | None, tuple(Family), "`evm` or `solana`; null for a made-up test wallet."]
    paid_usd: Number
    paid_units: Figure
    returned_usd: Annotated[Number, "By refunds to it, or claimed by it, that did not fail."]
    returned_units: Figure
    unreturned_usd: Annotated[Number, "What it paid and did not get back yet."]
    unreturned_units: Figure


class RefundShape(TypedDict):
    """Source: specification, Refund. The additive keys follow ``paid_at``."""

    id: Uuid
    payment_intent_id: Uuid
    amount_usd: Annotated[Number, "0 where a stray is given back: it never counted as dollars."]
    chain: Chain
    token: Symbol
    destination: Annotated[Address, "Empty until it is known."]
    reason: str
    status: Annotated[str, RECORD_STATUSES]
    tx_hash: TxHash | None
    created_at: Moment
    paid_at: Moment | None
    failure_reason: Annotated[Code | None, FAILURE_REASONS, "Why it is not paid, or not paid yet."]
    attempts: Annotated[int, "How often sending was begun."]
    updated_at: Moment
    stray_id: Annotated[Uuid | None, "The stray that it gives back; else null."]
    token_amount: Annotated[Figure, "What is sent, in the token, as a decimal."]
    suggested_destination: Annotated[
        Address | None,
        "While it waits: the one wallet that paid as much. Ask the payer before you use it; it may be an "
        "exchange's. Null where several did, or none.",
    ]
    payers: Annotated[list[PayerShareShape] | None, "While it waits: who paid its intent, and what of it went back."]


class RefundsToPayersShape(TypedDict):
    """The refunds of one act, those that send most first."""

    data: list[RefundShape]


class IntentPayersShape(TypedDict):
    """Who paid an intent."""

    data: list[PayerShareShape]
    has_more: Annotated[bool, f"At most {MOST_SHOWN} are named, those with the most left first."]
    next_cursor: Annotated[str | None, "Always null: who is not named cannot be asked for."]
    unproven_usd: Annotated[Number, "What arrived and is nobody's, since nothing proves who sent it."]
    refundable_usd: Annotated[Number, "What can be refunded now."]


class RefundClaimTextShape(TypedDict):
    """What is given out to be signed."""

    nonce: str
    message: Annotated[Sentence, "Sign exactly this text."]
    expires_at: Annotated[Moment, "Ten minutes later; used once."]


class RefundClaimPendingShape(TypedDict):
    """The wallet's contract is being asked."""

    status: Annotated[Code, ("asking_wallet",), "`asking_wallet`: send the same again; then it says what came of it."]
    retry_after_seconds: int


class RefundPublicViewShape(TypedDict):
    """Source: specification, Refund public status view."""

    id: Uuid
    payment_intent_id: Uuid
    amount_usd: Number
    chain: Chain | None
    token: Symbol | None
    destination_tail: Annotated[str, "… and the last six characters."]
    reason: str
    status: Annotated[str, PUBLIC_STATUSES]
    tx_hash: TxHash | None
    failure_reason: Annotated[Code | None, FAILURE_REASONS]
    attempts: int
    created_at: Moment
    updated_at: Moment
    paid_at: Moment | None
    terminal: bool


def refund_body(refund: Refund, parts: Sequence[Share] | None = None) -> RefundShape:
    """A refund on the wire, with the payers of its intent while it waits."""
    return {
        "id": str(refund.pk),
        "payment_intent_id": str(refund.intent_id),
        "amount_usd": json_number(refund.amount_usd),
        "chain": refund.chain,
        "token": refund.token,
        "destination": refund.destination,
        "reason": refund.reason,
        "status": RECORD_STATUS[R(refund.status)],
        "tx_hash": refund.tx_hash or None,
        "created_at": wire_time(refund.created_at),
        "paid_at": optional_wire_time(refund.paid_at),
        "failure_reason": refund.failure_reason or None,
        "attempts": refund.attempts,
        "updated_at": wire_time(refund.updated_at),
        "stray_id": None if refund.stray_id is None else str(stray_id_of(refund.intent_id, refund.stray_id)),
        "token_amount": to_decimal_string(from_base_units(refund.base_units, refund.token_decimals), 0),
        "suggested_destination": payer_for(refund, parts) or None if parts else None,
        "payers": None if parts is None else [share_body(one) for one in parts[:MOST_SHOWN]],
    }


def share_body(share: Share) -> PayerShareShape:
    """One payer on the wire."""
    return {
        "wallet": share.wallet,
        "family": share.family,
        "paid_usd": json_number(share.paid_usd),
        "paid_units": str(share.paid_units),
        "returned_usd": json_number(share.returned_usd),
        "returned_units": str(share.returned_units),
        "unreturned_usd": json_number(share.unreturned_usd),
        "unreturned_units": str(share.unreturned_units),
    }


def public_view(refund: Refund) -> RefundPublicViewShape:
    """What anyone with the link may read. Source: specification. Nothing beyond its keys may appear."""
    return {
        "id": str(refund.pk),
        "payment_intent_id": str(refund.intent_id),
        "amount_usd": json_number(refund.amount_usd),
        "chain": refund.chain or None,
        "token": refund.token or None,
        "destination_tail": destination_tail(refund),
        "reason": refund.reason,
        "status": PUBLIC_STATUS[R(refund.status)],
        "tx_hash": refund.tx_hash or None,
        "failure_reason": refund.failure_reason or None,
        "attempts": refund.attempts,
        "created_at": wire_time(refund.created_at),
        "updated_at": wire_time(refund.updated_at),
        "paid_at": optional_wire_time(refund.paid_at),
        "terminal": refund.status in REFUND_MACHINE.terminal,
    }


def destination_tail(refund: Refund) -> str:
    """The end of the destination behind an ellipsis; empty where there is none yet."""
    return f"…{refund.destination[-TAIL_LENGTH:]}" if refund.destination else ""
