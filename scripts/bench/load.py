"""The two load tools: wrk asks the service over HTTP, pgbench asks its database."""

import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scripts.with_services import find_postgres_programs

HERE = Path(__file__).resolve().parent
CONNECTIONS = 16


@dataclass(frozen=True, kw_only=True)
class Load:
    """What one run of requests showed."""

    per_second: float
    requests: int
    errors: int
    p50_ms: float
    p99_ms: float


def wrk(base_url: str, arguments: Sequence[str], *, seconds: int, connections: int = CONNECTIONS) -> Load:
    """Ask for one kind of request as fast as so many connections get answers."""
    command = ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{seconds}s"]
    script = ["--timeout", "10s", "--script", str(HERE / "requests.lua"), base_url, "--", *arguments]
    shown = subprocess.run([*command, *script], capture_output=True, text=True, check=True).stdout
    seen = json.loads(shown.strip().splitlines()[-1])
    return Load(
        per_second=seen["requests"] / seen["microseconds"] * 1_000_000,
        requests=seen["requests"],
        errors=seen["errors"],
        p50_ms=seen["p50"] / 1000,
        p99_ms=seen["p99"] / 1000,
    )


def pgbench(database_url: str, script: str, variables: dict[str, int], *, seconds: int) -> float:
    """Run one script of ``sql/`` over prepared statements; transactions a second."""
    place = urlsplit(database_url)
    command = [str(find_postgres_programs() / "pgbench"), "--no-vacuum", "--protocol", "prepared"]
    amount = ["--client", str(CONNECTIONS), "--jobs", "2", "--time", str(seconds)]
    given = [part for name, value in variables.items() for part in ("--define", f"{name}={value}")]
    server = ["--host", str(place.hostname), "--port", str(place.port or 5432), "--username", str(place.username)]
    shown = subprocess.run(
        [*command, *amount, *given, "--file", str(HERE / "sql" / script), *server, place.path.lstrip("/")],
        env={"PGPASSWORD": unquote(place.password or "")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    [line] = [line for line in shown.splitlines() if line.startswith("tps = ")]
    return float(line.split()[2])


def median_load(loads: Sequence[Load]) -> Load:
    """The medians of several runs, figure by figure; requests and errors are summed."""
    return Load(
        per_second=statistics.median(load.per_second for load in loads),
        requests=sum(load.requests for load in loads),
        errors=sum(load.errors for load in loads),
        p50_ms=statistics.median(load.p50_ms for load in loads),
        p99_ms=statistics.median(load.p99_ms for load in loads),
    )


def spread(rates: Sequence[float]) -> str:
    """A median with the least and the most."""
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"
