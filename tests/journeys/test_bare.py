"""Without containers: unit files and proxies are what their programs take, and the service runs by them."""

import http.client
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.config.test_environment import LONG
from tests.deploy.units import FOLDER, HOME, UNITS
from tests.image.probes import await_story
from tests.journeys import bare
from tests.journeys.bare import HTTP_PORT, HTTPS_PORT, WEB_PORT, Bare, Outside
from tests.journeys.http_caller import Answer, soon
from tests.journeys.production import Production, empty_database, own_redis
from tests.journeys.programs import ROOT, run_to_end
from tests.journeys.recipe import receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port, pause

pytestmark = [pytest.mark.exhaustive, pytest.mark.postgres]
"""Why not every day: they need Debian's nginx, HAProxy and systemd-analyze, which are installed for the whole tier."""

UNITS_OF_DEBIAN = Path("/usr/lib/systemd/system")
MOST_EXPOSED = 20
"""Tenths of what ``systemd-analyze security`` counts: 100 is a program without any limits, below 30 it calls good."""
STANDS_SECONDS = 6
"""Longer than the shortest limit by which a proxy might think that nobody answers."""
PROBES, SOURCE, FORGED = 100, "127.0.0.5", "203.0.113.9"
SEEN = "SELECT address FROM merchants_requestrecord WHERE request_id = %s"
POLICIES = (
    *("content-security-policy", "x-frame-options", "referrer-policy", "strict-transport-security"),
    *("cross-origin-opener-policy", "permissions-policy", "cache-control", "vary"),
)


