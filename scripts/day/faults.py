"""Breaks one thing while a block runs, and gives it back. What a block is given, if anything, is called meanwhile."""

import os
import secrets
import select
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from http import HTTPStatus

import psycopg
import redis

from scripts.cluster import hosts
from scripts.cluster.journal import Journal
from scripts.cluster.load import Caller
from scripts.cluster.programs import Program, descendants
from scripts.cluster.service import HEALTH, answer_of
from scripts.day import places
from scripts.day.engines import end_by
from scripts.day.form import FIRST, NODE, SECOND, Day
from scripts.service_process import ServiceError

Meanwhile = Callable[[], object]
Fault = Callable[[Day], AbstractContextManager[Meanwhile | None]]

STARTS_SECONDS = 60.0
CHUNK = b"x" * 65_536
SEGMENTS = 4
"""Files of its log that PostgreSQL has laid out after some hours of work, and a new one has not."""
BACKLOG, EVENTS = 128, 20
SECOND_KINDS = ("web", "worker money", "worker delivery", "beat")
CUT_OFF = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service' AND application_name <> 'greedy'
"""
CROWD_RATE = 2.0
"""Payments a second beside the trickle."""


@contextmanager
def nothing(_day: Day) -> Iterator[None]:
    """For comparison."""
    yield


def dead(*kinds: str) -> Fault:
    """Programs whose names begin so are killed with all that they started, and nobody starts them again."""

    @contextmanager
    def held(day: Day) -> Iterator[None]:
        programs = [day.supervisor.programs[name] for name in day.own if name.startswith(kinds)]
        for program in programs:
            program.kill(for_good=True)
        yield
        for program in programs:
            program.start()

    return held


def killed_child(name: str) -> Fault:
    """``kill -9`` of one process that a program started."""

    @contextmanager
    def done(day: Day) -> Iterator[None]:
        os.kill(max(descendants(pid_of(day.supervisor.programs[name]))), signal.SIGKILL)
        yield

    return done


@contextmanager
def killed_web_parent(day: Day) -> Iterator[None]:
    """``kill -9`` of the web's first process alone. What it started must end by itself: it would keep the port."""
    program = day.supervisor.programs["web"]
    children = descendants(pid_of(program))
    os.kill(pid_of(program), signal.SIGKILL)
    yield
    alive = [pid for pid in children if os.path.exists(f"/proc/{pid}")]
    if alive:
        raise ServiceError(f"{len(alive)} processes of the web's live on after their parent.")


@contextmanager
def postgresql_restarted(day: Day) -> Iterator[None]:
    """As ``pg_ctl restart -m fast`` does it."""
    end_by(day.engines.postgresql, signal.SIGINT)
    day.engines.postgresql.start()
    yield


@contextmanager
def postgresql_away(day: Day) -> Iterator[None]:
    """As ``pg_ctl stop -m immediate`` leaves it."""
    end_by(day.engines.postgresql, signal.SIGQUIT)
    yield
    day.engines.postgresql.start()


@contextmanager
def redis_restarted(day: Day) -> Iterator[None]:
    """It keeps nothing."""
    end_by(day.engines.redis, signal.SIGTERM)
    day.engines.redis.start()
    yield


@contextmanager
def redis_flushed(day: Day) -> Iterator[None]:
    """``FLUSHALL``."""
    with redis.Redis.from_url(day.redis_url) as client:
        client.flushall()
    yield


@contextmanager
def redis_away(day: Day) -> Iterator[None]:
    """``kill -9``, and nobody starts it again."""
    day.engines.redis.kill(for_good=True)
    yield
    day.engines.redis.start()


@contextmanager
def everything_twice(day: Day) -> Iterator[None]:
    """A second web, worker of the kinds that payments need, and clock, while three payments a second are made."""
    folder = day.folder / "second"
    folder.mkdir(exist_ok=True)
    programs = [day.program(kind, NODE, BIND=SECOND, TMPDIR=str(folder)) for kind in SECOND_KINDS]
    key, journal = (day.folder / "key").read_text(), str(day.folder / "journal")
    crowd = Program.of_ours("crowd", "scripts.day.trickle", [journal, key, str(CROWD_RATE), "crowd"], day.folder)
    for program in programs:
        day.supervisor.add(program)
    day.supervisor.until(lambda: is_answering(SECOND), "the second web", STARTS_SECONDS)
    day.supervisor.add(crowd)
    yield
    crowd.kill(for_good=True)
    for program in programs:
        program.stop()
        del day.supervisor.programs[program.name]
    del day.supervisor.programs[crowd.name]


