"""What must hold: at the end the books are the chain's, and before it nothing counted that no node showed, or no title.

A mark says whose a transfer is. Where there is none a wallet may claim it: its own bare transfer of what its leg asks.
"""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from django.db.models import Q

from payments.models import Credit, Leg
from payments.states import REVERTED, LegStatus
from tests.confluence.stage import Stage

Booked = tuple[UUID, str, int]
"""An intent, a transaction, and how much of it."""
CLAIM_SECONDS = 600
"""For so long a claim waits for its transaction."""


def wrong_now(stage: Stage) -> list[str]:
    """What counts and was never shown in a block, or by no title; and what a worker stumbled over."""
    return [*_invented(stage), *stage.broken]


def wrong_at_the_end(stage: Stage) -> list[str]:
    """How the credits that stand differ from what stands under each intent's marks and claims, each transfer once."""
    return [*_differences(stage), *_unheard(stage)]


def _invented(stage: Stage) -> Iterator[str]:
    shown = set().union(*(node.shown for node in stage.nodes.values()))
    marked = {
        (stage.legs[moved.leg].intent_id, one.tx_hash, moved.units)
        for leg in stage.legs
        for one in leg.sent
        for moved in one.moved
        if moved.leg is not None
    }
    counting = Credit.objects.filter(final_at__isnull=False)
    for intent_id, tx_hash, units, block_hash, number in counting.values_list(
        "intent_id", "tx_hash", "base_units", "block_hash", "block_number"
    ):
        if (tx_hash, block_hash) not in shown:
            yield f"{units} of {tx_hash} count, and no node showed them in that block"
        if (intent_id, tx_hash, units) in marked:
            continue
        if (intent_id, tx_hash, units) not in _claimed(stage):
            yield f"{units} of {tx_hash} count for {intent_id}, and are not its own"
        elif number > stage.chain.final:
            yield f"{units} of {tx_hash} count by a claim before they are final"


def _claimed(stage: Stage) -> set[Booked]:
    """What may count by a wallet's word."""
    return {(one.leg.intent_id, one.sent.tx_hash, one.leg.units) for one in stage.claimed if one.is_bare}


def _differences(stage: Stage) -> Iterator[str]:
    standing = Credit.objects.filter(reversed_at=None, purpose="settlement")
    booked = Counter[Booked](standing.values_list("intent_id", "tx_hash", "base_units"))
    there = Counter[Booked](
        (stage.legs[moved.leg].intent_id, one.tx_hash, moved.units)
        for one, moved in stage.chain.moved()
        if moved.leg is not None and moved.units
    )
    for intent_id, tx_hash, units in (there - booked).elements():
        yield f"{units} of {tx_hash} came for {intent_id} and are not counted"
    free, claimed = {one.tx_hash for one, _ in stage.chain.moved()}, _claimed(stage)
    for intent_id, tx_hash, units in (booked - there).elements():
        if tx_hash not in free or (intent_id, tx_hash, units) not in claimed:
            yield f"{units} of {tx_hash} are counted for {intent_id} and are not there"
        free.discard(tx_hash)
    waiting = standing.filter(finalized_at=None)
    for tx_hash, units in waiting.values_list("tx_hash", "base_units"):
        yield f"{units} of {tx_hash} are final on the chain, and not in the books"


def _unheard(stage: Stage) -> Iterator[str]:
    """What was claimed, stands, and counts for nobody.

    Let go is what was claimed for a leg that is over: another transaction confirmed it, or its own failed. And what may
    have been in no block for so long that its claim ended, or once stood before the leg. Source: docs/adr/0066.
    """
    booked = set(Credit.objects.filter(reversed_at=None, purpose="settlement").values_list("tx_hash", flat=True))
    over = set(Leg.objects.filter(Q(status=LegStatus.CONFIRMED) | Q(error=REVERTED)).values_list("pk", flat=True))
    since = {one.tx_hash: block.timestamp for block in stage.chain.blocks for one in block.transactions if one.succeeds}
    for claimed in stage.claimed:
        tx_hash = claimed.sent.tx_hash
        if not claimed.is_bare or tx_hash in booked or claimed.leg.leg_id in over:
            continue
        if tx_hash in since.keys() - stage.chain.doubted and since[tx_hash] - claimed.at <= CLAIM_SECONDS:
            yield f"{tx_hash} was claimed for {claimed.leg.leg_id} and is not counted"
