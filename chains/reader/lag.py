"""How far behind their chains the readers are, for readiness and for operators. Facts of the rows, no network."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.conf import settings

from chains.models import ChainReader
from chains.registry import chain
from core.clock import now

MAY_BE_SILENT = timedelta(seconds=60)
"""A round comes every few seconds: after this long nobody reads, or no node answers."""
MAY_BE_BEHIND_SECONDS = 120
"""As blocks of the chain. Why so many: a payer waits that much longer, and a burst of blocks is no alarm."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Whether a chain is read, how old the newest reading is (None where there is none), and what it means."""

    works: bool
    age_seconds: int | None
    detail: str


def blocks_behind(reader: ChainReader) -> int | None:
    """How many blocks its chain had, when it was last read, that it had not read; None before it read any."""
    if reader.head is None or reader.read_to is None:
        return None
    return max(reader.head - reader.read_to, 0)


def lag_of_chains() -> dict[str, Finding]:
    """What is found of the readers of each chain that the settings name nodes for, where it has any."""
    named = [place for place, urls in settings.RPC_URLS.items() if urls]
    if not named:
        return {}
    rows = ChainReader.objects.filter(network=settings.NETWORK_PROFILE, chain__in=named)
    by_chain: dict[str, list[ChainReader]] = {}
    for reader in rows.order_by("chain", "lane", "pk"):
        by_chain.setdefault(reader.chain, []).append(reader)
    return {place: _found(place, lanes) for place, lanes in by_chain.items()}


def _found(place: str, lanes: list[ChainReader]) -> Finding:
    """Of all lanes of a chain, by the one that is worst off: together they find what is paid there."""
    read_at = [lane.read_at for lane in lanes if lane.read_at is not None]
    behind = [blocks for lane in lanes if (blocks := blocks_behind(lane)) is not None]
    if len(read_at) < len(lanes) or len(behind) < len(lanes):
        return Finding(works=False, age_seconds=None, detail=_with_reasons("Nothing was read yet.", lanes))
    age = max(now() - min(read_at), timedelta(0))
    words = f"{max(behind)} {'block' if max(behind) == 1 else 'blocks'} behind the newest one."
    known = chain(place)
    block_seconds = Decimal(1) if known is None else known.block_seconds
    return Finding(
        works=age <= MAY_BE_SILENT and max(behind) * block_seconds <= MAY_BE_BEHIND_SECONDS,
        age_seconds=int(age.total_seconds()),
        detail=_with_reasons(words, lanes),
    )


def _with_reasons(words: str, lanes: Iterable[ChainReader]) -> str:
    """The same, with why nothing could be read since."""
    reasons = sorted({lane.refused for lane in lanes if lane.refused})
    return f"{words} Refused: {', '.join(reasons)}." if reasons else words
