"""What arrived on a chain, written down once per chain event, ever, for whoever has the best title to it."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from chains.clients.base import Mark, ObservedTransfer, TransferKind
from chains.models import OwnerKind
from chains.owners import ChainEvent, Owners, move_event, owners_of, take_free
from chains.registry import chain
from core.bulk import insert_once
from core.clock import now
from core.compiled import compiled_once, save_columns
from core.modes import Mode
from core.money import ZERO_USD
from payments.models import Credit, Leg, PaymentIntent
from payments.services.booking import book_new, booking
from payments.services.rate import Worth, worth_of
from payments.services.titles import is_held_by, note_loss, outranks
from payments.services.transition import tell
from payments.states import INTENT_MACHINE
from payments.strays import STRAY_ARRIVED
from tokens.selectors import find_token

SIMULATED = "simulated"
NOT_PROVEN: dict[str, object] = {"payer": "", "payer_nonce": None, "payer_proof": ""}
"""Of a credit that is nobody's."""


def network_of(mode: str) -> str:
    """The network whose money counts in a mode: play money never counts for a live intent."""
    return SIMULATED if mode == Mode.TEST else str(settings.NETWORK_PROFILE)


def event_of(mode: str, fact: ObservedTransfer | Credit) -> ChainEvent:
    """The name of what happened on the chain."""
    return ChainEvent(
        network=network_of(mode), chain=fact.chain, tx_hash=fact.tx_hash, kind=fact.kind, position=fact.position
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What is written down of some transactions, for whomever. What is not among it may have been written since."""

    credits: dict[ChainEvent, Credit] = field(default_factory=dict)
    owners: Owners = Owners()


def what_is_known(intent: PaymentIntent, transfers: Iterable[ObservedTransfer]) -> Known:
    """Read what is written down of the transactions of these transfers."""
    seen = list(transfers)
    places, hashes = {transfer.chain for transfer in seen}, {transfer.tx_hash for transfer in seen}
    rows = _credits_of(network_of(intent.mode), places, hashes)
    return Known(
        credits={event_of(intent.mode, row): row for row in rows},
        owners=owners_of(event_of(intent.mode, transfer) for transfer in seen),
    )


@compiled_once
def _credits_of(network: str, places: Collection[str], hashes: Collection[str]) -> QuerySet[Credit]:
    rows = Credit.objects.filter(network=network, chain__in=places, tx_hash__in=hashes)
    return rows.select_related("leg").order_by("pk")


def rename_old_places(
    intent: PaymentIntent, transfers: Iterable[ObservedTransfer], known: dict[ChainEvent, Credit]
) -> None:
    """Give credits of before, whose place was that of the log in its block, the place in their own transaction.

    Why by what they brought: which block's numbers those were is known no more. Locks: as ``record_transfers``.
    """
    if intent.mode != Mode.LIVE:
        return
    for transfer in sorted(transfers, key=lambda one: (one.tx_hash, one.kind, one.position)):
        event = event_of(intent.mode, transfer)
        if transfer.kind != TransferKind.LOG or event in known:
            continue
        old = next((name for name, credit in known.items() if _is_old_name_of(name, credit, transfer)), None)
        if old is not None:
            known[event] = Credit.objects.select_for_update(of=("self",)).select_related("leg").get(pk=known[old].pk)
            move_event(old, transfer.position)
            _write(known[event], {"position": transfer.position})
            del known[old]


def _is_old_name_of(name: ChainEvent, credit: Credit, transfer: ObservedTransfer) -> bool:
    brought = (credit.chain, credit.tx_hash, credit.kind, credit.base_units, credit.recipient, credit.token_address)
    return name.position.isdecimal() and brought == (
        *(transfer.chain, transfer.tx_hash, transfer.kind),
        *(transfer.base_units, transfer.recipient, transfer.token_address),
    )


def record_transfers(intent: PaymentIntent, leg: Leg, transfers: Iterable[ObservedTransfer], known: Known) -> None:
    """Credit what arrived for a leg, each event on a chain once, ever; what stands without a mark is nobody's.

    What somebody else holds by a weaker title is taken over, and the other one is told. Strays are told when deep.
    Locks: the caller holds the intent's lock; the credits' own come in the order of their names.
    """
    announces = False
    for transfer in sorted(transfers, key=lambda one: (one.tx_hash, one.kind, one.position)):
        event = event_of(intent.mode, transfer)
        credit, is_proof = known.credits.get(event), known.owners.is_proof(event)
        is_counted = credit is not None and credit.intent_id is not None and credit.mark != Mark.STRAY
        if transfer.mark == Mark.STRAY:
            announces |= not is_proof and _book_stray(intent, leg, transfer, event, credit)
        elif transfer.mark and (is_counted or (not is_proof and take_free(event, OwnerKind.CREDIT))):
            _credit(intent, leg, transfer, event, credit)
        elif not transfer.mark and credit is None and not is_proof:
            _insert(event, _facts(intent, leg, transfer) | payer_facts(transfer))
    if announces:
        tell(intent, STRAY_ARRIVED)


def _book_stray(
    intent: PaymentIntent, leg: Leg, transfer: ObservedTransfer, event: ChainEvent, known: Credit | None
) -> bool:
    """Write down a token that is on the list and was not asked for; says whether it is new among what stands for good.

    Why only those on the list: anybody can make a token, and have it say that it moved. Why no logs of a native coin,
    as Polygon's contract for it writes them: the trace shows the same coins. Why it takes no event: it is the weakest
    title, and gives way to any other.
    """
    token = find_token(transfer.chain, transfer.token_address)
    if token is None or (token.is_native and transfer.kind == TransferKind.LOG):
        return False
    facts = _facts(intent, leg, transfer)
    if known is None and _insert(event, facts | payer_facts(transfer)):
        return facts["final_at"] is not None
    credit = Credit.objects.select_for_update(of=("self",)).get(**asdict(event))
    if credit.mark != Mark.STRAY or not is_held_by(credit, leg):
        return False
    counted_before = credit.final_at is not None
    _refresh(credit, transfer, facts)
    return not counted_before and credit.final_at is not None


def _credit(
    intent: PaymentIntent, leg: Leg, transfer: ObservedTransfer, event: ChainEvent, known: Credit | None
) -> None:
    facts = _facts(intent, leg, transfer)
    if known is None and _insert(event, facts | payer_facts(transfer)):
        return
    credit = Credit.objects.select_for_update(of=("self",)).get(**asdict(event))
    if is_held_by(credit, leg):
        priced = {} if credit.price_usd is None else worth_of(intent, leg, transfer, credit.price_usd).facts
        _refresh(credit, transfer, facts | priced)
    elif outranks(leg, transfer, credit):
        note_loss(credit)
        _write(credit, {"reversed_at": None, "vanished_at": None} | facts | NOT_PROVEN | payer_facts(transfer))


def _refresh(credit: Credit, transfer: ObservedTransfer, facts: dict[str, object]) -> None:
    news: dict[str, object] = {"reversed_at": None}
    if credit.final_at is None or credit.intent_id is None:
        # Why all of them: what one node said before it was final may have been wrong.
        # Why no payer is kept where it counts now: only then are two nodes asked, and this look says what both do.
        unproven = NOT_PROVEN if facts["final_at"] else {}
        news |= facts | (payer_facts(transfer) or unproven)
    else:
        news |= {"block_hash": transfer.block_hash, "block_number": transfer.block_number}
        news |= {} if credit.payer else payer_facts(transfer)
    _write(credit, news)


def _write(credit: Credit, news: dict[str, object]) -> None:
    with booking(credit):
        for name, value in news.items():
            setattr(credit, name, value)
        save_columns(credit, news)


def _insert(event: ChainEvent, facts: dict[str, Any]) -> bool:
    credit = Credit(**asdict(event), **facts)
    is_new = insert_once(credit)
    if is_new:
        book_new(credit)
    return is_new


def payer_facts(transfer: ObservedTransfer) -> dict[str, object]:
    """What a credit keeps of who provably sent it; nothing where this look proves nothing, so that a proof stays."""
    payer = transfer.payer
    if payer.proof is None:
        return {}
    return {"payer": payer.wallet, "payer_nonce": payer.nonce, "payer_proof": payer.proof.value, "payer_due_at": None}


def is_finalized(transfer: ObservedTransfer) -> bool:
    """Whether nothing can take this away any more. Of a transfer that is deep enough to count."""
    known = chain(transfer.chain)
    return transfer.is_finalized or known is None or known.settles_at_finalized


def withdraw_missing(leg: Leg, transfers: Iterable[ObservedTransfer], unseen: frozenset[str]) -> None:
    """Mark credits that a reorganisation removed before they were final; of what is ``unseen`` nothing is known.

    Locks: as ``record_transfers``.
    """
    standing = {(transfer.tx_hash, transfer.kind, transfer.position) for transfer in transfers}
    for credit in _unfinal_locked(leg.pk):
        if credit.tx_hash not in unseen and (credit.tx_hash, credit.kind, credit.position) not in standing:
            with booking(credit):
                credit.reversed_at = now()
                credit.save(update_fields=["reversed_at"])


@compiled_once
def _unfinal_locked(leg_id: UUID) -> QuerySet[Credit]:
    rows = Credit.objects.select_for_update(of=("self",)).filter(leg_id=leg_id, final_at=None, reversed_at=None)
    return rows.order_by("pk")


def brought_by(leg: Leg) -> QuerySet[Credit]:
    """What counts, or may come to count, of what a leg brought its intent: without what came beside it."""
    rows: QuerySet[Credit] = leg.credits.filter(intent_id=leg.intent_id, reversed_at=None).exclude(mark=Mark.STRAY)
    return rows


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
    is_nobodys = not transfer.mark
    worth = worth_of(intent, leg, transfer) if ours else Worth(value_usd=ZERO_USD)
    return {
        "purpose": "unattributed" if is_nobodys else "settlement" if ours else "stray",
        "mark": transfer.mark.value,
        "merchant_id": intent.merchant_id,
        "mode": intent.mode,
        "intent": None if is_nobodys else intent,
        "leg": leg,
        "token_address": transfer.token_address,
        "base_units": transfer.base_units,
        **worth.facts,
        "sender": transfer.sender,
        "recipient": transfer.recipient,
        "block_number": transfer.block_number,
        "block_hash": transfer.block_hash,
        "block_time": transfer.block_time,
        "late": not is_nobodys and _is_late(intent, leg.departed_at or transfer.block_time),
        "final_at": now() if is_final else None,
        "finalized_at": now() if is_final and is_finalized(transfer) else None,
    }


def _is_late(intent: PaymentIntent, block_time: datetime) -> bool:
    """Whether a payment happened after the intent's time, or after it had expired by a test clock.

    Why not by when it was noticed, or came over its bridge: a payer who paid in time did what was asked.
    Source: docs/live.md.
    """
    if block_time > intent.expires_at:
        return True
    if intent.status not in INTENT_MACHINE.terminal and intent.settled_less_usd is None:
        return False  # nothing that expired is open again, unless it was settled
    expired_at = intent.history.filter(trigger="expire").values_list("created_at", flat=True).first()
    return expired_at is not None and block_time > expired_at
