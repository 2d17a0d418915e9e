"""What arrived on a chain, written down once per chain event, ever."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings

from chains.clients.base import ObservedTransfer
from chains.registry import chain
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits
from payments.amounts import value_at_frozen_rate
from payments.models import Credit, Leg, PaymentIntent

SIMULATED = "simulated"


def network_of(mode: str) -> str:
    """The network whose money counts in a mode: play money never counts for a live intent."""
    return SIMULATED if mode == Mode.TEST else str(settings.NETWORK_PROFILE)


def record_transfers(intent: PaymentIntent, leg: Leg, transfers: Iterable[ObservedTransfer]) -> None:
    """Credit what arrived for a leg; what was already credited anywhere is not credited again.

    Locks: the caller holds the intent's lock. Why the database decides: the key is unique over all intents.
    """
    for transfer in transfers:
        credit, is_new = Credit.objects.get_or_create(
            network=network_of(intent.mode),
            chain=transfer.chain,
            tx_hash=transfer.tx_hash,
            kind=transfer.kind,
            position=transfer.position,
            defaults=_facts(intent, leg, transfer),
        )
        if is_new or credit.intent_id != intent.pk:
            continue
        news: dict[str, object] = {"reversed_at": None}
        if credit.final_at is None:
            # Why all of them: what one node said before it was final may have been wrong.
            news |= _facts(intent, leg, transfer)
        else:
            news |= {"block_hash": transfer.block_hash, "block_number": transfer.block_number}
        for name, value in news.items():
            setattr(credit, name, value)
        credit.save(update_fields=list(news))


def is_finalized(intent: PaymentIntent, transfer: ObservedTransfer) -> bool:
    """Whether nothing can take this away any more. Of a transfer that is deep enough to count."""
    known = chain(transfer.chain)
    return transfer.is_finalized or intent.mode == Mode.TEST or known is None or known.settles_at_finalized


def withdraw_missing(leg: Leg, transfers: Iterable[ObservedTransfer]) -> None:
    """Mark credits that a reorganisation removed before they were final. Locks: as ``record_transfers``."""
    standing = {(transfer.tx_hash, transfer.kind, transfer.position) for transfer in transfers}
    for credit in leg.credits.filter(final_at=None, reversed_at=None):
        if (credit.tx_hash, credit.kind, credit.position) not in standing:
            credit.reversed_at = now()
            credit.save(update_fields=["reversed_at"])


def final_settlement_units(intent: PaymentIntent) -> BaseUnits:
    """Settlement units that arrived for good. Why summed here: SQLite would lose digits."""
    rows = intent.credits.filter(purpose="settlement", reversed_at=None, final_at__isnull=False)
    return BaseUnits(sum(rows.values_list("base_units", flat=True)))


def seen_settlement_units(intent: PaymentIntent) -> BaseUnits:
    """Settlement units that arrived, those that are not final yet among them."""
    rows = intent.credits.filter(purpose="settlement", reversed_at=None)
    return BaseUnits(sum(rows.values_list("base_units", flat=True)))


def unsettled_credits_exist(intent: PaymentIntent) -> bool:
    """Whether something arrived that is not final yet."""
    return intent.credits.filter(purpose="settlement", reversed_at=None, final_at=None).exists()


def _facts(intent: PaymentIntent, leg: Leg, transfer: ObservedTransfer) -> dict[str, object]:
    is_final = transfer.confirmations >= leg.confirmations_required
    ours = (
        transfer.chain == intent.settlement_chain
        and transfer.recipient == intent.settlement_address
        and transfer.token_address == intent.settlement_token_address
    )
    return {
        "purpose": "settlement" if ours else "stray",
        "merchant_id": intent.merchant_id,
        "mode": intent.mode,
        "intent": intent,
        "leg": leg,
        "token_address": transfer.token_address,
        "base_units": transfer.base_units,
        "value_usd": value_at_frozen_rate(intent, transfer.base_units),
        "sender": transfer.sender,
        "recipient": transfer.recipient,
        "block_number": transfer.block_number,
        "block_hash": transfer.block_hash,
        "block_time": transfer.block_time,
        "late": _is_late(intent, transfer.block_time),
        "final_at": now() if is_final else None,
        "finalized_at": now() if is_final and is_finalized(intent, transfer) else None,
    }


def _is_late(intent: PaymentIntent, block_time: datetime) -> bool:
    """Whether a payment happened after the intent's time, or after it had expired by a test clock.

    Why not by when it was noticed: a payer who paid in time did what was asked.
    """
    if block_time > intent.expires_at:
        return True
    expired_at = intent.history.filter(trigger="expire").values_list("created_at", flat=True).first()
    return expired_at is not None and block_time > expired_at
