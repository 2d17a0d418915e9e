"""How each engine is started: its settings from a template, its folder, its user, its program."""

import json
import os
import shutil
import signal
import socket
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from string import Template

from scripts.cluster import hosts
from scripts.cluster.programs import Program, Supervisor, descendants
from scripts.service_process import ServiceError, private_folder, unprivileged_user
from scripts.with_services import find_postgres_programs

TEMPLATES = Path(__file__).parent / "templates"
CONTROL = "control.sock"
STARTS_SECONDS = 90
PORTS = {name.lower(): str(getattr(hosts, name)) for name in dir(hosts) if name.endswith("_PORT")}
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
"""Why so little: what this program was started with must reach no engine."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where everything is kept, and the one password of this play."""

    folder: Path
    password: str


def start_keepers(place: Place, supervisor: Supervisor) -> None:
    """Start three etcds, which know from the start who the others are."""
    members = ",".join(f"{name}=http://{address}:{hosts.ETCD_PEER_PORT}" for name, address in hosts.KEEPERS.items())
    for name, address in hosts.KEEPERS.items():
        user = unprivileged_user("etcd")
        folder = private_folder(place.folder, f"etcd-{name}", user)
        at, of_peers = (f"http://{address}:{port}" for port in (hosts.ETCD_PORT, hosts.ETCD_PEER_PORT))
        command = [
            *("etcd", "--name", name, "--data-dir", str(folder / "data"), "--initial-cluster", members),
            *("--listen-client-urls", at, "--advertise-client-urls", at, "--listen-peer-urls", of_peers),
            *("--initial-advertise-peer-urls", of_peers, "--initial-cluster-state", "new"),
            # Why slower than usual: all of this shares one disk, and a vote for each slow write would end no quarrel.
            *("--heartbeat-interval", "500", "--election-timeout", "5000"),
        ]
        supervisor.add(_program(place, f"etcd-{name}", command, user, folder))
    supervisor.until(is_etcd_whole, "etcd", STARTS_SECONDS)


def etcd_leader() -> str | None:
    """The keeper whose etcd leads, by its own word. Source: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/."""
    for name, address in hosts.KEEPERS.items():
        url = f"http://{address}:{hosts.ETCD_PORT}/v3/maintenance/status"
        try:
            with urllib.request.urlopen(url, data=b"{}", timeout=2) as answer:  # noqa: S310 - our own addresses
                status = json.load(answer)
        except OSError:
            continue
        if status["leader"] == status["header"]["member_id"]:
            return name
    return None


def is_etcd_whole() -> bool:
    """Whether every etcd answers, and knows of a leader."""
    return all(_answers(f"http://{address}:{hosts.ETCD_PORT}/health") for address in hosts.KEEPERS.values())


def start_databases(place: Place, supervisor: Supervisor) -> None:
    """Start a PostgreSQL under Patroni on each machine; returns when one follows the other, and all it gets."""
    etcds = ",".join(f"{address}:{hosts.ETCD_PORT}" for address in hosts.KEEPERS.values())
    for name, address in hosts.DATABASES.items():
        user = unprivileged_user("postgres")
        folder = private_folder(place.folder, name, user)
        given = {"name": name, "address": address, "etcds": etcds, "programs": str(find_postgres_programs())}
        settings = _settings(place, "patroni.yml", folder, user, **given)
        supervisor.add(_program(place, name, ["patroni", str(settings)], user, folder))
        supervisor.until(lambda: role_of("primary"), "a PostgreSQL that leads", STARTS_SECONDS)
    supervisor.until(lambda: role_of("sync"), "a synchronous standby", STARTS_SECONDS)


def role_of(role: str) -> str | None:
    """Which database machine has a role now, by the word of its Patroni: ``primary``, or ``sync`` for the standby."""
    names = (name for name, at in hosts.DATABASES.items() if _answers(f"http://{at}:{hosts.PATRONI_PORT}/{role}"))
    return next(names, None)


