"""Asking a second node before one node's word moves money. What follows from two words is in ``agreement``."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from chains.clients.agreement import Testimony, agreed, decides
from chains.clients.base import Arrival, BridgeReport, Departure, IssuedLeg, LegView
from chains.clients.endpoints import ChainNode, Endpoint
from chains.clients.outcomes import CannotSay
from chains.clients.pool import Pool

N = TypeVar("N", bound=ChainNode)
V = TypeVar("V", LegView, Departure, Arrival)
Look = Callable[[N, IssuedLeg], LegView]


def look_with_second(pool: Pool[N], leg: IssuedLeg, look: Look[N]) -> LegView:
    """What became of a leg on one chain, as far as a second node says the same. Raises: ChainUnavailable.

    Why the next node is asked where one shows nothing of a leg of which the books, or a wallet's claim, know something:
    one node's silence must end neither what came and does not count yet, nor a claim, which no reader would find.
    """
    is_known = bool(leg.known_hashes) or (leg.claim is not None and bool(leg.tx_hash))
    view, endpoint = pool.ask_one(
        lambda node: look(node, leg),
        leg.least_head,
        lambda view: says_all(view) and (not is_known or view.seen is not None or bool(view.transfers)),
        is_enough=says_all,
    )
    testimony = Testimony(head=0, transfers=view.transfers, others=view.others, seen=view.seen)
    asked = without(leg, view.unseen)
    repeated = asked_again(asked, testimony)

    def again(node: N) -> Testimony:
        other = whole(look(node, repeated))
        return Testimony(head=node.head, transfers=other.transfers, others=other.others, seen=other.seen)

    sure = second_opinion(pool, endpoint, asked, testimony, again)
    report = BridgeReport.DONE if sure.transfers else BridgeReport.WAITING
    agreed_on = {transfer.tx_hash for transfer in sure.transfers}
    others = tuple(one for one in sure.others if one.tx_hash in agreed_on)
    return replace(view, transfers=sure.transfers, seen=sure.seen, report=report, others=others)


def departure_with_second(pool: Pool[N], leg: IssuedLeg, look: Callable[[N, IssuedLeg], Departure]) -> Departure:
    """The payer's side of a leg between chains, as far as a second node says the same. Raises: ChainUnavailable.

    Why without what was credited: that is on the other chain.
    """
    here = replace(leg, known_hashes=(), known_blocks=(), least_head=0)
    found, endpoint = pool.ask_one(lambda node: look(node, here), 0, says_all)
    testimony = Testimony(head=0, transfers=(), seen=found.seen, order_id=found.order_id, payer=found.payer)

    def again(node: N) -> Testimony:
        other = whole(look(node, here))
        return Testimony(head=node.head, transfers=(), seen=other.seen, order_id=other.order_id, payer=other.payer)

    sure = second_opinion(pool, endpoint, here, testimony, again)
    return replace(found, seen=sure.seen, order_id=sure.order_id, payer=sure.payer)


def says_all(view: LegView | Departure | Arrival) -> bool:
    """Whether the node could speak of every part that it was asked about."""
    return not view.unsaid


def without(leg: IssuedLeg, unseen: frozenset[str]) -> IssuedLeg:
    """The leg without what nobody could speak of. Why: its silence about that is no word that it is gone."""
    known = tuple(block for block in leg.known_blocks if block.tx_hash not in unseen)
    hashes = tuple(tx_hash for tx_hash in leg.known_hashes if tx_hash not in unseen)
    return replace(leg, known_blocks=known, known_hashes=hashes)


def whole(view: V) -> V:
    """The view, where it says all. Raises: CannotSay. Why: half of a second word contradicts what it cannot see."""
    if not says_all(view):
        raise CannotSay(next(iter(view.unsaid.values())))
    return view


def second_opinion(
    pool: Pool[N], first: Endpoint[N], leg: IssuedLeg, testimony: Testimony, again: Callable[[N], Testimony]
) -> Testimony:
    """What one node said, as far as a second one says the same, where there is one and it matters."""
    if not pool.has_second or not decides(pool.chain, leg, testimony):
        return testimony
    return agreed(pool.chain, leg, testimony, pool.ask_second(again, first))


def asked_again(leg: IssuedLeg, testimony: Testimony) -> IssuedLeg:
    """The leg as a second node is asked about it: for the very transactions that the first one showed.

    Why without known blocks: what it hides is judged by comparison.
    """
    shown = [transfer.tx_hash for transfer in testimony.transfers]
    hashes = tuple(dict.fromkeys([*leg.known_hashes, *shown]))
    tx_hash = testimony.seen.tx_hash if testimony.seen is not None and testimony.seen.tx_hash else leg.tx_hash
    return replace(leg, known_hashes=hashes, tx_hash=tx_hash, known_blocks=())
