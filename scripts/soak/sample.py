"""One look at all that may grow: memory, files and threads of each program, tables, Redis, connections, queues."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg import sql

from scripts.cluster.programs import descendants

DATABASE = "postgresql"
QUEUES = ("money", "delivery", "upkeep", "reader")
TABLES = """
SELECT relname, coalesce(
    (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(oid)), pg_total_relation_size(oid)
)
FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
"""
"""Every table with its indexes, and with its partitions, of which a plain one has none."""
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
WAITS = """
SELECT 'intents', extract(epoch FROM now() - min(due_at)) FROM payments_queuedintent
UNION ALL SELECT 'refunds', extract(epoch FROM now() - min(next_attempt_at)) FROM refunds_refund
UNION ALL SELECT 'payouts', extract(epoch FROM now() - min(next_attempt_at)) FROM payouts_payout
UNION ALL SELECT 'events', extract(epoch FROM now() - min(occurred_at)) FROM webhooks_event WHERE fanned_out_at IS NULL
UNION ALL SELECT 'deliveries', extract(epoch FROM now() - min(d.next_attempt_at)) FROM webhooks_delivery d
    JOIN webhooks_webhookendpoint e ON e.id = d.endpoint_id WHERE d.outcome = 'due' AND e.url NOT LIKE '%/hang'
"""
"""For how long the oldest of each queue is due. Why without who hangs: its own deliveries wait for it, as they must."""
PRIVATE = re.compile(r"^(Pss|Pss_Anon): +(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Program:
    """What a program and all that it started hold. ``own``: memory that is nobody else's and no file's, in MB.

    Why that is judged, and not ``pss``: a part of a shared file is anybody's who opens or leaves it.
    """

    processes: int
    own: float
    pss: float
    files: int
    threads: int


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Everything at one moment: ``at`` minutes after the load began, ``made`` payments until then."""

    at: float
    made: int
    programs: Mapping[str, Program] = field(default_factory=dict)
    rows: Mapping[str, int] = field(default_factory=dict)
    bytes: Mapping[str, int] = field(default_factory=dict)
    redis_keys: int = 0
    redis_bytes: int = 0
    waiting: int = 0
    """Messages in the longest queue of Redis."""
    connections: int = 0
    waits: Mapping[str, float] = field(default_factory=dict)
    """Seconds for which the oldest row of each queue is due."""


def look(at: float, made: int, pids: Mapping[str, int], database_url: str, redis_url: str) -> Sample:
    """Look at everything once. ``pids``: the first process of each program."""
    with psycopg.connect(database_url, autocommit=True) as database:
        [server] = database.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        everybody = {**pids, DATABASE: parent_of(server)}
        programs = {name: measured([pid, *descendants(pid)]) for name, pid in everybody.items()}
        sizes = {str(name): int(size or 0) for name, size in database.execute(TABLES)}
        rows = {name: counted(database, name) for name in sizes}
        [connections] = database.execute(CONNECTIONS).fetchone() or (0,)
        waits = {name: float(seconds or 0) for name, seconds in database.execute(WAITS)}
    with redis.Redis.from_url(redis_url) as broker:
        facts: Any = broker.info()
        waiting = max(int(broker.llen(name)) for name in QUEUES)
    return Sample(
        at=at,
        made=made,
        programs=programs,
        rows=rows,
        bytes=sizes,
        redis_keys=sum(facts[name]["keys"] for name in facts if re.fullmatch(r"db\d+", name)),
        redis_bytes=int(facts["used_memory"]),
        waiting=waiting,
        connections=int(connections) - 1,  # this one
        waits=waits,
    )


def counted(database: "psycopg.Connection[Any]", table: str) -> int:
    """The rows of a table, or of all its partitions."""
    [count] = database.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone() or (0,)
    return int(count)


def parent_of(pid: int) -> int:
    """The process that started one."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def measured(pids: list[int]) -> Program:
    """The sums of some processes; those that ended meanwhile count for nothing. Needs the rights of their owner."""
    processes, own, pss, files, threads = 0, 0, 0, 0, 0
    for pid in pids:
        place = Path(f"/proc/{pid}")
        try:
            held = {name: int(size) for name, size in PRIVATE.findall((place / "smaps_rollup").read_text())}
            opened, alive = len(list((place / "fd").iterdir())), len(list((place / "task").iterdir()))
        except (FileNotFoundError, ProcessLookupError):
            continue
        processes, own, pss = processes + 1, own + held.get("Pss_Anon", 0), pss + held.get("Pss", 0)
        files, threads = files + opened, threads + alive
    return Program(processes=processes, own=own / 1024, pss=pss / 1024, files=files, threads=threads)
