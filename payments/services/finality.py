"""Money that counts before its chain calls it final: guarded until then, and for a while after.

Gone before it was final: what it paid for is open again. Gone afterwards: nothing changes, and a person is called.
"""

import logging
from collections.abc import Collection, Iterable
from typing import Any

from chains.clients.base import LegView, Mark, ObservedTransfer, TransferKind
from chains.owners import move_event, taken_places
from core.clock import now
from core.transitions import move
from payments.models import Credit, Leg, PaymentIntent
from payments.services.booking import booking
from payments.services.credits import event_of, is_finalized, payer_facts
from payments.services.rate import worth_of
from payments.states import LEG_MACHINE, LegStatus

_LOGGER = logging.getLogger("causeway.payments")
REOPENED: dict[str, Any] = {"confirmations": 0, "output_base_units": None, "sub_status": "", "confirmed_at": None}


def guard_credits(intent: PaymentIntent, leg: Leg, view: LegView, standing: Collection[ObservedTransfer]) -> None:
    """Bring credits that count in line with what stands on the chain now.

    Of those alone that the chain was asked about: another worker may have credited something since. ``standing``: also
    what came under the leg's mark and counts for another.
    Locks: the caller holds the intent's lock.
    """
    gone = False
    counting = leg.credits.select_for_update(of=("self",)).order_by("pk")
    for credit in counting.filter(final_at__isnull=False, reversed_at=None, tx_hash__among=view.checked):
        place = (credit.tx_hash, credit.kind, credit.position)
        same = (one for one in view.everything if (one.tx_hash, one.kind, one.position) == place)
        transfer = next(same, None) or _moved(credit, view.everything)
        if transfer is not None:
            with booking(credit):
                _refresh(intent, credit, transfer)
        elif _stands_untraced(credit, standing):
            continue
        elif credit.finalized_at is None:
            _reverse(credit)
            gone = gone or credit.intent_id is not None
        elif credit.vanished_at is None:
            _call_a_person(credit)
    if gone and leg.status == LegStatus.CONFIRMED:
        with booking(leg):
            move(LEG_MACHINE, leg, "reopen", {**REOPENED, "updated_at": now()})


def _stands_untraced(credit: Credit, transfers: Iterable[ObservedTransfer]) -> bool:
    """Whether a stray coin's transaction stands in the very block in which it was traced.

    Why that is enough: a coin is traced once, and the same block holds the same calls.
    """
    is_coin = (credit.mark, credit.kind) == (Mark.STRAY, TransferKind.TRACE)
    return is_coin and (credit.tx_hash, credit.block_hash) in {(one.tx_hash, one.block_hash) for one in transfers}


def _moved(credit: Credit, transfers: Iterable[ObservedTransfer]) -> ObservedTransfer | None:
    """The same event of the same transaction at another place. Why: logs are counted anew in another block."""
    event = (credit.tx_hash, credit.kind, credit.base_units, credit.recipient, credit.token_address)
    taken = set(Credit.objects.filter(chain=credit.chain, tx_hash=credit.tx_hash).values_list("kind", "position"))
    taken |= taken_places(credit.network, credit.chain, credit.tx_hash)
    free = (one for one in transfers if (one.kind, one.position) not in taken)
    return next(
        (one for one in free if (one.tx_hash, one.kind, one.base_units, one.recipient, one.token_address) == event),
        None,
    )


def _refresh(intent: PaymentIntent, credit: Credit, transfer: ObservedTransfer) -> None:
    """It still stands, perhaps in another block. Why it goes on counting there: the merchant has the money.

    Why the amount may be another one: what an exchange gives depends on what else stands in its block.
    """
    if credit.position != transfer.position:
        move_event(event_of(credit.mode, credit), transfer.position)
        credit.position = transfer.position
    if credit.base_units != transfer.base_units and credit.finalized_at is None:
        _LOGGER.error("credit_changed: %s of intent %s brought another amount", credit.tx_hash, credit.intent_id)
        credit.base_units = transfer.base_units
        worth = {} if credit.purpose == "stray" else worth_of(intent, credit.leg, transfer, credit.price_usd).facts
        for name, value in worth.items():
            setattr(credit, name, value)
    credit.block_number, credit.block_hash = transfer.block_number, transfer.block_hash
    if credit.finalized_at is None and is_finalized(transfer):
        credit.finalized_at = now()
    payer = {} if credit.payer else payer_facts(transfer)
    for name, value in payer.items():
        setattr(credit, name, value)
    counts = ("base_units", "value_usd", "counted_base_units", "price_usd")
    credit.save(update_fields=["position", *counts, "block_number", "block_hash", "finalized_at", *payer])


def _reverse(credit: Credit) -> None:
    _LOGGER.error(
        "credit_reversed: %s of intent %s was removed from %s before it was final",
        credit.tx_hash,
        credit.intent_id,
        credit.chain,
    )
    with booking(credit):
        credit.reversed_at, credit.final_at = now(), None
        credit.save(update_fields=["reversed_at", "final_at"])


def _call_a_person(credit: Credit) -> None:
    _LOGGER.error(
        "final_credit_vanished: %s of intent %s is gone from %s although it was final; nothing was changed",
        credit.tx_hash,
        credit.intent_id,
        credit.chain,
    )
    credit.vanished_at = now()
    credit.save(update_fields=["vanished_at"])
