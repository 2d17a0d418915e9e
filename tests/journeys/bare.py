"""The production form as docs/install.md has it: a tree of files, unit files that start its programs, a proxy in front.

No systemd runs here: each program is started by its unit's command in its unit's environment, and ended as it says.
"""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.suite.steps import ROOT
from tests.architecture.test_image import let_in
from tests.deploy.test_units import PROXY
from tests.deploy.units import HOME, LONG_LIVED, SETTINGS, UNITS, settings_in, unit
from tests.journeys.http_caller import API, Answer, Caller, Unreachable, soon
from tests.journeys.production import Production
from tests.journeys.programs import Program, run_to_end
from tests.machine import PATIENCE_SECONDS

HOST = "pay.example.com"
CERTIFICATES = "/etc/ssl/causeway"
WEB_PORT, HTTP_PORT, HTTPS_PORT = 8000, 80, 443
"""What the files in `deploy` say. A test has ports of its own in their place."""
NGINX = """
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
user root;
daemon off;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    include {folder}/nginx-site.conf;
}}
"""
"""What surrounds the site on this machine, where tests write nothing below /var."""


@dataclass(frozen=True, kw_only=True)
class Bare:
    """A host of the service: where its tree and its settings lie."""

    folder: Path

    @property
    def home(self) -> Path:
        """The tree of files, as ``/opt/causeway`` elsewhere."""
        return self.folder / "home"

    def install(self, settings: dict[str, str]) -> None:
        """Lay the tree out, with the interpreter beside it, and the file of settings."""
        for name in let_in((ROOT / ".dockerignore").read_text(encoding="utf-8")):
            source, target = ROOT / name, self.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)
        (self.home / ".venv").symlink_to(sys.prefix)
        (self.folder / "env").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    def command(self, kind: str) -> tuple[str, ...]:
        """What the unit of a program starts, here."""
        return tuple(unit(UNITS[kind]).one("Service", "ExecStart").replace(HOME, str(self.home)).split())

    def environment(self, kind: str) -> dict[str, str]:
        """What the unit gives it: its own, then of its files; a temporary folder, as PrivateTmp makes one."""
        one = unit(UNITS[kind])
        found = {name: value.replace(HOME, str(self.home)) for name, value in one.environment.items()}
        for name in one.says("Service", "EnvironmentFile"):
            path = Path(name.removeprefix("-").replace(SETTINGS, str(self.folder)))
            if path.exists() or not name.startswith("-"):
                found |= settings_in(path)
        return found | {"TMPDIR": str(self.folder), "LOCAL_DIR": str(self.folder / "local")}

    def manage(self, *words: str) -> str:
        """A command of a person at this host, with the settings of ``web``."""
        entry = self.home / "scripts" / "container.sh"
        return run_to_end((str(entry), *words), self.environment("web"))

    def programs(self) -> Production:
        """Every program that stays, none of them started."""
        programs = {
            kind: Program(self.command(kind), self.environment(kind), self.folder / f"{kind.replace(' ', '-')}.log")
            for kind in LONG_LIVED
        }
        return Production(f"https://{HOST}", self.environment("web"), programs, self.command("web")[:1])


def certificate(folder: Path) -> None:
    """A key and a certificate that it signed itself, in the three files that the proxies name."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
         "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", "privkey.pem", "-out", "fullchain.pem"],
        cwd=folder, capture_output=True, check=True,
    )  # fmt: skip
    both = (folder / "fullchain.pem").read_text() + (folder / "privkey.pem").read_text()
    (folder / "causeway.pem").write_text(both)


def configured(folder: Path, name: str, ports: dict[int, int]) -> Path:
    """A file of `deploy/proxy` with this machine's ports and certificate.

    Why without IPv6: not every machine has it. Only root may become somebody else.
    """
    lines = (PROXY / name).read_text(encoding="utf-8").replace(CERTIFICATES, str(folder)).splitlines()
    left_out = ("[::]",) if os.getuid() == 0 else ("[::]", "    user ", "    group ", "    chroot ")
    text = "\n".join(line for line in lines if not any(word in line for word in left_out)) + "\n"
    for port, own in ports.items():
        text = re.sub(rf"((?:listen |bind :|bind |127\.0\.0\.1:)){port}\b", rf"\g<1>{own}", text)
    path = folder / {"nginx.conf": "nginx-site.conf"}.get(name, name)
    path.write_text(text)
    return path


def nginx(folder: Path, ports: dict[int, int]) -> tuple[str, ...]:
    """What starts it; with ``-t`` behind, what checks it."""
    configured(folder, "nginx.conf", ports)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    return ("/usr/sbin/nginx", "-c", str(folder / "nginx.conf"))


def haproxy(folder: Path, ports: dict[int, int]) -> tuple[str, ...]:
    """What starts it; with ``-c`` behind, what checks it."""
    return ("/usr/sbin/haproxy", "-db", "-f", str(configured(folder, "haproxy.cfg", ports)))


@contextmanager
def in_front(command: tuple[str, ...], folder: Path, caller: Caller) -> Iterator[None]:
    """A proxy that runs while the block does, which begins once the service is reached through it."""
    program = Program(command, {"PATH": "/usr/sbin:/usr/bin:/bin"}, folder / f"{Path(command[0]).name}-says.log")
    try:
        program.start()
        soon(lambda: answers(caller), program.command[0])
        yield
    finally:
        program.kill_with_children()


def answers(caller: Caller) -> bool:
    """Whether the service says that it lives."""
    try:
        return caller.get("/api/public/health").status == http.client.OK
    except Unreachable:
        return False


class _Connection(http.client.HTTPSConnection):
    """To a proxy of this machine, asked for the service's own name, from an address of the loopback."""

    def __init__(self, port: int, source: str, trusted: Path) -> None:
        super().__init__(HOST, port, timeout=PATIENCE_SECONDS)
        self._source, self._trusted = source, ssl.create_default_context(cafile=str(trusted))

    def connect(self) -> None:
        """Connect, and see that the certificate is of that name."""
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS, (self._source, 0))
        self.sock = self._trusted.wrap_socket(plain, server_hostname=HOST)


@dataclass(frozen=True, kw_only=True)
class Outside(Caller):
    """Somebody who asks a proxy by TLS from an address of the loopback."""

    port: int
    trusted: Path
    source: str = "127.0.0.1"

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """As any caller does; ``body`` may be bytes, too. Raises: Unreachable."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        sent |= {"Content-Type": "application/json"} if raw else {}
        return self._ask(method, path if path.startswith("/api") else API + path, raw, sent)

    def look(self, page: str) -> Answer:
        """A page, as a browser asks for it. Raises: Unreachable."""
        return self._ask("GET", page, None, {})

    def _ask(self, method: str, path: str, raw: bytes | None, sent: dict[str, str]) -> Answer:
        connection = _Connection(self.port, self.source, self.trusted)
        try:
            connection.request(method, path, raw, {**sent, "Host": HOST})
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(status=answer.status, headers=named, raw=answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{method} {path}: {error}") from error
        finally:
            connection.close()