def analyzed(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", f"--root={folder}", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A root with Debian's own units, ours, and the entry where they look for it."""
    ours = tmp_path / "etc" / "systemd" / "system"
    shutil.copytree(UNITS_OF_DEBIAN, tmp_path / "usr" / "lib" / "systemd" / "system", symlinks=True)
    shutil.copytree(FOLDER, ours)
    entry = tmp_path / HOME.lstrip("/") / "scripts" / "container.sh"
    entry.parent.mkdir(parents=True)
    shutil.copy2(ROOT / "scripts" / "container.sh", entry)
    return tmp_path


def test_systemd_takes_each_unit(host: Path) -> None:
    """And says of none that it may do much."""
    units = ["causeway.target", *UNITS.values()]
    verified = analyzed(host, "verify", "--man=no", *units)
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")
    judged = analyzed(
        host, "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", *list(UNITS.values())
    )
    assert judged.returncode == 0, judged.stdout
    planted = host / "etc" / "systemd" / "system" / "causeway-beat.service"
    planted.write_text(planted.read_text().replace("KillMode=mixed", "KillMode=mixt"))
    assert "kill mode" in analyzed(host, "verify", "--man=no", "causeway-beat.service").stderr


PROXIES = {"nginx": bare.nginx, "haproxy": bare.haproxy}
CHECKED = {"nginx": "-t", "haproxy": "-c"}


@pytest.mark.parametrize("name", PROXIES)
def test_each_proxy_takes_its_file(tmp_path: Path, name: str) -> None:
    bare.certificate(tmp_path)
    command = PROXIES[name](tmp_path, {})
    checked = subprocess.run([*command, CHECKED[name]], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr.lower()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[Production, dict[int, int]]]:
    """All programs of the units, in the order of docs/install.md, and the ports that stand for those of the files."""
    ports = {WEB_PORT: own_port()}
    with empty_database(os.environ["DATABASE_URL"], f"bare_{ports[WEB_PORT]}") as url:
        installed = Bare(folder=tmp_path)
        installed.install(
            {
                "DATABASE_URL": url, "REDIS_URL": own_redis(os.environ["REDIS_URL"]), "BASE_URL": f"https://{bare.HOST}",
                "ALLOWED_HOSTS": bare.HOST, "BEHIND_PROXY": "true", "SECRET_KEY": LONG, "PORT": str(ports[WEB_PORT]),
                "ENCRYPTION_KEYS": f"{LONG} for what is stored", "NETWORK_PROFILE": "simulated", "WEB_WORKERS": "1",
                "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend", "METRICS_PORT": str(own_port()),
                "WEBHOOK_LOOPBACK_ALLOWED": "true",
            }
        )  # fmt: skip
        run_to_end(installed.command("migrate"), installed.environment("migrate"))
        installed.manage("collectstatic", "--noinput", "--ignore", "redoc", "--verbosity", "0")
        running = installed.programs()
        try:
            running.revive()
            yield running, ports
        finally:
            running.end()


def test_it_runs_by_its_units_behind_each_proxy(tmp_path: Path, service: tuple[Production, dict[int, int]]) -> None:
    """One test, so that one deployment is started: what a proxy must keep true, by nginx and by HAProxy."""
    running, ports = service
    bare.certificate(tmp_path)
    key = running.keys("journey")["test_secret_key"]
    for start in PROXIES.values():
        front = {HTTP_PORT: own_port(), HTTPS_PORT: own_port()}
        outside = Outside(
            base_url=running.base_url, key=key, port=front[HTTPS_PORT], trusted=tmp_path / "fullchain.pem"
        )
        with bare.in_front(start(tmp_path, ports | front), tmp_path, outside):
            settles_a_payment(outside)
            sees_who_asks(running, replace(outside, source=SOURCE))
            cuts_nothing_off(running, outside)
            leaves_what_the_service_says(outside, ports[WEB_PORT])
            is_asked_for_health_as_often_as_it_likes(outside)
            sends_to_https(front[HTTP_PORT])
    assert {name: program.stop() for name, program in running.programs.items()} == dict.fromkeys(running.programs, 0)


def settles_a_payment(outside: Outside) -> None:
    soon(lambda: outside.get("/api/public/health/ready").status == http.client.OK, "readiness")
    with receiving() as receiver:
        endpoint = register(outside, receiver)
        await_story(receiver, paid(outside), PATIENCE_SECONDS)
        assert outside.send("DELETE", f"/webhook-endpoints/{endpoint}").status < http.client.BAD_REQUEST


def sees_who_asks(running: Production, outside: Outside) -> None:
    """The address that the proxy saw, whatever the caller says of itself."""
    answer = outside.send("GET", "/payment-intents", X_Forwarded_For=FORGED, X_Forwarded_Proto="http")
    assert answer.status == http.client.OK
    with running.connection() as database:
        seen = soon(lambda: database.execute(SEEN, [answer.headers["request-id"]]).fetchall(), "its line in the log")
    assert seen == [(SOURCE,)]
    assert outside.get("/api/public/health/ready").status == http.client.FORBIDDEN


def cuts_nothing_off(running: Production, outside: Outside) -> None:
    """A web that stands still answers late, and nobody but itself answers."""
    web = running.programs["web"].process
    assert web is not None
    with ThreadPoolExecutor(1) as beside:
        os.killpg(web.pid, signal.SIGSTOP)
        try:
            slow = beside.submit(outside.get, "/payment-intents")
            pause(STANDS_SECONDS)
        finally:
            os.killpg(web.pid, signal.SIGCONT)
        assert slow.result(PATIENCE_SECONDS).status == http.client.OK
    soon(lambda: bare.answers(outside), "the proxy to ask it again")


def leaves_what_the_service_says(outside: Outside, port: int) -> None:
    """Policies of the checkout are those of the service; what is too large is refused in its words."""
    created = outside.post("/payment-intents", {"amount": 25}).body
    page = f"/checkout/{created['id']}"
    assert created["checkout_url"] == outside.base_url + page
    seen = outside.look(page)
    said = asked_directly(port, page)
    assert (seen.status, policies(seen)) == (http.client.OK, policies(said))
    assert "frame-ancestors 'none'" in seen.headers["content-security-policy"]
    large = outside.post("/payment-intents", b"{" + b" " * 300_000 + b"}")
    assert (large.status, large.body["code"]) == (http.client.REQUEST_ENTITY_TOO_LARGE, "payload_too_large")


def asked_directly(port: int, page: str) -> Answer:
    """What web itself says to a proxy."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.request("GET", page, headers={"Host": bare.HOST, "X-Forwarded-Proto": "https"})
    answer = connection.getresponse()
    found = Answer(status=answer.status, headers={name.lower(): one for name, one in answer.getheaders()}, raw=b"")
    connection.close()
    return found


def policies(answer: Answer) -> dict[str, str]:
    return {name: answer.headers[name] for name in POLICIES if name in answer.headers}


def is_asked_for_health_as_often_as_it_likes(outside: Outside) -> None:
    assert {outside.get("/api/public/health").status for _ in range(PROBES)} == {http.client.OK}


def sends_to_https(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/dashboard/", headers={"Host": bare.HOST})
    answer = connection.getresponse()
    assert answer.status == http.client.MOVED_PERMANENTLY
    assert answer.headers["Location"] == f"https://{bare.HOST}/dashboard/"
    connection.close()
