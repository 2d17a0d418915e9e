"""Judges what the soak saw: pure, so that each kind of growth can be planted. Knows no service and no clock."""

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence

from scripts.soak.sample import DATABASE, Sample

FEWEST = 4
"""Two for each half: a line needs no less."""
STEADY_MINUTES = 20.0
"""What came before is warming up: pages that are read for the first time, plans, pools that fill."""
MOST_OWN_MB = 1.0
"""A process may grow by so much in ten minutes."""
TEN_MINUTES = 10.0
MOST_WAITING = 400
"""Messages: ``config/broker.py`` lets no more wait in a queue."""
LONGEST_WAIT_SECONDS = 60.0
"""For how long a row may be due: as readiness says."""
FEW_ROWS, FEW_BYTES, FEW_KEYS, FEW_HANDLES = 100, 1024**2, 50, 6
"""What comes and goes, of each. Why a megabyte: tables grow by pieces, and empty ones are filled again."""
SHARE, HANDLES_SHARE = 1.25, 1.05
LATER_SHARE = 1.5
"""How many more rows a payment may leave in the second half than in the first."""


def judge(samples: Sequence[Sample], bounded: Collection[str]) -> list[str]:
    """What grows though it must not, a sentence each. ``bounded``: tables that do not grow with payments.

    ``samples`` of the real load, in their order. Raises: ValueError where too few say nothing.
    """
    steady = [sample for sample in samples if sample.at >= samples[-1].at - STEADY_MINUTES]
    if len(steady) < FEWEST:
        raise ValueError(f"{len(steady)} samples say nothing")
    return [
        *_memory(steady),
        *_handles(steady),
        *_redis(steady),
        *_queues(steady),
        *_tables(steady, bounded),
    ]


def left(rows: Mapping[str, int], purged: Collection[str]) -> list[str]:
    """Tables that still hold what is past its retention, after the purges of a later day."""
    return [f"{name} keeps {rows[name]:,} rows past their retention" for name in sorted(purged) if rows.get(name)]


def trend(moments: Sequence[float], figures: Sequence[float]) -> float:
    """How much a figure grows in a minute: the median of the slopes between any two.

    Why no least squares: one step up, or one sample in the middle of something, would tilt the line.
    """
    points = list(zip(moments, figures, strict=True))
    slopes = [(b - a) / (t - s) for i, (s, a) in enumerate(points) for t, b in points[i + 1 :] if t > s]
    return statistics.median(slopes)


def _memory(steady: Sequence[Sample]) -> Iterator[str]:
    """Why both halves: what is done once an hour needs its room, and keeps it; what leaks does so in each minute."""
    moments = [sample.at for sample in steady]
    if moments[-1] - moments[0] < TEN_MINUTES:
        return  # all of it is warming up
    for name, last in steady[-1].programs.items():
        own = [sample.programs[name].own for sample in steady]
        half = len(own) // 2
        grown = min(trend(moments[:half], own[:half]), trend(moments[half:], own[half:])) * TEN_MINUTES
        if grown > MOST_OWN_MB * max(1, last.processes):
            yield f"memory of {name} grows by {grown:.1f} MB in ten minutes, {own[0]:.0f} to {own[-1]:.0f}"
        elif own[-1] > own[0] * SHARE:
            yield f"memory of {name} grows at once, {own[0]:.0f} to {own[-1]:.0f}"


def _handles(steady: Sequence[Sample]) -> Iterator[str]:
    """Why not the files of PostgreSQL: it keeps open what it ever read, up to ``max_files_per_process``."""
    for name in steady[-1].programs:
        for what in ("threads",) if name == DATABASE else ("files", "threads"):
            held = [float(getattr(sample.programs[name], what)) for sample in steady]
            yield from _more(f"{what} of {name}", held, FEW_HANDLES, HANDLES_SHARE)
    connections = [float(sample.connections) for sample in steady]
    yield from _more("connections to the database", connections, FEW_HANDLES, HANDLES_SHARE)


def _redis(steady: Sequence[Sample]) -> Iterator[str]:
    yield from _more("keys of Redis", [float(sample.redis_keys) for sample in steady], FEW_KEYS)
    yield from _more("bytes of Redis", [float(sample.redis_bytes) for sample in steady], FEW_BYTES)
    most = max(sample.waiting for sample in steady)
    if most > MOST_WAITING:
        yield f"{most:,} messages waited in a queue of Redis"


def _queues(steady: Sequence[Sample]) -> Iterator[str]:
    for name in steady[-1].waits:
        longest = max(sample.waits.get(name, 0.0) for sample in steady)
        if longest > LONGEST_WAIT_SECONDS:
            yield f"the oldest of {name} was due for {longest:.0f} s"


def _tables(steady: Sequence[Sample], bounded: Collection[str]) -> Iterator[str]:
    first, last = steady[0], steady[-1]
    for name in sorted(last.rows):
        if name in bounded:
            added, grown = last.rows[name] - first.rows[name], last.bytes[name] - first.bytes[name]
            if added > FEW_ROWS:
                yield f"{name} grows by {added:,} rows, though it has no row for a payment"
            if grown > FEW_BYTES + first.bytes[name] * (SHARE - 1):
                yield f"{name} grows by {grown:,} bytes, though it has no row for a payment"
        else:
            yield from _per_payment(name, steady)


def _per_payment(name: str, steady: Sequence[Sample]) -> Iterator[str]:
    """Whether a payment leaves more in the second half: rows that pile up, or pages that are never used again."""
    first, middle, last = steady[0], steady[len(steady) // 2], steady[-1]
    for what, few in (("rows", FEW_ROWS), ("bytes", FEW_BYTES)):
        early, late = (
            (getattr(b, what)[name] - getattr(a, what)[name], max(1, b.made - a.made))
            for a, b in ((first, middle), (middle, last))
        )
        allowed = max(0, early[0]) / early[1] * LATER_SHARE * late[1] + few
        if late[0] > allowed:
            yield f"{name} grows by {late[0]:,} {what} for {late[1]:,} payments, after {early[0]:,} for {early[1]:,}"


def _more(what: str, figures: Sequence[float], few: float, share: float = SHARE) -> Iterator[str]:
    """Whether the last third holds more than the first, beyond what comes and goes."""
    third = max(1, len(figures) // 3)
    before, after = statistics.median(figures[:third]), statistics.median(figures[-third:])
    if after > before * share + few:
        yield f"{what} grow from {before:,.0f} to {after:,.0f}"
