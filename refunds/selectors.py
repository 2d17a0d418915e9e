"""Reads of refunds: what each audience is shown, what is left to refund, and which wallet may be trusted."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from chains.registry import Family, chain
from core.clock import now, optional_wire_time, wire_time
from core.errors import NotFound
from core.ids import parse_public_id
from core.modes import Mode
from core.money import ZERO_USD, BaseUnits, UsdAmount, json_number
from merchants.principal import Principal
from merchants.querysets import find_visible
from payments.models import Leg, PaymentIntent
from payments.states import LegStatus
from refunds.amounts import Balance
from refunds.models import Refund
from refunds.states import PUBLIC_STATUS, RECORD_STATUS, REFUND_MACHINE, RELEASED, R

TAIL_LENGTH = 6
"""Source: specification, Refund public status view."""


def visible_refund(principal: Principal, text: str) -> Refund:
    """The principal's refund. Raises: NotFound, the same for unknown, malformed, foreign and other-mode ids."""
    refund_id = parse_public_id(text)
    refund = None if refund_id is None else find_visible(Refund, principal, refund_id)
    if refund is None:
        raise NotFound("refund")
    return refund


def public_refund(text: str) -> Refund:
    """The refund behind a status link, whose id is the permission. Raises: NotFound."""
    refund_id = parse_public_id(text)
    refund = None if refund_id is None else Refund.objects.open_to_public(refund_id).first()
    if refund is None:
        raise NotFound("refund")
    return refund


def refund_facts(refund: Refund, **destination: str) -> dict[str, Any]:
    """What the merchant is shown, with the destination as the caller shows it."""
    return {
        "id": str(refund.pk),
        "payment_intent_id": str(refund.intent_id),
        "amount_usd": json_number(refund.amount_usd),
        "chain": refund.chain,
        "token": refund.token,
        **destination,
        "reason": refund.reason,
        "status": RECORD_STATUS[R(refund.status)],
        "tx_hash": refund.tx_hash or None,
        "created_at": wire_time(refund.created_at),
        "paid_at": optional_wire_time(refund.paid_at),
        "failure_reason": refund.failure_reason or None,
        "attempts": refund.attempts,
        "updated_at": wire_time(refund.updated_at),
    }


def public_view(refund: Refund) -> dict[str, Any]:
    """What anyone with the link may read. Source: specification; nothing beyond its keys may appear."""
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


def balance_of(intent: PaymentIntent, received_usd: UsdAmount, received_units: BaseUnits) -> Balance:
    """What is left of what arrived. Locks: the caller holds the intent's lock.

    Why summed here: SQLite would lose digits. Why one query: dollars and units of each refund belong together.
    """
    holding = Refund.objects.filter(intent=intent).exclude(status__in=RELEASED)
    held = list(holding.values_list("amount_usd", "base_units"))
    return Balance(
        received_usd=received_usd,
        received_units=received_units,
        held_usd=UsdAmount(sum((usd for usd, _ in held), ZERO_USD)),
        held_units=BaseUnits(sum(units for _, units in held)),
    )


def proven_wallet(intent: PaymentIntent, chain_name: str) -> str | None:
    """The wallet that paid on this chain by a transaction that it signed itself; None where nothing proves one.

    On EVM chains the node named it as the sender of the payment's own transaction; on Solana it signed the stored
    message. Never what a log says: there, contracts and exchanges pay too. Source: rulings, D 3.
    """
    paid = intent.legs.filter(status=LegStatus.CONFIRMED, chain=chain_name).exclude(tx_hash="")
    signed = [leg for leg in paid.order_by("-sequence") if is_signed_by_payer(leg)]
    return signed[0].payer_address if signed else None


def is_signed_by_payer(leg: Leg) -> bool:
    """Whether control of the wallet is proven. Why play money needs no more: its wallets are made up."""
    if leg.mode == Mode.TEST:
        return True
    known = chain(leg.chain)
    if known is None:
        return False
    return leg.source_nonce is not None if known.family is Family.EVM else bool(leg.signed_transaction)


def suggested_destinations(refunds: Iterable[Refund]) -> dict[UUID, str]:
    """By refund that waits for a destination: the paying wallet, where it can receive on that chain.

    It is offered and never taken by itself: it may belong to an exchange. Source: contract, Destination rules.
    """
    waiting = [refund for refund in refunds if refund.status == R.WAITING]
    if not waiting:
        return {}
    wallets = _paying_wallets({refund.intent_id for refund in waiting})
    offered = {refund.pk: wallets.get((refund.intent_id, _family(refund.chain))) for refund in waiting}
    return {refund_id: wallet for refund_id, wallet in offered.items() if wallet}


def offered_wallet(intent: PaymentIntent) -> str:
    """The wallet that paid an intent, where it can receive on the settlement chain; empty where none is known."""
    return _paying_wallets({intent.pk}).get((intent.pk, _family(intent.settlement_chain)), "")


def _paying_wallets(intent_ids: set[UUID]) -> dict[tuple[UUID, str], str]:
    """By intent and family of chains: the wallet that made the newest payment."""
    paid = Leg.objects.filter(intent_id__in=intent_ids, status=LegStatus.CONFIRMED)
    return {
        (intent_id, _family(chain_name)): payer
        for intent_id, chain_name, payer in paid.order_by("sequence").values_list("intent_id", "chain", "payer_address")
    }


def _family(chain_name: str) -> str:
    known = chain(chain_name)
    return chain_name if known is None else known.family.value


def oldest_due_at() -> datetime | None:
    """When the most overdue refund should have been looked at; None when nothing is due."""
    due = Refund.objects.filter(next_attempt_at__lte=now()).order_by("next_attempt_at")
    return due.values_list("next_attempt_at", flat=True).first()
