"""What an operator reads: each line of each program is a record, and an outage is some lines a second."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.journeys.http_caller import soon
from tests.journeys.production import KINDS, Production, production
from tests.journeys.programs import is_ready
from tests.machine import own_port
from tests.templates import on_server

pytestmark = pytest.mark.postgres

RECORD = re.compile(r"(?P<second>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} [A-Z]+ [\w.]+ .+")
PROCESSES = 4
"""At most, of one program: each counts causes for itself."""
AWAY = "OperationalError"
ENOUGH = 40
"""Lines of all programs together: some seconds of an outage."""
FAREWELL = ("", "worker: Warm shutdown (MainProcess)")
"""What Celery prints past every log."""


@contextmanager
def database_away(url: str) -> Iterator[None]:
    """Nobody can connect to it, and whoever was connected is not any more."""
    name = urlsplit(url).path.lstrip("/")
    with psycopg.connect(on_server(url, "postgres"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def test_every_line_is_a_record_and_an_outage_fills_no_disk(tmp_path: Path) -> None:
    with production(tmp_path, own_port()) as service:
        url = service.environment["DATABASE_URL"]
        with database_away(url):
            soon(lambda: missed(service) >= ENOUGH, "lines about the database")
        soon(lambda: is_ready(service.base_url), "readiness")
        assert {kind: program.stop() for kind, program in service.programs.items()} == dict.fromkeys(KINDS, 0)
        for kind, program in service.programs.items():
            lines = [line for line in program.printed().splitlines() if line not in FAREWELL]
            assert [line for line in lines if RECORD.fullmatch(line) is None] == [], kind
            assert (said(lines, "started"), said(lines, "stopped")) == (1, 1), kind
            for second, count in Counter(line[:19] for line in lines if AWAY in line).items():
                assert count <= PROCESSES, f"{kind} in {second}: {count}"


def missed(service: Production) -> int:
    return service.printed().count(AWAY)


def said(lines: list[str], word: str) -> int:
    return sum(f"{word}, process" in line for line in lines)
