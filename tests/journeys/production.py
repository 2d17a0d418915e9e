"""The production form: web, a worker of each kind and a clock as processes of their own, on PostgreSQL and Redis."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import redis

from tests.journeys.http_caller import Caller
from tests.journeys.programs import ROOT, Program, clean_environment, is_ready, run_to_end
from tests.machine import own_number, wait_until
from tests.templates import copy_postgresql, on_server

FIRST_OWN_REDIS_DATABASE = 8
"""Below are the test suite's own; each test process takes another one above."""
ENTRY = ("sh", "scripts/container.sh")
READINESS_POLL_SECONDS = 0.5
"""Why so long: readiness is counted by address, and a test that asks after a slow start must still be answered."""
KINDS = ("web", "worker money", "worker delivery", "worker upkeep", "worker reader", "beat")
"""What a deployment consists of, in the words that the entry takes."""


@dataclass
class Production:
    base_url: str
    environment: dict[str, str]
    programs: Mapping[str, Program]
    entry: Sequence[str] = ENTRY
    home: Path = ROOT

    def revive(self) -> None:
        for program in self.programs.values():
            if not program.is_alive:
                program.kill_with_children()
                program.start()

    def start(self) -> None:
        """Start what is dead until it is ready.

        Why again meanwhile: the web server ends itself where a child dies seconds after it took another's place, as
        some do here, and whoever runs it starts it again.
        """

        def is_up() -> bool:
            self.revive()
            return is_ready(self.base_url)

        try:
            wait_until(is_up, "readiness", poll=READINESS_POLL_SECONDS)
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.printed()[-3000:]}") from error

    def end(self) -> None:
        """End every process at once. Why without a farewell: none is needed, and it is what the service promises."""
        for program in self.programs.values():
            program.kill_with_children()

    def manage(self, *arguments: str) -> str:
        return run_to_end((*self.entry, *arguments), self.environment, self.home)

    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """To the deployment's database, past the service."""
        return psycopg.connect(self.environment["DATABASE_URL"], autocommit=True)

    def merchant(self, name: str = "journey") -> Caller:
        return Caller(base_url=self.base_url, key=self.keys(name)["test_secret_key"])

    def keys(self, name: str) -> dict[str, str]:
        """A new merchant's keys."""
        given = ("--name", name, "--email", f"owner@{name}.example", "--json")
        made: dict[str, str] = json.loads(self.manage("create_merchant", *given))
        return made

    def printed(self) -> str:
        return "".join(f"--- {name}\n{program.printed()}" for name, program in self.programs.items())


@contextmanager
def production(folder: Path, port: int, *, redis_url: str = "", **more: str) -> Iterator[Production]:
    """A deployment with a database of its own, running while the block does. Needs DATABASE_URL and REDIS_URL."""
    with own_database(os.environ["DATABASE_URL"], f"journey_{port}") as database_url:
        settings = settings_of(port, database_url, redis_url or own_redis(os.environ["REDIS_URL"]), **more)
        environment = clean_environment(**settings, LOCAL_DIR=str(folder), TMPDIR=str(folder))
        service = Production(f"http://localhost:{port}", environment, programs_of(folder, environment))
        try:
            service.start()
            yield service
        finally:
            service.end()


def settings_of(port: int, database_url: str, redis_url: str, **more: str) -> dict[str, str]:
    """What a deployment on this machine is told, and what ``more`` says otherwise."""
    return {
        "DATABASE_URL": database_url, "REDIS_URL": redis_url, "BASE_URL": f"http://localhost:{port}",
        "SECRET_KEY": "the-journeys-own-secret-key-guards-nothing", "ALLOWED_HOSTS": "localhost",
        "PORT": str(port), "BIND": "127.0.0.1", "WEB_WORKERS": "1", "WEBHOOK_LOOPBACK_ALLOWED": "true",
        "NETWORK_PROFILE": "simulated", **more,
    }  # fmt: skip


def programs_of(
    folder: Path, environment: Mapping[str, str], entry: Sequence[str] = ENTRY, home: Path = ROOT
) -> dict[str, Program]:
    """A program of each kind, none of them started."""
    return {
        kind: Program((*entry, *kind.split()), environment, folder / f"{kind.replace(' ', '-')}.log", home=home)
        for kind in KINDS
    }


@contextmanager
def own_database(url: str, name: str) -> Iterator[str]:
    """Why its network is forgotten: what is copied belongs to simulated ones, and a deployment chooses for itself."""
    copy_postgresql(url, name)
    own = on_server(url, name)
    with psycopg.connect(own, autocommit=True) as connection:
        connection.execute("DELETE FROM chains_networkprofile")
    with dropped_after(url, name):
        yield own


@contextmanager
def empty_database(url: str, name: str) -> Iterator[str]:
    """One without any table, as an operator makes it before the first start."""
    with psycopg.connect(on_server(url, "postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    with dropped_after(url, name):
        yield on_server(url, name)


@contextmanager
def dropped_after(url: str, name: str) -> Iterator[None]:
    """Take the database away when the block is over, whoever is still connected."""
    try:
        yield
    finally:
        with psycopg.connect(on_server(url, "postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def own_redis(url: str) -> str:
    own = urlsplit(url)._replace(path=f"/{FIRST_OWN_REDIS_DATABASE + own_number()}").geturl()
    with redis.Redis.from_url(own) as client:
        client.flushdb()
    return own
