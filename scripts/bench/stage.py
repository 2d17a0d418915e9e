"""What the measurements play on: a fresh database with the service's tables, a merchant, the web server.

Must not know what is measured. The database is dropped when the run ends.
"""

import hashlib
import http.client
import json
import os
import secrets
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from scripts.service_process import HOST, running

ROOT = Path(os.environ.get("BENCH_CHECKOUT") or Path(__file__).resolve().parents[2])
"""Whose service is measured: this checkout's, or that of an earlier revision."""
WEB_WORKERS = 2
INTENTS = 10_000


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Where everything is, and who asks."""

    database_url: str
    folder: Path
    merchant_id: int
    credential: str
    live_credential: str


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """Make a database of this run's own beside the one the address names, and drop it at the end."""
    name = f"causeway_bench_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def environment(database_url: str, redis_url: str, folder: Path) -> dict[str, str]:
    """The service's settings: production's, but for rate limits and receivers on this machine."""
    return {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": HOST,
        "BASE_URL": f"http://{HOST}",
        "RATE_LIMIT_SCALE": "1000000",
        "NETWORK_PROFILE": "simulated",
        "WEBHOOK_LOOPBACK_ALLOWED": "true",
        "LOG_LEVEL": "WARNING",
        "LOCAL_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }


def set_up(database_url: str, folder: Path) -> Stage:
    """Make the tables and a merchant; the rest of the environment is set already."""
    at_this = {"DATABASE_URL": database_url}
    manage(at_this, "migrate", "--verbosity", "0")
    manage(at_this, "collectstatic", "--noinput", "--verbosity", "0")
    owner = ("--name", "Bench", "--email", "bench@shop.example")
    made = json.loads(manage(at_this, "create_merchant", *owner, "--json"))
    return Stage(
        database_url=database_url,
        folder=folder,
        merchant_id=made["merchant_id"],
        credential=made["test_secret_key"],
        live_credential=made["live_secret_key"],
    )


def add_intents(stage: Stage) -> None:
    """Make the intents that are asked for over HTTP, and the list of their ids."""
    with psycopg.connect(stage.database_url, autocommit=True) as database:
        several = psycopg.ClientCursor(database)  # which may send several statements at once
        several.execute(read_sql("intents.sql"), {"merchant_id": stage.merchant_id, "intents": INTENTS})
        database.execute(read_sql("floor.sql"))
        database.execute("VACUUM ANALYZE")
    (stage.folder / "ids").write_text("\n".join(str(intent_id(number)) for number in range(1, INTENTS + 1)))


def read_sql(name: str) -> str:
    """One script of ``sql/``."""
    return (Path(__file__).parent / "sql" / name).read_text()


def manage(extra: Mapping[str, str], *arguments: str) -> str:
    """Run one command of manage.py in this environment with something changed; what it prints."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    given = {**os.environ, **extra}
    return subprocess.run(command, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True, check=True).stdout


def intent_id(number: int) -> uuid.UUID:
    """The id of a generated intent: every program that knows the number can compute it."""
    return uuid.UUID(hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest())


def web_command(port: int | str) -> list[str]:
    """What starts the web server on this port."""
    return ["env", f"PORT={port}", f"WEB_WORKERS={WEB_WORKERS}", str(ROOT / "scripts" / "container.sh"), "web"]


@contextmanager
def web_server(folder: Path) -> Iterator[str]:
    """Run the web server as the container image does; yields its address."""

    with running(web_command, is_healthy, log=folder / "web.log", user=None) as port:
        yield f"http://{HOST}:{port}"


@contextmanager
def best_server(folder: Path) -> Iterator[str]:
    """Run the shape that create is compared with, on as many processes; yields its address."""

    def command_for(port: int) -> list[str]:
        program = [
            "env",
            f"PYTHONPATH={ROOT}",
            "granian",
            "--interface",
            "wsgi",
            "--http",
            "1",
            "--no-ws",
            "--host",
            HOST,
            "--port",
            str(port),
        ]
        return [*program, "--workers", str(WEB_WORKERS), "--blocking-threads", "1", "scripts.bench.best:application"]

    with running(command_for, answers, log=folder / "best.log", user=None) as port:
        yield f"http://{HOST}:{port}"


def answers(port: int) -> bool:
    """Tell whether anybody answers on this port."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        return bool(connection.getresponse().status)
    except OSError:
        return False
    finally:
        connection.close()


def is_healthy(port: int) -> bool:
    """Tell whether the service on this port says that it is well."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/api/public/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()
