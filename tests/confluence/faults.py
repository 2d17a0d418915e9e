"""Faults that are planted into the reader and what follows it, so that it is known what histories find."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from chains.clients.evm_endpoint import Node
from chains.clients.evm_trace import Frame, frames_of
from chains.models import ChainReader
from chains.reader import evm
from chains.reader.base import Bite, Progress
from payments.models import MarkedTransaction
from payments.services import reading, standing
from payments.services.standing import Standing
from payments.states import FLYING_LEG, UNSENT_LEG, LegStatus

_read, _awaited, _record_final = evm._read, standing.awaited, reading._record_final


def _one_block_late(*given: Any, **named: Any) -> Any:
    """Begin to read one block after the one that is next."""
    node, progress, watch, first = given
    return _read(node, progress, watch, first + 1, **named)


def _never_back(blocks: Any, progress: Progress) -> int:
    """Take every chain to be the one that was read."""
    return min(progress.read_to, int(blocks.node.head))


def _known_alone(reader: ChainReader, bite: Bite) -> None:
    """Find nothing new in a block that is read for the second time."""
    known = set(MarkedTransaction.objects.filter(chain=reader.chain).values_list("tx_hash", flat=True))
    _record_final(reader, replace(bite, opened=tuple(one for one in bite.opened if one.tx_hash in known)))


def _open_ones_alone(legs: Iterable[Standing]) -> list[Standing]:
    """Forget the mark of what was confirmed, or has failed."""
    is_open = {*FLYING_LEG, *UNSENT_LEG} - {LegStatus.FAILED}
    return [one for one in _awaited(legs) if one.leg.status in is_open]


def _no_coins(_place: str) -> frozenset[str]:
    """Take nobody to await a coin, so that whole blocks count as read."""
    return frozenset()


def _all_of_it(node: Node, tx_hash: str) -> list[Frame] | None:
    """Take every call of a batch to have written all logs of its transaction."""
    frames = frames_of(node, tx_hash)
    return frames and [replace(one, logs=frames[0].logs) for one in frames]


def _as_soon_as_it_stands(*_given: Any) -> bool:
    """Take a claim for what stands in any block."""
    return True


Plant = Callable[[], Any]
PLANTS: dict[str, tuple[Plant, ...]] = {
    "skipped_block": (partial(patch, "chains.reader.evm._read", _one_block_late),),
    "forgotten_branch": (partial(patch, "chains.reader.evm._common", _never_back),),
    "closed_mark": tuple(
        partial(patch, f"payments.services.{module}.awaited", _open_ones_alone)
        for module in ("standing", "schedule", "expire")
    ),
    "whole_batch": (partial(patch, "chains.clients.evm_reading.frames_of", _all_of_it),),
    "early_claim": (partial(patch, "chains.clients.evm_reading.may_count", _as_soon_as_it_stands),),
    "unread_coins": (partial(patch, "payments.services.reading.coins_awaited", _no_coins),),
}
"""By name: what is replaced."""
BESIDE: dict[str, tuple[Plant, ...]] = {
    "forgotten_branch": (partial(patch, "payments.services.reading._record_final", _known_alone),)
}
"""What else is replaced. Why: the second reading of every node repairs a branch that the first one forgot."""


@contextmanager
def planted(*replacements: Plant) -> Iterator[None]:
    """The service with faults in it."""
    with ExitStack() as stack:
        for replacement in replacements:
            stack.enter_context(replacement())
        yield
