"""The service itself: how its programs are started on each node, and its commands."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from scripts.cluster import hosts
from scripts.cluster.engines import STARTS_SECONDS, Place
from scripts.cluster.programs import ROOT, Program, Supervisor
from scripts.service_process import ServiceError

HEALTH, READINESS = "/api/public/health", "/api/public/health/ready"
ON_NODES = {
    "node1": ("web", "worker money", "beat"),
    "node2": ("web", "worker money", "worker delivery", "worker upkeep", "worker reader"),
}
"""Web and a worker for money on both, one of each other kind. Any number of each is safe; elsewhere have two."""
BASE_URL = f"http://localhost:{hosts.WEB_PORT}"


class Service:
    """Web on two nodes, a worker of each kind, a clock. ``version``: the settings that its programs start with."""

    def __init__(self, place: Place, supervisor: Supervisor, **more: str) -> None:
        self._place, self.supervisor, self._more = place, supervisor, more
        self.version = "config.settings"
        self.readiness = ""

    @property
    def leader_url(self) -> str:
        """The database, past the pool: for migrations, and for whoever looks."""
        return f"postgres://causeway:{self._place.password}@{hosts.FRONT}:{hosts.POSTGRES_PORT}/causeway"

    def lay_tables(self) -> None:
        """Make the database, its role and its tables."""
        superuser = f"host={hosts.FRONT} port={hosts.POSTGRES_PORT} user=postgres dbname=postgres connect_timeout=5"
        with psycopg.connect(f"{superuser} password={self._place.password}", autocommit=True) as database:
            database.execute(f"CREATE ROLE causeway LOGIN PASSWORD '{self._place.password}'")
            database.execute("CREATE DATABASE causeway OWNER causeway")
        self.manage("migrate", "--verbosity", "0")

    def start(self) -> None:
        """Start every program; returns when the service says that it is ready."""
        for node, kinds in ON_NODES.items():
            for kind in kinds:
                self.supervisor.add(self.program(node, kind))
        self.supervisor.until(self.is_ready, "readiness", STARTS_SECONDS)

    def program(self, node: str, kind: str) -> Program:
        """One program of the service on a node, by the version of now."""
        name = f"{kind.replace(' ', '-')}-{node}"
        command = ("sh", str(ROOT / "scripts" / "container.sh"), *kind.split())
        log = self._place.folder / f"{name}.log"
        return Program(name=name, command=command, log=log, environment=self._environment(node))

    def _environment(self, node: str) -> dict[str, str]:
        address, password = hosts.NODES[node], self._place.password
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", "/"),
            "DJANGO_SETTINGS_MODULE": self.version,
            "DATABASE_URL": f"postgres://causeway:{password}@{address}:{hosts.PGBOUNCER_PORT}/causeway",
            "DATABASE_POOLED": "true",
            "REDIS_URL": f"redis://:{password}@{hosts.FRONT}:{hosts.REDIS_PORT}/0",
            "SECRET_KEY": f"guards-nothing-{password}-guards-nothing",
            "BASE_URL": BASE_URL,
            "ALLOWED_HOSTS": "localhost",
            "BEHIND_PROXY": "true",
            "BIND": address,
            "PORT": str(hosts.WEB_PORT),
            "WEB_WORKERS": "1",
            "RATE_LIMIT_SCALE": "1000",
            "WEBHOOK_LOOPBACK_ALLOWED": "true",
            "LOG_LEVEL": "WARNING",
            "LOCAL_DIR": str(self._place.folder),
            "TMPDIR": str(self._place.folder),
            **self._more,
        }

    def manage(self, *arguments: str, pooled: bool = False) -> str:
        """Run a command of manage.py as the first node would, by default past the pool; what it prints.

        Raises: ServiceError.
        """
        direct = {} if pooled else {"DATABASE_URL": self.leader_url, "DATABASE_POOLED": "false"}
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        given = self._environment("node1") | direct
        done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"manage.py {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def keys(self) -> dict[str, Any]:
        """A new merchant's keys."""
        made: dict[str, Any] = json.loads(
            self.manage("create_merchant", "--name", "Shop", "--email", "owner@shop.example", "--json")
        )
        return made

    def is_ready(self) -> bool:
        """Whether the service as a whole says so, through its one address."""
        status, self.readiness = answer_of(hosts.FRONT, READINESS)
        return status == http.client.OK


def asked(address: str, path: str) -> int:
    """The status that is answered at an address; 0 for none."""
    return answer_of(address, path)[0]


def answer_of(address: str, path: str) -> tuple[int, str]:
    """Status and text of an answer; 0 and nothing where there is none."""
    connection = http.client.HTTPConnection(address, hosts.WEB_PORT, timeout=5)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{hosts.WEB_PORT}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
