"""Databases with every table and nothing of a merchant, made once for each state of the migrations, and copied.

Why: making the tables takes ten seconds of a processor, and some fifteen processes of a run need them.
Must not import the service: programs that test it from outside copy from here too.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".local" / "templates"
LOCK = 7_204_115
"""Of PostgreSQL: any number that nothing else on the server uses."""
SERVICES = ("DATABASE_URL", "REDIS_URL")
LOADED = ("tokens/sources/bundled.json", "config/structure.sql", "requirements/base.txt")
"""What else tells how a new database looks: the rows that come with it, and the libraries that bring tables."""


def fingerprint(root: Path = ROOT) -> str:
    """Names the state of everything that makes the tables."""
    digest = hashlib.sha256()
    for path in sorted([*root.glob("*/migrations/*.py"), *(root / name for name in LOADED)]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def sqlite_template() -> Path:
    """The file to copy. It belongs to simulated networks for ever."""
    path = FOLDER / f"{fingerprint()}.sqlite3"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            for older in FOLDER.glob("*.sqlite3"):
                older.unlink()
            _make_sqlite(path)
    return path


def _make_sqlite(path: Path) -> None:
    """Why out of the write-ahead mode: a file in that mode cannot be copied into memory."""
    with tempfile.TemporaryDirectory(dir=FOLDER) as name:
        _migrate(LOCAL_DIR=name)
        made = Path(name) / "causeway.sqlite3"
        with closing(sqlite3.connect(made)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        made.rename(path)


def copy_sqlite(target: Path) -> None:
    """Put a fresh database there."""
    shutil.copyfile(sqlite_template(), target)


def copy_postgresql(url: str, name: str) -> None:
    """Make a fresh database of this name on the server of this URL, in the place of one that a killed run left."""
    with _alone(url) as server:
        template = f"template_{fingerprint()}"
        if server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone() is None:
            _make_postgresql(server, url, template)
        _create(server, name, template)


def _make_postgresql(server: psycopg.Connection, url: str, template: str) -> None:
    """Under another name first, so that a run that is killed leaves no half of a template."""
    unfinished = f"{template}_unfinished"
    _create(server, unfinished, "template1")
    _migrate(DATABASE_URL=on_server(url, unfinished), REDIS_URL="redis://127.0.0.1/0")
    server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*map(sql.Identifier, (unfinished, template))))


def _create(server: psycopg.Connection, name: str, template: str) -> None:
    server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (name, template))))


@contextmanager
def _alone(url: str) -> Iterator[psycopg.Connection]:
    """The server, while no other process makes databases from templates there."""
    with psycopg.connect(on_server(url, "postgres"), autocommit=True) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        yield server


def on_server(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def _migrate(**more: str) -> None:
    """In a process of its own, whose settings nothing of this one reaches. Raises: AssertionError with what it said."""
    kept = {name: value for name, value in os.environ.items() if name not in (*SERVICES, "LOCAL_DIR")}
    environment = {**kept, "DJANGO_SETTINGS_MODULE": "config.settings_test", "NETWORK_PROFILE": "simulated", **more}
    command = (sys.executable, "manage.py", "migrate", "--verbosity=0")
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
