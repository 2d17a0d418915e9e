"""The engines beside the service: PostgreSQL on a disk of its own where that can be had, Redis, HAProxy, Prometheus."""

import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import psycopg

from scripts.cluster import hosts
from scripts.cluster.engines import ENVIRONMENT
from scripts.cluster.programs import STOP_SECONDS, Program, Supervisor
from scripts.day import places, prometheus
from scripts.service_process import private_folder, unprivileged_user
from scripts.with_services import ROLE, find_postgres_programs, initialise_cluster, redis_answers

DISK, DISK_SIZE = "disk", "700m"
STARTS_SECONDS = 60
OWNER = "service"
"""The service's own role. Why no superuser: those have connections that are kept for them."""
SETTINGS = (
    f"port={places.POSTGRES_PORT}", f"listen_addresses={places.LOCAL}", "unix_socket_directories=", "timezone=UTC",
    "max_connections=120", "shared_buffers=128MB", "max_wal_size=256MB",
)  # fmt: skip


@contextmanager
def own_disk(folder: Path) -> Iterator[bool]:
    """A small file system at a folder while the block runs, so that it can be filled; whether it could be had."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE},mode=755", "tmpfs", str(folder)]
    is_own = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield is_own
    finally:
        if is_own:
            subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


def clear(folder: Path) -> None:
    """Take away what a run left there, its disk too where it was killed."""
    if os.path.ismount(folder / DISK):
        subprocess.run(["umount", "--lazy", str(folder / DISK)], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o711)


@dataclass(frozen=True, kw_only=True)
class Engines:
    """All of them, by a supervisor. ``disk``: where PostgreSQL keeps everything."""

    folder: Path
    disk: Path
    supervisor: Supervisor
    is_patient: bool = True
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @property
    def database_url(self) -> str:
        """For the service, as the owner of its tables."""
        return f"postgres://{OWNER}:{self.password}@{places.LOCAL}:{places.POSTGRES_PORT}/{OWNER}"

    @property
    def redis_url(self) -> str:
        """For the service."""
        return f"redis://{places.LOCAL}:{places.REDIS_PORT}/0"

    @property
    def postgresql(self) -> Program:
        """The program, to be stopped."""
        return self.supervisor.programs["postgresql"]

    @property
    def redis(self) -> Program:
        """The program, to be stopped."""
        return self.supervisor.programs["redis"]

    def superuser(self, database: str = OWNER) -> "psycopg.Connection[tuple[object, ...]]":
        """A person's own connection, past the service."""
        url = f"postgres://{ROLE}:{self.password}@{places.LOCAL}:{places.POSTGRES_PORT}/{database}"
        return psycopg.connect(url, autocommit=True, connect_timeout=5)

    def start(self) -> None:
        """Start PostgreSQL with an empty database, and Redis. Raises: ServiceError."""
        programs, user = find_postgres_programs(), unprivileged_user("postgres")
        kept = private_folder(self.disk, "postgres", user)
        initialise_cluster(programs, kept, user, self.password)
        options = [part for setting in SETTINGS for part in ("-c", setting)]
        self._add("postgresql", [str(programs / "postgres"), "-D", str(kept / "cluster"), *options], kept, user)
        self.supervisor.until(self.is_database_up, "PostgreSQL", STARTS_SECONDS)
        with self.superuser("postgres") as database:
            database.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{self.password}'".encode())
            database.execute(f"CREATE DATABASE {OWNER} OWNER {OWNER}".encode())
        user = unprivileged_user("redis")
        kept = private_folder(self.folder, "redis", user)
        given = ["--port", str(places.REDIS_PORT), "--bind", places.LOCAL, "--save", "", "--appendonly", "no"]
        self._add("redis", [str(shutil.which("redis-server")), *given], kept, user)
        self.supervisor.until(lambda: redis_answers(places.REDIS_PORT), "Redis", STARTS_SECONDS)

    def start_front(self) -> None:
        """Start the HAProxy that everybody asks, and the Prometheus that asks the metrics' program."""
        nodes = "\n".join(f"    server {name} {at}:{hosts.WEB_PORT} check" for name, at in hosts.NODES.items())
        given = {"front": f"{hosts.FRONT}:{hosts.WEB_PORT}", "nodes": nodes}
        settings = self.folder / "haproxy.cfg"
        settings.write_text(Template((Path(__file__).parent / "haproxy.cfg").read_text()).substitute(given))
        self._add("haproxy", ["haproxy", "-db", "-f", str(settings)], self.folder, None)
        kept = self.folder / "prometheus"
        kept.mkdir()
        ports = (places.PROMETHEUS_PORT, places.METRICS_PORT)
        self._add("prometheus", prometheus.configured(kept, *ports, is_patient=self.is_patient), kept, None)

    def is_database_up(self) -> bool:
        """Whether it can be asked."""
        try:
            self.superuser("postgres").close()
        except psycopg.Error:
            return False
        return True

    def _add(self, name: str, command: Sequence[str], kept: Path, user: str | None) -> None:
        log = self.folder / f"{name}.log"
        self.supervisor.add(
            Program(name=name, command=command, log=log, environment=ENVIRONMENT, user=user, folder=kept)
        )


def end_by(program: Program, number: signal.Signals) -> None:
    """Have a program end by a signal, and nobody start it again."""
    program.is_wanted = False
    if program.process is not None:
        program.process.send_signal(number)
        program.process.wait(STOP_SECONDS)
