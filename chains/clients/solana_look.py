"""What became of a leg on Solana, read from one node: by the hash that was told, and by the leg's own reference."""

from collections.abc import Iterable
from functools import partial

from chains.clients.base import BridgeReport, IssuedLeg, LegView, SeenStatus, SeenTransaction
from chains.clients.gaps import Gaps
from chains.clients.outcomes import Behind, CannotSay
from chains.clients.solana_endpoint import CONFIRMED, FINALIZED, SolanaNode, whole
from chains.clients.solana_reading import Reading, read_landed
from chains.clients.solana_shown import is_older, nowhere
from chains.instructions.transactions import reference_of
from chains.registry import is_signature

MOST_MENTIONS = 1000
"""In one answer of a node. Why no more are asked for: a reference is known to nobody before its payment landed."""
MOST_CANDIDATES = 25
"""Transactions opened in one look. Why bounded: later on anybody can mention a reference."""
LANDED = (CONFIRMED, FINALIZED)
"""Commitments at which a transaction stands in a block that counts."""


def look_at(node: SolanaNode, leg: IssuedLeg) -> LegView:
    """What the chain shows of a leg now, transaction by transaction."""
    dead_since, gaps = dead_slot(node, leg), Gaps(leg=leg)
    # Why both once it is dead: that it is nowhere lets a payer pay again, and a reader believes one node at first.
    searched = [] if leg.read_to is not None and dead_since is None else mentioning(node, leg)
    mentions = list(dict.fromkeys([*leg.marked, *searched]))
    named = dict.fromkeys([leg.tx_hash, *leg.known_hashes, *mentions[:MOST_CANDIDATES]])
    statuses = commitments(node, named, least_slot(node, leg, dead_since))
    landed = [name for name, status in statuses.items() if status in LANDED]
    readings = {name: gaps.tried(name, partial(_read, node, leg, name)) for name in landed}
    transfers = tuple(transfer for one in readings.values() if one is not None for transfer in one.transfers)
    seen = _chosen(leg, readings)
    unread = {name for name, status in statuses.items() if status and readings.get(name) is None}
    if seen is None and dead_since is not None and unread <= leg.given_up and len(mentions) <= MOST_CANDIDATES:
        seen = nowhere(leg, SeenStatus.REPLACED)
    report = BridgeReport.DONE if transfers else BridgeReport.WAITING
    return LegView(
        seen=seen,
        transfers=transfers,
        refund=None,
        report=report,
        others=tuple(stray for one in readings.values() if one is not None for stray in one.strays),
        unsaid=gaps.unsaid,
        unseen=gaps.parts,
    )


def least_slot(node: SolanaNode, leg: IssuedLeg, dead_since: int | None) -> int:
    """The slot that an answer about the leg must not be older than; its first one only where that was ever there."""
    first = leg.start_block or 0
    return max(leg.least_head, dead_since or 0, first if node.may_have_been(first) else 0)


def dead_slot(node: SolanaNode, leg: IssuedLeg) -> int | None:
    """A final slot by which the issued transaction can land no more; None while it can.

    Why asked first: what is nowhere after that is nowhere for ever. Source: docs/live.md, Solana.
    """
    if leg.last_valid_height is None:
        return None
    slot = node.rpc.number("getSlot", {"commitment": FINALIZED})
    height = node.rpc.number("getBlockHeight", {"commitment": FINALIZED, "minContextSlot": slot})
    return slot if height > leg.last_valid_height else None


def mentioning(node: SolanaNode, leg: IssuedLeg) -> list[str]:
    """Transactions with the leg's reference, those that succeeded first, the oldest of them before all others.

    Why the oldest: who learned the reference from the chain came later than the payment.
    """
    options = {"commitment": CONFIRMED, "limit": MOST_MENTIONS, "minContextSlot": leg.least_head}
    found = node.rpc.call("getSignaturesForAddress", leg.reference or reference_of(leg.tag), options)
    recent = [one for one in found if not is_older(node, leg, whole(one["slot"]))]
    recent.sort(key=lambda one: (one["err"] is not None, one["slot"]))
    return [str(one["signature"]) for one in recent]


def commitments(node: SolanaNode, wanted: Iterable[str], least_slot: int) -> dict[str, str]:
    """How far each transaction came, empty for one that the node does not know. Raises: Behind if it lags.

    Why none of another form: a node refuses the whole question for it.
    """
    names = [name for name in wanted if is_signature(name)]
    answer = node.rpc.call("getSignatureStatuses", names, {"searchTransactionHistory": True})
    if whole(answer["context"]["slot"]) < least_slot:
        raise Behind("behind the head of the chain")
    found = dict(zip(names, answer["value"], strict=True))
    # Why final where nothing is said: what only the history knows is older than a node's recent slots.
    return {
        name: "" if status is None else str(status.get("confirmationStatus") or FINALIZED)
        for name, status in found.items()
    }


def _read(node: SolanaNode, leg: IssuedLeg, name: str) -> Reading | None:
    """Raises: CannotSay where the node no longer shows what was credited, although it stands."""
    reading = read_landed(node, leg, name)
    if reading is None and name in leg.known_hashes:
        raise CannotSay("a transaction that cannot be read")
    return reading


def _chosen(leg: IssuedLeg, readings: dict[str, Reading | None]) -> SeenTransaction | None:
    """The transaction to follow: one that paid, else the one that was told, else the payer's own that failed.

    Why in this order: a payer may have sent again what failed, or what was told may be another one's.
    """
    found = [reading for reading in readings.values() if reading is not None]
    paid = [reading.seen for reading in found if reading.transfers]
    if paid:
        return paid[0]
    named = readings.get(leg.tx_hash)
    own = [reading.seen for reading in found if reading.seen.tag]
    return named.seen if named is not None else next(iter(own), None)
