"""Measures the drain beside a bare client, with and without TLS, a task per delivery, and a receiver that hangs."""

import json
import os
import secrets
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import psycopg

from scripts.bench.load import spread
from scripts.bench.stage import ROOT, Stage, read_sql, web_server
from scripts.bench.webhooks.certificate import make_certificate
from scripts.service_process import HOST, child, running

ENDPOINTS = 10
LOOK_SECONDS = 0.05
LONGEST_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """How much one round sends each way."""

    rounds: int
    drained: int
    posted: int
    tasks: int


@dataclass(frozen=True, kw_only=True)
class Receivers:
    """Ten endpoints that answer, and one that does not; where they listen."""

    base_url: str
    healthy: Sequence[str]
    hanging: str


def measure_webhooks(stage: Stage, amounts: Amounts) -> tuple[dict[str, float], list[str]]:
    """Interleave rounds of every way: the goals' figures, and lines for people."""
    rates: dict[str, list[float]] = defaultdict(list)
    with receiver(stage) as base_url, tls_receiver(stage) as tls_url:
        receivers = make_endpoints(stage, base_url)
        for _ in range(amounts.rounds):
            with moved(stage, receivers, tls_url) as secured:
                rates["raw client, TLS"].append(post_raw(secured, amounts.posted))
                rates["drain, TLS"].append(drain(stage, secured, amounts.drained, processes=1))
            rates["raw client"].append(post_raw(receivers, amounts.posted))
            rates["drain, 1 process"].append(drain(stage, receivers, amounts.drained, processes=1))
            rates["drain, 2 processes"].append(drain(stage, receivers, amounts.drained, processes=2))
            rates["a task each"].append(run_tasks(stage, receivers, amounts.tasks))
            rates["9 of 10, none hanging"].append(drain_nine(stage, receivers, amounts.drained, hanging=0))
            rates["9 of 10, one hanging"].append(drain_nine(stage, receivers, amounts.drained, hanging=1))
    rate = {name: statistics.median(seen) for name, seen in rates.items()}
    figures = {
        "drain_raw_share": rate["drain, 1 process"] / rate["raw client"],
        "drain_tls_share": rate["drain, TLS"] / rate["raw client, TLS"],
        "drain_celery_share": rate["drain, 2 processes"] / rate["a task each"],
        "hanging_share": rate["9 of 10, one hanging"] / rate["9 of 10, none hanging"],
    }
    return figures, [f"{name:<24}{spread(seen):<30} deliveries/s" for name, seen in rates.items()]


@contextmanager
def receiver(stage: Stage) -> Iterator[str]:
    """A running receiver; its address."""
    accepts = partial(answers, "http")
    with running(receiver_command, accepts, log=stage.folder / "receiver.log", user=None) as port:
        yield f"http://{HOST}:{port}"


@contextmanager
def tls_receiver(stage: Stage) -> Iterator[str]:
    """A running receiver over TLS; its address. Every process that is started meanwhile believes its certificate."""
    paths = make_certificate(stage.folder)
    os.environ["SSL_CERT_FILE"] = str(paths[0])
    command, accepts = partial(receiver_command, certificate=paths), partial(answers, "https")
    try:
        with running(command, accepts, log=stage.folder / "tls-receiver.log", user=None) as port:
            yield f"https://{HOST}:{port}"
    finally:
        del os.environ["SSL_CERT_FILE"]


def receiver_command(port: int, certificate: Sequence[Path] = ()) -> list[str]:
    """The receiver's program; run from the project's folder, where its package is found."""
    program = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "scripts.bench.webhooks.receiver", str(port)]
    return [*program, *map(str, certificate)]


def answers(scheme: str, port: int) -> bool:
    """Tell whether the receiver answers."""
    try:
        with urllib.request.urlopen(f"{scheme}://{HOST}:{port}/", timeout=1):  # noqa: S310 - our own address
            return True
    except OSError:
        return False


def make_endpoints(stage: Stage, base_url: str) -> Receivers:
    """Register the endpoints as a merchant does."""
    with web_server(stage.folder) as service:
        paths = [*(f"/{number}" for number in range(ENDPOINTS)), "/hang"]
        made = [register(stage, service, base_url + path) for path in paths]
    return Receivers(base_url=base_url, healthy=made[:-1], hanging=made[-1])


@contextmanager
def moved(stage: Stage, receivers: Receivers, base_url: str) -> Iterator[Receivers]:
    """The same endpoints at another address, for a while."""
    with psycopg.connect(stage.database_url, autocommit=True) as database:
        statement = "UPDATE webhooks_webhookendpoint SET url = replace(url, %s, %s)"
        database.execute(statement, [receivers.base_url, base_url])
        try:
            yield replace(receivers, base_url=base_url)
        finally:
            database.execute(statement, [base_url, receivers.base_url])


def register(stage: Stage, service: str, url: str) -> str:
    """Create one endpoint and return its id."""
    body = json.dumps({"url": url, "events": ["payment_intent.settled"]}).encode()
    headers = {"Authorization": f"Bearer {stage.credential}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{service}/api/public/v1/webhook-endpoints", body, headers)  # noqa: S310 - our own address
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own address
        return str(json.load(answer)["id"])


