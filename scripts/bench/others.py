"""Measures other products beside the service, by turns: what one create and one retrieve of each takes over HTTP.

Another product is a file of JSON whose place ``OTHERS`` holds, several with ``:`` between them:

- ``name``; ``start``, its command, in which ``{port}`` is the port; ``ready``, a path that answers 200 once it serves;
- ``create`` and ``retrieve``: ``path``, ``headers``, and the ``body`` of a create. ``{id}`` in a path is that of one
  made before, ``{unique}`` in a body or a header is different each time. ``id`` is what an answer to a create calls it;
- ``background``: commands of what runs beside its web server, of which only the memory counts; may be left out.

Must not know which products they are: installing one, and making what its requests name, is left to what comes with it.
"""

import json
import os
import secrets
import signal
import statistics
import subprocess
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from scripts.bench.load import Load, spread, wrk
from scripts.bench.processes import memory_of, parent_of, processor_seconds_of
from scripts.bench.stage import ROOT, Stage, web_command
from scripts.service_process import HOST, child, free_port

LONGEST_START_SECONDS = 120
LOOK_SECONDS = 0.01
SETTLED_SECONDS = 5
STOP_SECONDS = 5
MADE = 50
"""How many there are to retrieve, of each."""
STARTS = 3
WARM_SECONDS = 5
LONGER = 5
"""How many times as long a turn is as in other parts. Why: on a busy machine a short one may see no answer at all."""
LEAST_RATE = 0.1
KIB = 1024
KINDS = ("create", "retrieve")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request, with ``{id}`` and ``{unique}`` in it."""

    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: object = None

    @property
    def text(self) -> str:
        """The body as it is sent."""
        return "" if self.body is None else json.dumps(self.body)


@dataclass(frozen=True, kw_only=True)
class Product:
    """How a product is started and asked."""

    name: str
    start: list[str]
    ready: str
    create: Asked
    retrieve: Asked
    id: str = "id"
    background: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Server:
    """A product that runs."""

    product: Product
    pid: int
    port: int
    seconds: float
    """From its command until it was ready."""
    processor_seconds: float
    """Which that took of the processor."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One turn of load, and the milliseconds of processor of each request in the product and in PostgreSQL.

    What was begun and not answered before the end counts in these too: where few were answered, they are too many.
    """

    load: Load
    product_ms: float
    database_ms: float


@dataclass(frozen=True, kw_only=True)
class Memory:
    """MB while nobody asks: of the web server, and of what runs beside it."""

    web: float
    background: float


def measure_others(stage: Stage, *, rounds: int, seconds: int) -> tuple[dict[str, float], list[str]]:
    """Take turns between the service and each other product that ``OTHERS`` names; lines for people."""
    files = [Path(name) for name in os.environ.get("OTHERS", "").split(os.pathsep) if name]
    missing = [str(file) for file in files if not file.is_file()]
    if missing or not files:
        return {}, [f"No other product is measured: {', '.join(missing) or 'OTHERS'} is no file that describes one."]
    products = [this_service(stage), *(read_product(file) for file in files)]
    starts = {product.name: start_again(product, stage.folder) for product in products}
    turns: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    memory = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(running(product, stage.folder)) for product in products]
        for server in servers:
            memory[server.product.name] = measure_memory(server, stage.folder)
        postgres = find_postgres(stage.database_url)
        ids = {server.product.name: make_some(server, stage.folder) for server in servers}
        for server in servers:
            take_turns(server, ids[server.product.name], postgres, seconds=WARM_SECONDS)
        for _ in range(rounds):
            for server in servers:
                for kind, turn in take_turns(
                    server, ids[server.product.name], postgres, seconds=LONGER * seconds
                ).items():
                    turns[server.product.name, kind].append(turn)
    return {}, describe(products, starts, memory, turns)


def read_product(file: Path) -> Product:
    """A product as its file describes it."""
    read = json.loads(file.read_text())
    return Product(**{**read, "create": Asked(**read["create"]), "retrieve": Asked(**read["retrieve"])})


def this_service(stage: Stage) -> Product:
    """This service in its production form."""
    path = "/api/public/v1/payment-intents"
    bearer = {"Authorization": f"Bearer {stage.credential}"}
    body = {
        "amount": 25,
        "currency": "USD",
        "settlement_chain": "base",
        "settlement_token": "USDC",
        "settlement_address": "0x7e57000000000000000000000000000000000001",
        "customer_email": "buyer@shop.example",
        "metadata": {"order_id": "A-1042"},
    }
    entry = str(ROOT / "scripts" / "container.sh")
    return Product(
        name="causeway",
        start=web_command("{port}"),
        ready="/api/public/health",
        create=Asked(
            path=path,
            headers={**bearer, "Content-Type": "application/json", "Idempotency-Key": "{unique}"},
            body=body,
        ),
        retrieve=Asked(path=f"{path}/{{id}}", headers=bearer),
        background=[[entry, "beat"], *([entry, "worker", kind] for kind in ("money", "delivery", "upkeep", "reader"))],
    )


@contextmanager
def running(product: Product, folder: Path) -> Iterator[Server]:
    """Run the web server of a product until the block ends."""
    port = free_port()
    log = folder / f"{secrets.token_hex(4)}.log"
    command = [part.replace("{port}", str(port)) for part in product.start]
    started = time.monotonic()
    with whole(command, log) as program:
        while not answers_well(port, product.ready):
            if program.poll() is not None or time.monotonic() > started + LONGEST_START_SECONDS:
                raise RuntimeError(f"{product.name} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(LOOK_SECONDS)
        yield Server(
            product=product,
            pid=program.pid,
            port=port,
            seconds=time.monotonic() - started,
            processor_seconds=processor_seconds_of(program.pid),
        )


@contextmanager
def whole(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command, and end all that it started with it, for not every product ends what it started itself."""
    with child(command, log, user=None) as program:
        try:
            yield program
        finally:
            with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(program.pid, signal.SIGTERM)
                program.wait(STOP_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)


