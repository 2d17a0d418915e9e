"""Whether a second node says the same before one node's word moves money. Pure but for its log lines.

Disagreement means: wait. Nothing is credited, undone or ended by the word of one of two nodes that contradict each
other.
Source: docs/adr/0013.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chains.clients.base import (
    NOBODY,
    IssuedLeg,
    Mark,
    ObservedTransfer,
    Payer,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.errors import ChainUnavailable
from chains.finality import needs_second_node
from chains.registry import Chain
from core.metrics import NODE_DISAGREEMENTS

_ENDINGS = (SeenStatus.REVERTED, SeenStatus.REPLACED)
_LOGGER = logging.getLogger("causeway.chains")


@dataclass(frozen=True, kw_only=True, slots=True)
class Testimony:
    """What one node says of a leg on one chain, and how far it is.

    ``order_id`` is what the payer's call opened, and ``payer`` who sent that call. ``others`` is what came beside.
    """

    head: int
    transfers: tuple[ObservedTransfer, ...]
    others: tuple[ObservedTransfer, ...] = ()
    seen: SeenTransaction | None = None
    order_id: str = ""
    payer: Payer = NOBODY


def decides(known: Chain, leg: IssuedLeg, testimony: Testimony) -> bool:
    """Whether this would move money: count it, undo what counted, or end the leg."""
    is_over = testimony.seen is not None and testimony.seen.status in _ENDINGS
    is_final = any(transfer.confirmations >= known.confirmations_required for transfer in testimony.transfers)
    is_new_order = testimony.order_id not in {"", leg.order_id}
    return is_final or is_over or is_new_order or bool(_gone(leg, testimony))


def agreed(known: Chain, leg: IssuedLeg, testimony: Testimony, second: Testimony | None) -> Testimony:
    """What of the first node's words may be acted on, beside those of a second one, or its silence.

    Raises: ChainUnavailable where they contradict each other about what was credited.
    """
    gone = _gone(leg, testimony)
    if second is None:
        others = tuple(kept for one in testimony.others if (kept := _kept_alone(one)) is not None)
        testimony = replace(testimony, others=others)
        return _unconfirmed(known, leg, testimony) if needs_second_node(leg.at_stake_usd) else testimony
    if still_shown := gone & {transfer.tx_hash for transfer in second.transfers}:
        _disagree(known, sorted(still_shown), "one shows a credited payment, the other does not")
        raise ChainUnavailable(known.name)
    transfers = tuple(
        kept for transfer in testimony.transfers if (kept := _kept(known, leg, transfer, second)) is not None
    )
    seen = _kept_seen(known, testimony.seen, second)
    payer = testimony.payer if testimony.payer == second.payer else NOBODY
    others = tuple(kept for one in testimony.others if (kept := _kept_beside(one, second)) is not None)
    order_id = testimony.order_id if testimony.order_id == second.order_id else ""
    if testimony.order_id and second.order_id not in {"", testimony.order_id}:
        # Why it must be said by both: whose fill is looked for follows from it.
        _disagree(known, [testimony.order_id, second.order_id], "which order was opened")
    return replace(testimony, transfers=transfers, others=others, seen=seen, order_id=order_id, payer=payer)


def same_word(known: Chain, wallet: str, first: object, second: object) -> bool:
    """Whether a second node says the same of a wallet's contract. Its silence agrees with nothing.

    Why: nothing but this answer stands between a stranger and what the wallet may do.
    """
    if second is not None and second is not first:
        NODE_DISAGREEMENTS.add(known.name)
        _LOGGER.error("nodes_disagree %s %s: whether the wallet takes a signature", known.name, wallet)
    return second is first


def _gone(leg: IssuedLeg, testimony: Testimony) -> set[str]:
    """What counted and is not shown any more."""
    return {block.tx_hash for block in leg.known_blocks} - {transfer.tx_hash for transfer in testimony.transfers}


def _unconfirmed(known: Chain, leg: IssuedLeg, testimony: Testimony) -> Testimony:
    """The same, not final yet: too much is at stake for one word."""
    _LOGGER.warning("second_node_silent %s: leg %s waits for another node's word", known.name, leg.tag)
    if leg.known_blocks:
        raise ChainUnavailable(known.name)
    transfers = tuple(_held_back(known, transfer) for transfer in testimony.transfers)
    return replace(testimony, transfers=transfers, seen=_seen_held_back(known, testimony.seen), order_id="")


def _kept(known: Chain, leg: IssuedLeg, transfer: ObservedTransfer, second: Testimony) -> ObservedTransfer | None:
    """The transfer, as sure as both nodes say; None where the second one contradicts it.

    A second node that is not so far yet holds back large amounts only, as a silent one does.
    """
    if transfer.confirmations < known.confirmations_required:
        return transfer
    is_large = needs_second_node(leg.at_stake_usd)
    same = next((one for one in second.transfers if _facts(one) == _facts(transfer)), None)
    if same is not None:
        payer = transfer.payer if transfer.payer == same.payer else NOBODY
        sure = replace(transfer, is_finalized=transfer.is_finalized and same.is_finalized, payer=payer)
        return replace(sure, confirmations=min(transfer.confirmations, same.confirmations)) if is_large else sure
    if second.head < transfer.block_number:
        return _held_back(known, transfer) if is_large else transfer
    _disagree(known, [transfer.tx_hash], f"block {transfer.block_number} or what it brought")
    if transfer.tx_hash in {block.tx_hash for block in leg.known_blocks}:
        raise ChainUnavailable(known.name)
    return None


def _kept_beside(transfer: ObservedTransfer, second: Testimony) -> ObservedTransfer | None:
    """What came beside, as both nodes say; nobody's where only one spoke of it yet.

    Why however little is at stake: it counts for nothing, and can be given back to whoever is said to have sent it.
    """
    same = next((one for one in second.others if _facts(one) == _facts(transfer)), None)
    if same is None:
        return _kept_alone(transfer) if second.head < transfer.block_number else None
    sender = same.payer if same.payer == transfer.payer else NOBODY
    return replace(transfer, is_finalized=same.is_finalized and transfer.is_finalized, payer=sender)


def _kept_alone(transfer: ObservedTransfer) -> ObservedTransfer | None:
    """What came beside, as only one of two nodes could say yet: nobody's.

    Why no coin: it is looked for once, and no later look would correct what one of them said.
    """
    is_coin = (transfer.mark, transfer.kind) == (Mark.STRAY, TransferKind.TRACE)
    return None if is_coin else replace(transfer, payer=NOBODY)


def _kept_seen(known: Chain, seen: SeenTransaction | None, second: Testimony) -> SeenTransaction | None:
    """A revert or a replacement ends a leg, so it must be told by both."""
    if seen is None or seen.status not in _ENDINGS:
        return seen
    other = second.seen
    if other is not None and (other.status, other.block_hash) == (seen.status, seen.block_hash):
        return replace(seen, confirmations=min(seen.confirmations, other.confirmations))
    if other is not None and second.head >= (seen.block_number or 0):
        _disagree(known, [seen.tx_hash], f"whether it was {seen.status}")
    return _seen_held_back(known, seen)


def _facts(transfer: ObservedTransfer) -> tuple[object, ...]:
    place = (transfer.chain, transfer.tx_hash, transfer.kind, transfer.position, transfer.block_number)
    return (
        *place,
        transfer.block_hash,
        transfer.token_address,
        transfer.base_units,
        transfer.recipient,
        transfer.holder,
    )


def _held_back(known: Chain, transfer: ObservedTransfer) -> ObservedTransfer:
    shown = min(transfer.confirmations, known.confirmations_required - 1)
    return replace(transfer, confirmations=shown, is_finalized=False)


def _seen_held_back(known: Chain, seen: SeenTransaction | None) -> SeenTransaction | None:
    if seen is None or seen.status not in _ENDINGS:
        return seen
    if seen.status == SeenStatus.REPLACED:
        return None
    return replace(seen, confirmations=min(seen.confirmations, known.confirmations_required - 1))


def _disagree(known: Chain, hashes: Sequence[str], matter: str) -> None:
    NODE_DISAGREEMENTS.add(known.name)
    _LOGGER.error("nodes_disagree %s %s: %s", known.name, ", ".join(hashes), matter)