@contextmanager
def hanging_endpoint(day: Day) -> Iterator[None]:
    """An endpoint of another merchant that takes connections and never answers, with events for it."""
    other = Caller(
        str(day.new_merchant(f"other{secrets.token_hex(4)}")["test_secret_key"]), Journal(day.folder / "other")
    )
    with socket.create_server((places.LOCAL, places.SILENT_PORT), backlog=BACKLOG) as server:
        wanted = {"url": places.SILENT, "events": ["*"]}
        endpoint = other.insist("/webhook-endpoints", wanted, secrets.token_hex(8))
        for number in range(EVENTS):
            other.insist("/payment-intents", {"amount": 25}, f"{endpoint['id']}-{number}")
        held, _, _ = select.select([server], (), (), STARTS_SECONDS)
        if not held:
            raise ServiceError("Nobody was kept waiting: this proves nothing.")
        yield
    other.remove(f"/webhook-endpoints/{endpoint['id']}")


@contextmanager
def hanging_endpoint_with_eight(day: Day) -> Iterator[None]:
    """The same, and eight processes that deliver."""
    usual = day.supervisor.programs["worker-delivery"].environment
    day.more["WORKER_CONCURRENCY"] = "8"
    day.restart("worker-delivery")
    del day.more["WORKER_CONCURRENCY"]
    with hanging_endpoint(day):
        yield
    day.supervisor.programs["worker-delivery"].environment = usual
    day.restart("worker-delivery")


@contextmanager
def locked_table(day: Day) -> Iterator[None]:
    """Somebody in psql took an exclusive lock of the payments' table, and went for coffee."""
    with day.engines.superuser() as database, database.transaction(force_rollback=True):
        database.execute("LOCK TABLE payments_paymentintent")
        yield


@contextmanager
def no_connections(day: Day) -> Iterator[Meanwhile]:
    """Somebody else has every connection. Why the service's own are cut off: those that it keeps would serve it."""
    with ExitStack() as stack:

        def take() -> None:
            with suppress(psycopg.OperationalError):
                while True:
                    stack.enter_context(psycopg.connect(day.database_url, connect_timeout=2, application_name="greedy"))

        take()
        with day.engines.superuser() as database:
            database.execute(CUT_OFF)
        take()
        yield take


@contextmanager
def full_disk(day: Day) -> Iterator[Meanwhile]:
    """No room on PostgreSQL's disk. Its log has some, as it has after hours: without, PostgreSQL ends."""
    with day.engines.superuser() as database:
        for _ in range(SEGMENTS):
            database.execute("SELECT pg_switch_wal()")
            database.execute("CHECKPOINT")
    path = day.engines.disk / "filling"

    def fill() -> None:
        with suppress(OSError), path.open("ab", buffering=0) as file:
            while True:
                file.write(CHUNK)

    fill()
    try:
        yield fill
    finally:
        path.unlink()


@contextmanager
def lost_key(day: Day) -> Iterator[None]:
    """Every program has another key than what is stored was encrypted with; afterwards both are named."""
    usual = day.environment()["ENCRYPTION_KEYS"]
    other = f"another-{secrets.token_hex(16)}"
    for keys, is_given_back in ((other, False), (f"{other},{usual}", True)):
        day.more["ENCRYPTION_KEYS"] = keys
        day.restart(*day.own)
        day.supervisor.until(lambda: is_answering(FIRST), "an answer", STARTS_SECONDS)
        if not is_given_back:
            yield


def is_answering(address: str) -> bool:
    """Whether the front passes requests on, and a web answers at this address."""
    return all(answer_of(one, HEALTH)[0] == HTTPStatus.OK for one in (address, hosts.FRONT))


def pid_of(program: Program) -> int:
    """The first process of a program that runs."""
    if program.process is None:
        raise ServiceError(f"{program.name} does not run.")
    return program.process.pid
