"""Starts the production form on this machine as the container image does, and runs its commands."""

import json
import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.cluster import hosts, live
from scripts.cluster.programs import ROOT, Program, Supervisor
from scripts.cluster.service import answer_of
from scripts.service_process import ServiceError

READINESS = "/api/public/health/ready"
KINDS = ("web", "worker money", "worker delivery", "worker upkeep", "worker reader", "beat")
WEB_WORKERS = 2
STARTS_SECONDS = 300
SEND = "from config.celery import app; [app.send_task(name, expires=600) for name in {names!r}]"
SELDOM = (
    "from config.schedule import SCHEDULE; import json;"
    "print(json.dumps([name for name, turn in SCHEDULE.items() if turn.every >= 60]))"
)


@dataclass(frozen=True, kw_only=True)
class Form:
    """Web, a worker of each kind and the clock, over a database, a Redis and a chain of this machine."""

    database_url: str
    redis_url: str
    folder: Path
    supervisor: Supervisor
    secret: str = secrets.token_urlsafe(48)

    def start(self) -> None:
        """Make the tables, start every program; returns when the service is ready. Raises: ServiceError."""
        self.supervisor.add(Program.of_ours("chain", "scripts.cluster.live", ["node"], self.folder))
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")
        for kind in KINDS:
            self.supervisor.add(self.program(kind))
        self.supervisor.until(lambda: not self.unready(), "readiness", STARTS_SECONDS)

    def program(self, kind: str, node: str = "", **more: str) -> Program:
        """One program of the service, as the container image starts it. ``node``: beside the first of its kind."""
        command = ("sh", str(ROOT / "scripts" / "container.sh"), *kind.split())
        name = f"{kind.replace(' ', '-')}{node}"
        environment = {**self.environment(), **more}
        return Program(name=name, command=command, log=self.folder / f"{name}.log", environment=environment)

    @property
    def asked(self) -> str:
        """The address of a web that is asked for readiness."""
        return hosts.FRONT

    def unready(self) -> dict[str, str]:
        """What the service says is not well, and how; all of it where nobody answers."""
        status, text = answer_of(self.asked, READINESS)
        try:
            checks = json.loads(text)["checks"]
        except (ValueError, KeyError):
            return {"web": f"answered {status}"}
        return {name: str(check) for name, check in checks.items() if check["status"] != "ok"}

    def new_merchant(self, name: str = "shop") -> dict[str, Any]:
        """A merchant; its keys and its owner's password."""
        given = ("--name", name, "--email", f"owner@{name}.example", "--json")
        made: dict[str, Any] = json.loads(self.manage("create_merchant", *given))
        return made

    def pay_out(self, merchant: dict[str, Any]) -> None:
        """From now on a merchant is paid out whenever a payment of test mode settles."""
        self.manage("set_payout_at_settle", "--merchant", str(merchant["merchant_id"]), "--mode", "test", "--on")

    def seldom(self) -> list[str]:
        """The names of what the clock asks for once a minute or more seldom."""
        names: list[str] = json.loads(self.manage("shell", "-c", SELDOM).splitlines()[-1])
        return names

    def ask_for(self, names: list[str]) -> None:
        """Send what the clock would send within the hour, to the workers that do it."""
        self.manage("shell", "-c", SEND.format(names=names))

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; what it prints. Raises: ServiceError."""
        return self.run("manage.py", *arguments)

    def run(self, *arguments: str) -> str:
        """Run a program of this repository with the service's settings; what it prints. Raises: ServiceError."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceError(f"{' '.join(arguments)[:200]}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def environment(self) -> dict[str, str]:
        """The settings of every program."""
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", "/"),
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "SECRET_KEY": self.secret,
            "BASE_URL": f"http://localhost:{hosts.WEB_PORT}",
            "ALLOWED_HOSTS": f"localhost,{hosts.FRONT}",
            "BIND": hosts.FRONT,
            "PORT": str(hosts.WEB_PORT),
            "WEB_WORKERS": str(WEB_WORKERS),
            "RATE_LIMIT_SCALE": "100000",
            "WEBHOOK_LOOPBACK_ALLOWED": "true",
            "UNFINALIZED_CAP_USD": "1000000",
            "LOG_LEVEL": "WARNING",
            "LOCAL_DIR": str(self.folder),
            "TMPDIR": str(self.folder),
            **self.network(),
        }

    def network(self) -> dict[str, str]:
        """The settings that say which chains there are."""
        return live.settings()
