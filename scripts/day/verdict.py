"""What is not as it must be after a row, and the row's line of the table. Knows no service."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from scripts.day.account import Account, spread
from scripts.day.rows import Row

NAMED_SECONDS, ALERT_SECONDS, RECOVERS_SECONDS = 10.0, 60.0, 60.0
"""Readiness names an outage within the first, an alert within the second, and all is well within the third."""
MOST_NAMED = 4
HEAD = (
    "| Broken | For, s | Asked | Lost | Double | Settled p50 / max, s | Told after that p50 / max, s | "
    "Well again after, s | Readiness named, after s | Alert, after s |\n|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a row showed. ``named``, ``alerts``: what was said first, in seconds. ``well``: None for never."""

    row: Row
    held: float
    account: Account
    named: Mapping[str, float] = field(default_factory=dict)
    alerts: Mapping[str, float] = field(default_factory=dict)
    well: float | None = None
    ended: str = ""
    """A program that ended by itself, or another reason why the row came to no end."""


def misses(seen: Seen) -> Iterator[str]:
    """What must not be, a sentence each."""
    row = seen.row
    for what, count in [*seen.account.lost.items(), *seen.account.double.items()]:
        if count:
            yield f"{row.name}: {count} {what}"
    if not seen.account.asked:
        yield f"{row.name}: nobody asked for a payment, so this proves nothing"
    if seen.ended:
        yield f"{row.name}: {seen.ended}"
    if seen.well is None or seen.well > RECOVERS_SECONDS:
        yield f"{row.name}: not well {RECOVERS_SECONDS:.0f} s after what was broken is back"
    if row.exempt:
        return
    if not any(seen.named.get(name, NAMED_SECONDS + 1) <= NAMED_SECONDS for name in row.named):
        yield f"{row.name}: readiness named none of {', '.join(sorted(row.named))} within {NAMED_SECONDS:.0f} s"
    if not any(seen.alerts.get(name, ALERT_SECONDS + 1) <= ALERT_SECONDS for name in row.alerts):
        yield f"{row.name}: none of {', '.join(sorted(row.alerts))} fired within {ALERT_SECONDS:.0f} s"


def line(seen: Seen) -> str:
    """A line of the table."""
    found = seen.account
    lost, double = sum(found.lost.values()), sum(found.double.values())
    well = "never" if seen.well is None else f"{seen.well:.1f}"
    said = [f"{seen.row.name} {seen.row.what}", f"{seen.held:.0f}", f"{found.asked}", f"{lost}", f"{double}"]
    said += [spread(found.settled), spread(found.told), well, _firsts(seen.named, seen.row.named)]
    said.append(_firsts(seen.alerts, seen.row.alerts))
    return f"| {' | '.join(said)} |"


def _firsts(moments: Mapping[str, float], wanted: Collection[str]) -> str:
    """What was said when: what was waited for, and some of what else was said."""
    firsts = sorted(moments.items(), key=lambda one: (one[0] not in wanted, one[1], one[0]))
    named = [f"`{name}` {seconds:.0f}" for name, seconds in firsts]
    rest = len(named) - MOST_NAMED
    return ", ".join([*named[:MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])]) or "–"
