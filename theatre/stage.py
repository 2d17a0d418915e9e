"""The chains of a replay: they show of each leg what the scenario says of this moment, and nothing else."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from chains.base58 import base58
from chains.clients.base import (
    BridgeReport,
    IssuedLeg,
    LegView,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.registry import Family, chain, confirmations_required
from core.clock import now
from core.money import BaseUnits
from theatre.scenario import Arrival, Leg


class StageChains:
    """``chains.clients.base.ChainClient`` over a scenario. ``began``: the moment that its milliseconds count from.

    ``leg_of``: the scenario's leg by the tag of the one that plays it.
    """

    def __init__(self, began: datetime, leg_of: Callable[[str], Leg]) -> None:
        self._began, self._leg_of = began, leg_of

    def head(self, chain: str) -> int:
        """Zero: a leg is found by its tag alone."""
        return 0

    def look(self, leg: IssuedLeg) -> LegView:
        """What the scenario shows of a leg by now."""
        story, at = self._leg_of(leg.tag), (now() - self._began) // timedelta(milliseconds=1)
        came = [(number, one) for number, one in enumerate(story.arrivals) if one.stands(at)]
        transfers = tuple(self._transfer(leg, number, one, at) for number, one in came)
        returned = story.returned_ms is not None and story.returned_ms <= at
        return LegView(
            seen=self._seen(leg, story, at),
            transfers=transfers,
            refund=self._refund(leg, story) if returned else None,
            report=_report(story, at, has_come=bool(transfers)),
        )

    def _seen(self, leg: IssuedLeg, story: Leg, at: int) -> SeenTransaction | None:
        """The payer's own transaction, as far as it is known."""
        if story.sent_ms is None or story.sent_ms > at:
            return None
        status = _status(story, at)
        is_in_block = status in (SeenStatus.INCLUDED, SeenStatus.REVERTED)
        block = story.block_ms if story.block_ms is not None else story.included_ms or story.sent_ms
        return SeenTransaction(
            status=status,
            confirmations=confirmations_required(leg.chain) if is_in_block else 0,
            block_number=1 if is_in_block else None,
            block_hash=_hash_of(leg.chain, "block") if is_in_block else "",
            block_time=self._began + timedelta(milliseconds=block) if is_in_block else None,
            sender=leg.sender,
            tag=leg.tag,
            tx_hash=_hash_of(leg.chain, f"{leg.tag} sent"),
        )

    def _transfer(self, leg: IssuedLeg, number: int, came: Arrival, at: int) -> ObservedTransfer:
        """Why another block after it was gone: that is how a reorganisation brings back what it took."""
        counts = came.counts_ms if came.back_ms is None or at < came.back_ms else came.back_ms
        is_back = came.back_ms is not None and came.back_ms <= at
        name = "sent" if number == 0 and leg.chain == leg.to_chain else f"came {number}"
        return ObservedTransfer(
            chain=leg.to_chain,
            tx_hash=_hash_of(leg.to_chain, f"{leg.tag} {name}"),
            kind=TransferKind.ACCOUNT if _is_solana(leg.to_chain) else TransferKind.LOG,
            position="0",
            token_address=leg.token_address,
            base_units=BaseUnits(came.base_units),
            sender=leg.sender,
            recipient=leg.recipient,
            block_number=2 if is_back else 1,
            block_hash=_hash_of(leg.to_chain, f"block {is_back}"),
            block_time=self._began + timedelta(milliseconds=came.block_ms),
            confirmations=confirmations_required(leg.to_chain) if counts is not None and counts <= at else 0,
            is_finalized=came.final_ms is not None and came.final_ms <= at,
            payer=Payer(wallet=leg.sender, proof=PayerProof.SENDER),
        )

    def _refund(self, leg: IssuedLeg, story: Leg) -> ObservedTransfer:
        return ObservedTransfer(
            chain=leg.chain,
            tx_hash=_hash_of(leg.chain, f"{leg.tag} returned"),
            kind=TransferKind.ACCOUNT if _is_solana(leg.chain) else TransferKind.LOG,
            position="0",
            token_address=story.token_address,
            base_units=BaseUnits(story.input_base_units),
            sender="",
            recipient=leg.sender,
            block_number=1,
            block_hash=_hash_of(leg.chain, "block"),
            block_time=now(),
            confirmations=confirmations_required(leg.chain),
        )


def _status(story: Leg, at: int) -> SeenStatus:
    has_failed = story.failed_ms is not None and story.failed_ms <= at
    if has_failed and story.failed_as == "reverted":
        return SeenStatus.REVERTED
    if has_failed and story.failed_as == "replaced":
        return SeenStatus.REPLACED
    is_included = story.included_ms is not None and story.included_ms <= at
    return SeenStatus.INCLUDED if is_included else SeenStatus.PENDING


def _report(story: Leg, at: int, *, has_come: bool) -> BridgeReport:
    """What the bridge's operator says, the last word first."""
    if story.returned_ms is not None and story.returned_ms <= at:
        return BridgeReport.REFUNDED
    if has_come:
        return BridgeReport.DONE
    if story.failed_as == "unfilled" and story.failed_ms is not None and story.failed_ms <= at:
        return BridgeReport.VOID
    is_doubtful = story.in_doubt_ms is not None and story.in_doubt_ms <= at
    return BridgeReport.UNKNOWN if is_doubtful else BridgeReport.WAITING


def _is_solana(name: str) -> bool:
    known = chain(name)
    return known is not None and known.family is Family.SOLANA


def _hash_of(name: str, seed: str) -> str:
    """A transaction or block that is nobody's, in the chain's own form."""
    digest = hashlib.sha512(f"stage {seed}".encode()).digest()
    return base58(digest) if _is_solana(name) else f"0x{digest[:32].hex()}"
