"""What must hold: at the end the books are the chain's, and before it nothing counted that no node showed."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from payments.models import Credit
from tests.confluence.stage import Stage


def wrong_now(stage: Stage) -> list[str]:
    """What counts and was never shown in a block, and what a worker stumbled over."""
    shown = set().union(*(node.shown for node in stage.nodes.values()))
    counting = Credit.objects.filter(final_at__isnull=False).values_list("tx_hash", "block_hash", "base_units")
    invented = [
        f"{units} of {tx_hash} count, and no node showed them in that block"
        for tx_hash, block_hash, units in counting
        if (tx_hash, block_hash) not in shown
    ]
    return [*invented, *stage.broken]


def wrong_at_the_end(stage: Stage) -> list[str]:
    """How the credits that stand differ from what stands under each intent's marks, each transfer once."""
    return [*_differences(stage)]


def _differences(stage: Stage) -> Iterator[str]:
    standing = Credit.objects.filter(reversed_at=None, purpose="settlement")
    booked = Counter[tuple[Any, ...]](standing.values_list("intent_id", "tx_hash", "base_units"))
    there = Counter[tuple[Any, ...]](
        (stage.legs[moved.leg].intent_id, one.tx_hash, moved.units)
        for one, moved in stage.chain.moved()
        if moved.leg is not None and moved.units
    )
    for intent_id, tx_hash, units in (there - booked).elements():
        yield f"{units} of {tx_hash} came for {intent_id} and are not counted"
    for intent_id, tx_hash, units in (booked - there).elements():
        yield f"{units} of {tx_hash} are counted for {intent_id} and are not there"
    waiting = standing.filter(finalized_at=None)
    for tx_hash, units in waiting.values_list("tx_hash", "base_units"):
        yield f"{units} of {tx_hash} are final on the chain, and not in the books"