def answers_well(port: int, path: str) -> bool:
    """Tell whether a path on this port answers without an error."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=5) as answer:  # noqa: S310 - our own machine
            answer.read()
    except OSError:
        return False
    return True


def start_again(product: Product, folder: Path) -> list[Server]:
    """Start several times, with nothing else of this run beside: what ran then."""
    started = []
    for _ in range(STARTS):
        with running(product, folder) as server:
            started.append(server)
    return started


def measure_memory(server: Server, folder: Path) -> Memory:
    """What a product takes that has just started, with its background running for this look alone."""
    with ExitStack() as stack:
        log = folder / f"{secrets.token_hex(4)}.log"
        beside = [stack.enter_context(whole(command, log)) for command in server.product.background]
        time.sleep(SETTLED_SECONDS)
        return Memory(
            web=memory_of(server.pid) / KIB,
            background=sum(memory_of(program.pid) for program in beside) / KIB,
        )


def find_postgres(database_url: str) -> int:
    """The process that all of PostgreSQL descends from."""
    with psycopg.connect(database_url) as connection:
        return parent_of(connection.info.backend_pid)


def make_some(server: Server, folder: Path) -> Path:
    """Create what is retrieved; a file of the ids."""
    asked = server.product.create
    ids = []
    for _ in range(MADE):
        unique = secrets.token_hex(8)
        headers = {name: value.replace("{unique}", unique) for name, value in asked.headers.items()}
        body = asked.text.replace("{unique}", unique).encode()
        request = urllib.request.Request(f"http://{HOST}:{server.port}{asked.path}", body, headers)  # noqa: S310 - our own machine
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own machine
            ids.append(str(json.load(answer)[server.product.id]))
    file = folder / f"{secrets.token_hex(4)}.ids"
    file.write_text("\n".join(ids))
    return file


def take_turns(server: Server, ids: Path, postgres: int, *, seconds: int) -> dict[str, Turn]:
    """Ask a product for each kind in its turn."""
    return {kind: take_turn(server, kind, ids, postgres, seconds=seconds) for kind in KINDS}


def take_turn(server: Server, kind: str, ids: Path, postgres: int, *, seconds: int) -> Turn:
    """Ask as fast as sixteen connections get answers."""
    asked, method = (server.product.create, "POST") if kind == "create" else (server.product.retrieve, "GET")
    headers = [f"{name}: {value}" for name, value in asked.headers.items()]
    arguments = ["any", secrets.token_hex(8), method, asked.path, asked.text, str(ids), *headers]
    before = [processor_seconds_of(pid) for pid in (server.pid, postgres)]
    load = wrk(f"http://{HOST}:{server.port}", arguments, seconds=seconds)
    used = [processor_seconds_of(pid) - had for pid, had in zip((server.pid, postgres), before, strict=True)]
    product_ms, database_ms = (1000 * one / max(1, load.requests) for one in used)
    return Turn(load=load, product_ms=product_ms, database_ms=database_ms)


def describe(
    products: Sequence[Product],
    starts: dict[str, list[Server]],
    memory: dict[str, Memory],
    turns: dict[tuple[str, str], list[Turn]],
) -> list[str]:
    """Each product's figures, and how many times its rate the service's is."""
    lines = []
    for product in products:
        name, held = product.name, memory[product.name]
        lines.append(
            f"{name}: starts in {spread_of([one.seconds for one in starts[name]])} s, of the processor "
            f"{spread_of([one.processor_seconds for one in starts[name]])}; "
            f"idle {held.web:.0f} MB and {held.background:.0f} MB beside"
        )
        for kind in KINDS:
            seen, ours = turns[name, kind], turns[products[0].name, kind]
            times = statistics.median(
                our.load.per_second / max(one.load.per_second, LEAST_RATE) for our, one in zip(ours, seen, strict=True)
            )
            lines.append(
                f"  {kind:<10}{spread([one.load.per_second for one in seen]):<26} requests/s  "
                f"p50 {statistics.median(one.load.p50_ms for one in seen):.1f} ms  "
                f"p99 {statistics.median(one.load.p99_ms for one in seen):.1f} ms  "
                f"processor {statistics.median(one.product_ms for one in seen):.2f} + "
                f"{statistics.median(one.database_ms for one in seen):.2f} ms  "
                f"{sum(one.load.errors for one in seen)} errors  {times:.2f} times as many here"
            )
    return lines


def spread_of(seconds: Sequence[float]) -> str:
    """A median of seconds with the least and the most."""
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
