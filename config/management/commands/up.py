"""``manage.py up``: the whole service on one machine, from nothing, with one command."""

import fcntl
import http.client
import os
import socket
import sys
import time
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, connections

from config.demo_merchant import demo_file, ensure_demo_merchant, open_demo_shop, read_demo_file
from config.network_profile import fix_network_profile, refuse_foreign_network
from config.older_database import keep_copy, name_copy, refuse_newer
from config.structure import is_new, lay_tables
from core.migrated import missing_migrations
from core.models import Heartbeat
from operations.supervisor import run_in_child, works

LOOK_SECONDS = 0.02


class Command(BaseCommand):
    """Makes the tables and a demo merchant, then serves until Ctrl-C. ``manage.py`` has a supervisor look after it."""

    help = "Serve everything on this machine: pages, API and clock, on SQLite. For production see README.md."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The port, which ``manage.py`` reads before there are settings."""
        parser.add_argument("--port", type=int, default=settings.PORT, help="port on this machine (default 8000)")

    def handle(self, *_: object, **options: Any) -> None:
        """Prepare, announce, and stay."""
        if not settings.EMBEDDED:
            raise CommandError(
                "up runs the embedded default only. DATABASE_URL is set: start web, worker and beat as README.md says."
            )
        os.umask(0o077)  # customers' data and, in clear, sessions are nobody else's on this machine
        settings.LOCAL_DIR.mkdir(parents=True, exist_ok=True)
        lock = _hold_lock()
        _refuse_port_in_use(settings.PORT)
        _prepare()
        with ThreadPoolExecutor(1) as beside:  # hashing a password takes a third of a first start, and no interpreter
            demo = beside.submit(_make_demo)
            import_module(settings.ROOT_URLCONF)
            from config.asgi import application  # noqa: PLC0415  Why: it looks into the database.
            from config.serving import serve  # noqa: PLC0415  Why: what a refusal does not need.

            demo.result()
        serve(application, self._announce_when_ready)
        lock.close()

    def _announce_when_ready(self) -> None:
        while not _answers():
            time.sleep(LOOK_SECONDS)
        while not _is_ready():
            time.sleep(LOOK_SECONDS)
        connections.close_all()
        self.stdout.write(panel(read_demo_file(), to_person=sys.stdout.isatty()))
        self.stdout.flush()
        works()


def panel(kept: dict[str, str], *, to_person: bool) -> str:
    """What a newcomer needs to see: where things are, and one line to try.

    ``to_person``: on a terminal, in colour, with the key and the password. A log is kept, and is told where they are.
    """
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if to_person else ("", "", "")
    base, file = kept["base_url"], os.path.relpath(demo_file())
    key = kept["test_secret_key"] if to_person else "$KEY"
    password = kept["merchant_password"] if to_person else f"password in {file}"
    curl = (
        f"curl {base}/api/public/v1/payment-intents \\\n"
        f'    -H "Authorization: Bearer {key}" \\\n'
        "    -H 'Content-Type: application/json' -d '{\"amount\": 25}'"
    )
    rows = (
        ("Shop", f"{base}/demo/", "buy something with play money"),
        ("Dashboard", kept["dashboard_url"], f"{kept['merchant_email']}  {password}"),
        ("Docs", f"{base}/docs/", "begin with the quickstart"),
        ("API", f"{base}/api/docs/", f"keys are in {file}"),
    )
    lines = [f"  {name:<11}{bold}{address:<36}{plain} {dim}{note}{plain}" for name, address, note in rows]
    return "\n".join(
        ["", f"  {bold}Causeway is running.{plain} {dim}Ctrl-C stops it.{plain}", "", *lines, "", f"  {curl}", ""]
    )


def _hold_lock() -> Any:
    """The lock that a second ``up`` on the same data cannot get. Raises: CommandError."""
    lock = (settings.LOCAL_DIR / "up.lock").open("w")
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CommandError(f"Causeway is already running on the data in {settings.LOCAL_DIR}.") from error
    return lock


def _refuse_port_in_use(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen(1)
        except OSError as error:
            raise CommandError(
                f"Port {port} is already in use on this machine. Choose another one: make run PORT={port + 1000}"
            ) from error


def _prepare() -> None:
    """Bring the database up to date."""
    try:
        refuse_newer()
        refuse_foreign_network()
        _bring_tables_up_to_date()
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from None
    fix_network_profile()
    Heartbeat.objects.all().delete()  # of a process that has ended


def _make_demo() -> None:
    try:
        ensure_demo_merchant()
        open_demo_shop()
    finally:
        connections.close_all()


def _bring_tables_up_to_date() -> None:
    """Lay new ones, or migrate in a process of its own. Why by the names alone: Django's look takes half a second."""
    if is_new(connection):
        lay_tables(connection)
        emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    if missing_migrations():
        connections.close_all()
        copy = keep_copy(settings.DATABASES["default"]["NAME"])
        if not run_in_child(lambda: call_command("migrate", verbosity=0, interactive=False)):
            raise CommandError(f"The database could not be made ready; the reason is above. As it was: {copy}")
        name_copy()


def _answers() -> bool:
    """Whether the web answers. Why not whether it is ready: that is counted by address, and a look every moment would
    spend a minute's questions of everybody on this machine.
    """
    web = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=2)
    try:
        web.request("GET", "/api/public/health", headers={"Host": "localhost"})
        return web.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        web.close()


def _is_ready() -> bool:
    """Whether everything works but what is read of chains. Why: a node that is away is nothing to wait for here."""
    from operations.readiness import checks_of_readiness  # noqa: PLC0415  Why: what a refusal does not need.

    checks = checks_of_readiness()
    return all(check["status"] == "ok" for name, check in checks.items() if not name.startswith("reader."))