def kill_postgres(place: Place, name: str) -> None:
    """``kill -9`` of all processes of PostgreSQL on a machine, if it runs. Why not by Patroni's: it is nobody's child.

    Why its command is read: the file may name a process that ended, whose number somebody else has by now.
    """
    data = place.folder / name / "data"
    try:
        postmaster = int((data / "postmaster.pid").read_text().split()[0])
        command = Path(f"/proc/{postmaster}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return
    if str(data).encode() not in command:
        return
    for pid in [postmaster, *descendants(postmaster)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def start_redises(place: Place, supervisor: Supervisor) -> None:
    """Start a Redis that leads and one that follows, and the three Sentinels that watch them."""
    leader, leads_at = next(iter(hosts.REDISES.items()))
    user = unprivileged_user("redis")
    for name, address in hosts.REDISES.items():
        folder = private_folder(place.folder, name, user)
        role = "" if name == leader else f"replicaof {leads_at} {hosts.REDIS_PORT}"
        settings = _settings(place, "redis.conf", folder, user, address=address, role=role)
        supervisor.add(_program(place, name, ["redis-server", str(settings)], user, folder))
        supervisor.until(lambda at=address: _listens(at, hosts.REDIS_PORT), name, STARTS_SECONDS)  # type: ignore[misc]  # mypy cannot infer lambda defaults
    for keeper, address in hosts.KEEPERS.items():
        folder = private_folder(place.folder, f"sentinel-{keeper}", user)
        settings = _settings(place, "sentinel.conf", folder, user, address=address, leader=leads_at)
        command = ["redis-server", str(settings), "--sentinel"]
        supervisor.add(_program(place, f"sentinel-{keeper}", command, user, folder))


def redis_leader() -> str | None:
    """Which Redis leads, by the word of the first Sentinel that answers."""
    for address in hosts.KEEPERS.values():
        said = _said(address, hosts.SENTINEL_PORT, "SENTINEL get-master-addr-by-name causeway")
        names = (name for name, at in hosts.REDISES.items() if at in said)
        if name := next(names, None):
            return name
    return None


def start_front(place: Place, supervisor: Supervisor) -> None:
    """Start two HAProxies, what moves the address between them, and a PgBouncer on each machine of the service."""
    for name in hosts.FRONTS:
        user = unprivileged_user("haproxy")
        folder = private_folder(place.folder, name, user)
        settings = _settings(place, "haproxy.cfg", folder, user, **haproxy_parts(place))
        supervisor.add(_program(place, name, ["haproxy", "-db", "-f", str(settings)], user, folder))
        supervisor.until(control_of(place, name).exists, name, STARTS_SECONDS)
    supervisor.add(Program.of_ours("address", "scripts.cluster.address", [str(place.folder)], place.folder))
    for name, address in hosts.NODES.items():
        user = unprivileged_user("postgres")
        folder = private_folder(place.folder, f"pgbouncer-{name}", user)
        _write(folder / "users.txt", f'"causeway" "{place.password}"\n', user)
        settings = _settings(place, "pgbouncer.ini", folder, user, address=address)
        supervisor.add(_program(place, f"pgbouncer-{name}", ["pgbouncer", str(settings)], user, folder))
        supervisor.until(lambda at=address: _listens(at, hosts.PGBOUNCER_PORT), "PgBouncer", STARTS_SECONDS)  # type: ignore[misc]  # mypy cannot infer lambda defaults


def control_of(place: Place, front: str) -> Path:
    """Where an HAProxy takes commands."""
    return place.folder / front / CONTROL


def haproxy_parts(place: Place) -> dict[str, str]:
    """What HAProxy's settings have once for each machine."""
    choices, backends = [], []
    for name, address in hosts.REDISES.items():
        choices.append(f"    use_backend {name} if {{ nbsrv(says_{name}) ge 2 }}")
        backends += [
            f"backend {name}",
            "    mode tcp",
            "    timeout server 1h",
            "    option tcp-check",
            f'    tcp-check send "AUTH {place.password}\\r\\nINFO replication\\r\\n"',
            "    tcp-check expect string role:master",
            "    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
            f"    server {name} {address}:{hosts.REDIS_PORT} check",
            "",
            f"backend says_{name}",
            "    mode tcp",
            "    option tcp-check",
            '    tcp-check send "SENTINEL get-master-addr-by-name causeway\\r\\n"',
            f"    tcp-check expect string {address}",
            *(
                f"    server {keeper} {at}:{hosts.SENTINEL_PORT} check inter 1s fall 1 rise 1"
                for keeper, at in hosts.KEEPERS.items()
            ),
            "",
        ]
    databases = (
        f"    server {name} {address}:{hosts.POSTGRES_PORT} check port {hosts.PATRONI_PORT}"
        for name, address in hosts.DATABASES.items()
    )
    nodes = (f"    server {name} {address}:{hosts.WEB_PORT} check" for name, address in hosts.NODES.items())
    parts = {"databases": databases, "nodes": nodes, "redis_choices": choices, "redis_backends": backends}
    return {part: "\n".join(lines) for part, lines in parts.items()}


def _settings(place: Place, template: str, folder: Path, user: str | None, **more: str) -> Path:
    """A program's settings, written down where its user alone reads them."""
    given = {"front": hosts.FRONT, "folder": str(folder), "password": place.password, **PORTS, **more}
    text = Template((TEMPLATES / template).read_text()).substitute(given)
    return _write(folder / template, text, user)


def _write(file: Path, text: str, user: str | None) -> Path:
    file.touch(mode=0o600)
    file.write_text(text)
    if user:
        shutil.chown(file, user)
    return file


def _program(place: Place, name: str, command: list[str], user: str | None, folder: Path) -> Program:
    found = shutil.which(command[0], path=ENVIRONMENT["PATH"])
    if found is None:
        raise ServiceError(f"{command[0]} is not installed: run make cluster, or scripts/install-packages.sh cluster.")
    log = place.folder / f"{name}.log"
    return Program(name=name, command=[found, *command[1:]], log=log, environment=ENVIRONMENT, user=user, folder=folder)


def _answers(url: str) -> bool:
    """Whether somebody answers with a success."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - our own addresses
            return bool(answer.status == 200)  # noqa: PLR2004 - a status of HTTP
    except OSError:
        return False


def _listens(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex((address, port)) == 0


def _said(address: str, port: int, question: str) -> str:
    """What a Redis or Sentinel answers; nothing where it does not."""
    try:
        with socket.create_connection((address, port), timeout=2) as connection:
            connection.sendall(f"{question}\r\n".encode())
            return connection.recv(4096).decode(errors="replace")
    except OSError:
        return ""


def redis_follows(place: Place) -> bool:
    """Whether the Redis that leads is followed."""
    leader = redis_leader()
    at = hosts.REDISES[leader] if leader else ""
    return "connected_slaves:1" in _said(at, hosts.REDIS_PORT, f"AUTH {place.password}\r\nINFO replication")