def post_raw(receivers: Receivers, requests: int) -> float:
    """Posts a second of a client that does nothing else."""
    command = [sys.executable, "-m", "scripts.bench.webhooks.raw_client", receivers.base_url, str(requests)]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def drain_nine(stage: Stage, receivers: Receivers, deliveries: int, *, hanging: int) -> float:
    """Deliveries a second to nine healthy endpoints, beside a tenth that may hang."""
    nine = replace(receivers, healthy=receivers.healthy[:-1])
    tenth = receivers.hanging if hanging else receivers.healthy[-1]
    return drain(stage, nine, deliveries, processes=1, beside=tenth)


def drain(stage: Stage, receivers: Receivers, deliveries: int, *, processes: int, beside: str | None = None) -> float:
    """Deliveries a second to the healthy endpoints by so many processes; ``beside`` gets as many each, uncounted."""
    with psycopg.connect(stage.database_url, autocommit=True) as database, ExitStack() as stack:
        workers = [stack.enter_context(drain_worker()) for _ in range(processes)]
        seed(database, stage, [*receivers.healthy, *([beside] if beside else [])], deliveries)
        started = count_seconds(database)
        for worker in workers:
            assert worker.stdin is not None  # noqa: S101 - opened as a pipe
            worker.stdin.write("go\n")
            worker.stdin.flush()
        wait_until_delivered(database, receivers.healthy)
        count, _, last = finished(database, receivers.healthy)
        return count / (last - started)


@contextmanager
def drain_worker() -> Iterator[subprocess.Popen[str]]:
    """A process that is ready to drain; it is stopped when no longer needed."""
    command = [sys.executable, "-m", "scripts.bench.webhooks.drain_worker"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as worker:
        try:
            assert worker.stdout is not None  # noqa: S101 - opened as a pipe
            worker.stdout.readline()
            yield worker
        finally:
            worker.kill()


def run_tasks(stage: Stage, receivers: Receivers, deliveries: int) -> float:
    """Deliveries a second by one Celery task each, in two worker processes."""
    queue = f"bench_{secrets.token_hex(4)}"
    celery = ["env", f"PYTHONPATH={ROOT}", f"BENCH_QUEUE={queue}", sys.executable, "-m", "celery"]
    worker = [*celery, "--app", "scripts.bench.webhooks.celery_baseline", "worker", "--concurrency", "2"]
    options = ["--queues", queue, "--loglevel", "ERROR", "--without-gossip", "--without-mingle"]
    with psycopg.connect(stage.database_url, autocommit=True) as database:
        seed(database, stage, receivers.healthy, deliveries)
        keys = [str(row[0]) for row in database.execute("SELECT id FROM webhooks_delivery").fetchall()]
        subprocess.run(
            [sys.executable, "-m", "scripts.bench.webhooks.publish", queue],
            cwd=ROOT,
            input="\n".join(keys),
            text=True,
            check=True,
        )
        with child([*worker, *options], stage.folder / "celery.log", user=None):
            wait_until_delivered(database, receivers.healthy)
        count, first, last = finished(database, receivers.healthy)
        return count / (last - first)


def seed(database: psycopg.Connection[tuple[object, ...]], stage: Stage, endpoints: Sequence[str], count: int) -> None:
    """Forget the deliveries of the last round and make so many new ones due."""
    database.execute("TRUNCATE webhooks_deliveryattempt, webhooks_delivery, webhooks_event")
    given = {"endpoints": list(endpoints), "endpoint_count": len(endpoints), "weeks": 1}
    database.execute(read_sql("deliveries.sql"), {"merchant_id": stage.merchant_id, "events": count, **given})
    database.execute("ANALYZE webhooks_delivery, webhooks_event")


def wait_until_delivered(database: psycopg.Connection[tuple[object, ...]], endpoints: Sequence[str]) -> None:
    """Wait until nothing is due to these endpoints any more. Raises: TimeoutError."""
    question = "SELECT 1 FROM webhooks_delivery WHERE outcome = 'due' AND endpoint_id = ANY(%s::uuid[]) LIMIT 1"
    deadline = time.monotonic() + LONGEST_SECONDS
    while database.execute(question, [list(endpoints)]).fetchone() is not None:
        if time.monotonic() > deadline:
            raise TimeoutError("deliveries are still due")
        time.sleep(LOOK_SECONDS)


def finished(database: psycopg.Connection[tuple[object, ...]], endpoints: Sequence[str]) -> tuple[int, float, float]:
    """How many were delivered to these endpoints, and when the first and the last, in seconds."""
    question = (
        "SELECT count(*), extract(epoch FROM min(finished_at))::float8, extract(epoch FROM max(finished_at))::float8 "
        "FROM webhooks_delivery WHERE outcome = 'delivered' AND endpoint_id = ANY(%s::uuid[])"
    )
    row = database.execute(question, [list(endpoints)]).fetchone()
    assert row is not None  # noqa: S101 - an aggregate always gives one row
    count, first, last = row
    return int(str(count)), float(str(first)), float(str(last))


def count_seconds(database: psycopg.Connection[tuple[object, ...]]) -> float:
    """The database's clock, which is this machine's."""
    row = database.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    assert row is not None  # noqa: S101 - a constant expression always gives one row
    return float(str(row[0]))
