"""The table of what is broken, in the order of the day, and what must be said of each.

Source: docs/operators-day.md.
"""

from collections.abc import Collection
from dataclasses import dataclass

from scripts.day import faults
from scripts.day.faults import Fault

DATABASE, DEPENDENCY, DEAD = "CausewayDatabaseAway", "CausewayDependencyMissing", "CausewayProgramDead"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One thing that is broken for at least so many ``seconds``.

    ``named``: checks of readiness of which one must say no; ``alerts``: of which one must fire. ``exempt``: why nothing
    needs to be said. ``needs_disk``: PostgreSQL must have a disk of its own.
    """

    name: str
    what: str
    fault: Fault
    seconds: float
    named: frozenset[str] = frozenset()
    alerts: frozenset[str] = frozenset()
    exempt: str = ""
    needs_disk: bool = False


def outage(name: str, what: str, fault: Fault, seconds: float, named: Collection[str], *alerts: str) -> Row:
    """A row that everybody is to be told of."""
    return Row(
        name=name, what=what, fault=fault, seconds=seconds, named=frozenset(named), alerts=frozenset(alerts),
        needs_disk=fault is faults.full_disk,
    )  # fmt: skip


def unseen(name: str, what: str, fault: Fault, seconds: float, why: str) -> Row:
    """A row of which nobody needs to be told, and why."""
    return Row(name=name, what=what, fault=fault, seconds=seconds, exempt=why)


SECONDS_LATER = "over within seconds, without a person"
OWN_RECEIVER = "it is one merchant's own receiver, and the others' payments must go on"
ROWS = (
    unseen("0", "nothing", faults.nothing, 15, "nothing is broken"),
    outage("A", "all workers, `kill -9`", faults.dead("worker"), 20, {"worker"}, DEAD),
    unseen("B", "one worker child", faults.killed_child("worker-money"), 12, SECONDS_LATER),
    unseen("C1", "one web child", faults.killed_child("web"), 12, SECONDS_LATER),
    unseen("C2", "web parent", faults.killed_web_parent, 12, "its supervisor starts it again at once"),
    outage("E2", "PostgreSQL `stop -m immediate`", faults.postgresql_away, 10, {"database"}, DATABASE),
    unseen("E1", "PostgreSQL restart", faults.postgresql_restarted, 12, SECONDS_LATER),
    outage("D", "beat", faults.dead("beat"), 50, {"beat"}, DEAD),
    unseen("F1", "Redis restart", faults.redis_restarted, 12, SECONDS_LATER),
    unseen("F2", "`FLUSHALL`", faults.redis_flushed, 12, "what Redis holds is worth nothing after seconds"),
    outage("F3", "Redis away", faults.redis_away, 60, {"broker"}, DEPENDENCY),
    outage("LOCK", "exclusive lock", faults.locked_table, 20, {"queue.intents"}, "CausewayQueueLate"),
    outage("KEY", "lost encryption key", faults.lost_key, 50, {"secrets"}, DEPENDENCY),
    outage("CONNECTIONS", "connections exhausted", faults.no_connections, 25, {"database"}, DATABASE),
    unseen("HANG2", "one hanging endpoint, 2 processes", faults.hanging_endpoint, 30, OWN_RECEIVER),
    unseen("HANG8", "the same, 8 processes", faults.hanging_endpoint_with_eight, 30, OWN_RECEIVER),
    outage("DISK", "disk full", faults.full_disk, 20, {"writes"}, DATABASE),
    unseen("H", "two webs, two workers, two beats, 3/s", faults.everything_twice, 30, "nothing is broken"),
)
"""Neighbours raise different alerts where that can be, so that none waits for its own to end."""
BY_NAME = {row.name: row for row in ROWS}
