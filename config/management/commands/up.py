"""``manage.py up``: the whole service on one machine, from nothing, with one command."""

import fcntl
import http.client
import json
import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config import folder_broker
from config.demo_merchant import demo_file, ensure_demo_merchant, open_demo_shop, read_demo_file
from config.network_profile import fix_network_profile, refuse_foreign_network
from config.signing import environment_for_restart
from core.models import Heartbeat
from operations.supervisor import Program, Supervisor, run_in_child


class Command(BaseCommand):
    """Migrates, makes a demo merchant, and looks after the web server and the worker until Ctrl-C."""

    help = "Serve everything on this machine: web server, worker and clock, on SQLite. For production see README.md."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The port."""
        parser.add_argument("--port", type=int, default=settings.PORT, help="port on this machine (default 8000)")

    def handle(self, *_: object, **options: Any) -> None:
        """Start, announce, and stay."""
        _use_port(options["port"])
        if not settings.EMBEDDED:
            raise CommandError(
                "up runs the embedded default only. DATABASE_URL is set: start web, worker and beat as README.md says."
            )
        os.umask(0o077)  # customers' data and, in clear, sessions are nobody else's on this machine
        settings.LOCAL_DIR.mkdir(parents=True, exist_ok=True)
        lock = _hold_lock()
        _refuse_port_in_use(settings.PORT)
        prepared = run_in_child(_prepare)
        from config.programs import load_everything, run_worker, serve_web  # noqa: PLC0415  Why: while migrating.

        load_everything()
        if not prepared():
            raise CommandError("The database could not be made ready; the reason is above.")
        connections.close_all()
        programs = [Program(name="The web server", run=serve_web), Program(name="The worker", run=run_worker)]
        Supervisor(programs, self._say).run(self._announce_when_ready)
        lock.close()

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)

    def _announce_when_ready(self) -> bool:
        if not _is_ready():
            return False
        self.stdout.write(panel(read_demo_file(), to_person=sys.stdout.isatty()))
        self.stdout.flush()
        return True


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
        ("API", f"{base}/api/docs/", f"keys are in {file}"),
    )
    lines = [f"  {name:<11}{bold}{address:<36}{plain} {dim}{note}{plain}" for name, address, note in rows]
    return "\n".join(
        ["", f"  {bold}Causeway is running.{plain} {dim}Ctrl-C stops it.{plain}", "", *lines, "", f"  {curl}", ""]
    )


def _use_port(port: int) -> None:
    """Begin again with another port. Why: settings are read before a command sees its arguments."""
    if not 1 <= port <= 65535:  # noqa: PLR2004 - the range of TCP ports
        raise CommandError(f"--port must be from 1 to 65535, not {port}.")
    if port != settings.PORT:
        started_with = environment_for_restart() | {"PORT": str(port)}
        os.execve(sys.executable, sys.orig_argv, started_with)  # noqa: S606 - this program again, as it was started


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
    """Bring the database and the broker's folder up to date."""
    try:
        refuse_foreign_network()
        call_command("migrate", verbosity=0, interactive=False)
    except (ImproperlyConfigured, CommandError) as error:
        raise SystemExit(str(error)) from None
    fix_network_profile()
    ensure_demo_merchant()
    open_demo_shop()
    Heartbeat.objects.all().delete()  # of a worker that has ended
    folder_broker.empty(settings.BROKER_DIR)


def _is_ready() -> bool:
    """Whether everything works but what is read of chains. Why: a node that is away is nothing to wait for here."""
    connection = http.client.HTTPConnection("127.0.0.1", settings.PORT, timeout=2)
    try:
        connection.request("GET", "/api/public/health/ready", headers={"Host": "localhost"})
        checks = json.loads(connection.getresponse().read()).get("checks", {})
        ours = [check["status"] for name, check in checks.items() if not name.startswith("reader.")]
        return bool(ours) and set(ours) == {"ok"}
    except (OSError, ValueError):
        return False
    finally:
        connection.close()
