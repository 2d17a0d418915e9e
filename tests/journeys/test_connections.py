"""A web process holds a connection to the database for each of its threads, those of the short way, and no more."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.journeys.http_caller import Caller, Unreachable, soon
from tests.journeys.production import own_database, own_redis
from tests.journeys.programs import Program, clean_environment, run_to_end
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = pytest.mark.postgres

WEB_THREADS, FAST_CONNECTIONS, CALLERS, CALLS = 3, 2, 9, 5
HELD = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
CREATED = "SELECT count(*) FROM payments_paymentintent"
WRITTEN = "SELECT count(*) FROM merchants_requestrecord"


@contextmanager
def web_process(folder: Path, port: int) -> Iterator[tuple[Caller, str]]:
    """The web server alone, with one process; a merchant's key for it, and where its database is."""
    with own_database(os.environ["DATABASE_URL"], f"connections_{port}") as database_url:
        environment = clean_environment(
            DATABASE_URL=database_url, REDIS_URL=own_redis(os.environ["REDIS_URL"]), SECRET_KEY="guards-nothing" * 4,
            BASE_URL=f"http://localhost:{port}", ALLOWED_HOSTS="localhost", LOCAL_DIR=str(folder), PORT=str(port),
            BIND="127.0.0.1", WEB_WORKERS="1", WEB_THREADS=str(WEB_THREADS), NETWORK_PROFILE="simulated",
            RATE_LIMIT_SCALE="1000", FAST_CONNECTIONS=str(FAST_CONNECTIONS),
        )  # fmt: skip
        made = run_to_end(
            (sys.executable, "manage.py", "create_merchant", *("--name", "Shop", "--email", "a@b.example", "--json")),
            environment,
        )
        program = Program(("sh", "scripts/container.sh", "web"), environment, folder / "web.log")
        try:
            program.start()
            yield Caller(base_url=f"http://localhost:{port}", key=json.loads(made)["test_secret_key"]), database_url
        finally:
            program.kill_with_children()


def answers(caller: Caller) -> bool:
    try:
        return caller.get("/api/public/health").status == 200
    except Unreachable:
        return False


def create(caller: Caller) -> int:
    return caller.post("/payment-intents", {"amount": 25}).status


def test_a_connection_for_each_thread(tmp_path: Path) -> None:
    """After its checks at start, many calls at once, and the log of them, which came when it was quiet."""
    begin = threading.Barrier(CALLERS)
    with web_process(tmp_path, own_port()) as (caller, database_url), psycopg.connect(database_url) as database:
        database.autocommit = True

        def counted(query: str) -> int:
            found = database.execute(query).fetchone()
            return int(found[0]) if found else 0

        def calls(_: int) -> list[int]:
            begin.wait(PATIENCE_SECONDS)
            return [caller.get("/payment-intents").status for _ in range(CALLS)] + [
                create(caller) for _ in range(CALLS)
            ]

        soon(lambda: answers(caller), "the web server")
        with ThreadPoolExecutor(CALLERS) as pool:
            assert list(pool.map(calls, range(CALLERS))) == [[200] * CALLS + [201] * CALLS] * CALLERS
        soon(lambda: counted(WRITTEN) == 2 * CALLERS * CALLS, "the request log")
        assert counted(HELD) == WEB_THREADS + FAST_CONNECTIONS
        assert counted(CREATED) == CALLERS * CALLS
