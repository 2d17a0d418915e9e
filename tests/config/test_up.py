"""``manage.py up``: one command from nothing to a working service, and nothing left when it ends, however it ends."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.served import Served, memory_of, served, start, wait_for
from tests.machine import PATIENCE_SECONDS, own_port, stopwatch

pytestmark = pytest.mark.embedded

MOST_MEGABYTES = 195
"""A tenth above what it takes."""
FILE_KEYS = [
    "base_url",
    "dashboard_url",
    "merchant_email",
    "merchant_password",
    "test_secret_key",
    "test_publishable_key",
    "live_secret_key",
    "live_publishable_key",
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One running service, started from nothing, for the tests that only look."""
    with served(tmp_path_factory.mktemp("up") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a service that was started once and stopped."""
    folder = tmp_path_factory.mktemp("kept") / "data"
    with served(folder) as running:
        assert running.stop() == 0
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """A copy of that data. Why: making a database takes longer than everything else here."""
    return Path(shutil.copytree(kept, tmp_path / "data"))


def gone(running: Served) -> bool:
    """Whether nothing of a service is left."""
    return running.process.poll() is not None and running.processes() == []


def refused_start(folder: Path, port: int, log: Path, **environment: str) -> str:
    """What a start that cannot be says."""
    assert start(folder, port, log, **environment).wait(PATIENCE_SECONDS) == 1
    return log.read_text().strip()


def test_it_says_where_things_are(service: Served) -> None:
    base = f"http://localhost:{service.port}"
    for text in (f"{base}/demo/", f"{base}/dashboard/", f"{base}/api/docs/", service.demo["merchant_password"]):
        assert text in service.said
    assert f"curl {base}/api/public/v1/payment-intents" in service.said
    assert f"Bearer {service.demo['test_secret_key']}" in service.said
    assert len(service.said.splitlines()) < 20
    assert "Traceback" not in service.said
    assert "Warning" not in service.said


def test_the_file_has_exactly_the_named_lines(service: Served) -> None:
    assert list(service.demo) == FILE_KEYS
    assert service.demo["base_url"] == f"http://localhost:{service.port}"
    assert service.demo["dashboard_url"] == f"http://localhost:{service.port}/dashboard/"
    assert stat.S_IMODE((service.folder / "demo.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((service.folder / "secret_key").stat().st_mode) == 0o600


def test_the_keys_work(service: Served) -> None:
    for mode in ("test", "live"):
        status, body = service.ask("/api/public/v1/payment-intents", key=service.demo[f"{mode}_secret_key"])
        assert (status, body["data"]) == (200, [])
    status, body = service.ask("/api/public/v1/payment-intents", {"amount": 25}, service.demo["test_secret_key"])
    assert (status, body["status"], body["mode"]) == (201, "created", "test")
    assert body["checkout_url"].startswith(f"http://localhost:{service.port}/")


@pytest.mark.spec("Rulings B2.3")
def test_it_listens_on_this_machine_only(service: Served) -> None:
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {row[1] for row in listening if row[3] == "0A" and row[1].endswith(f":{service.port:04X}")}
    assert addresses == {f"0100007F:{service.port:04X}"}


@pytest.mark.spec("Rulings B2.1")
def test_hints_and_beats_reach_the_worker(service: Served) -> None:
    def heard() -> str:
        with sqlite3.connect(f"file:{service.folder}/causeway.sqlite3?mode=ro", uri=True) as database:
            return str(database.execute("SELECT at FROM core_heartbeat").fetchone()[0])

    for _ in range(2):
        last = heard()
        wait_for(lambda last=last: heard() != last, service)  # type: ignore[misc]  # a lambda's default has no type
    assert service.is_ready()
    assert len(list((service.folder / "broker").glob("*.msg"))) <= 5


@pytest.mark.exhaustive
def test_memory_stays_small(service: Served) -> None:
    """The goal of 150 MB is missed, see docs/performance.md; this holds the line."""
    service.ask("/api/public/v1/tokens")
    assert memory_of(service.processes()) <= MOST_MEGABYTES


def test_heavy_libraries_are_not_loaded(service: Served) -> None:
    for pid in service.processes():
        maps = Path(f"/proc/{pid}/maps").read_text()
        assert [name for name in ("solders", "ckzg", "web3", "playwright") if name in maps] == []


def test_a_used_port_is_refused_in_one_sentence(service: Served, tmp_path: Path) -> None:
    said = refused_start(tmp_path / "data", service.port, tmp_path / "log")
    assert said.startswith(f"CommandError: Port {service.port} is already in use on this machine.")
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "data" / "causeway.sqlite3").exists()


def test_the_same_data_twice_is_refused(service: Served, tmp_path: Path) -> None:
    said = refused_start(service.folder, own_port(), tmp_path / "log")
    assert said == f"CommandError: Causeway is already running on the data in {service.folder}."


def test_the_wrong_network_is_refused(folder: Path, tmp_path: Path) -> None:
    said = refused_start(folder, own_port(), tmp_path / "log", NETWORK_PROFILE="mainnet")
    assert said.startswith("This database belongs to the network profile simulated, but NETWORK_PROFILE is mainnet.")
    assert "Traceback" not in said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_whole_when_asked(how: signal.Signals, folder: Path) -> None:
    with served(folder) as running:
        assert len(running.processes()) == 4
        assert running.stop(how) == 0
        assert gone(running)


@pytest.mark.spec("Rulings B2.1")
def test_nothing_outlives_a_kill(folder: Path) -> None:
    """And the next start, at once, on the same port and data, has everything."""
    with served(folder) as running:
        kept = running.demo
        status, intent = running.ask("/api/public/v1/payment-intents", {"amount": 25}, kept["test_secret_key"])
        assert status == 201
        os.kill(running.process.pid, signal.SIGKILL)
        wait_for(lambda: gone(running), running)
        with served(running.folder, running.port) as again:
            assert again.demo == kept
            path = f"/api/public/v1/payment-intents/{intent['id']}"
            assert again.ask(path, key=kept["test_secret_key"])[0] == 200


@pytest.mark.parametrize("which", ["web", "worker", "web's child"])
def test_a_child_that_dies_is_started_again(which: str, folder: Path) -> None:
    with served(folder) as running:
        before = running.children()
        victim = before.get(which) or next(
            pid for pid in running.processes() if pid not in {*before.values()} and pid != running.process.pid
        )
        os.kill(victim, signal.SIGKILL)
        wait_for(lambda: "starting it again" in running.said, running)
        wait_for(lambda: victim not in running.processes() and len(running.processes()) == 4, running)
        wait_for(running.is_ready, running)
        untouched = "worker" if which.startswith("web") else "web"
        assert running.children()[untouched] == before[untouched]


def test_another_port_moves_the_addresses_and_keeps_the_keys(folder: Path) -> None:
    first = json.loads((folder / "demo.json").read_text())
    with served(folder) as moved:
        assert not first["base_url"].endswith(f":{moved.port}")
        assert moved.demo == first | {
            "base_url": f"http://localhost:{moved.port}",
            "dashboard_url": f"http://localhost:{moved.port}/dashboard/",
        }


def test_lost_keys_are_made_anew(folder: Path) -> None:
    first = json.loads((folder / "demo.json").read_text())
    (folder / "demo.json").write_text("{}")
    with served(folder) as again:
        assert list(again.demo) == FILE_KEYS
        assert again.demo["test_secret_key"] != first["test_secret_key"]
        for key in (first["test_secret_key"], again.demo["test_secret_key"]):
            assert again.ask("/api/public/v1/payment-intents", key=key)[0] == 200


@pytest.mark.exhaustive
def test_how_long_a_second_start_takes(folder: Path) -> None:
    """Told and not judged: the goal is 3 s on a quiet machine, and a machine may be busy."""
    seconds = stopwatch()
    with served(folder):
        print(f"\na second start: {seconds():.1f} s")


def test_large_and_chunked_bodies_over_a_real_socket(service: Served) -> None:
    key = service.demo["test_secret_key"]
    large = b'{"amount": 25, "metadata": {"a": "' + b"x" * 10 * 1024 * 1024 + b'"}}'
    assert post_raw(service, key, large)[0] == 413
    chunked = b'{"amount": 25}'
    status, body = post_raw(service, key, chunked, chunked=True)
    assert (status, body["amount"]) == (201, "25.00")
    assert post_raw(service, key, large, chunked=True)[0] == 413


def post_raw(service: Served, key: str, body: bytes, *, chunked: bool = False) -> tuple[int, dict[str, str]]:
    """Create an intent by hand-written HTTP, the way careless clients send it."""
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    head = (
        "POST /api/public/v1/payment-intents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n{length}\r\n\r\n"
    )
    framed = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n" if chunked else body
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(head.encode() + framed)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    first, _, rest = answer.partition(b"\r\n\r\n")
    text = rest[rest.index(b"{") : rest.rindex(b"}") + 1]
    return int(first.split()[1]), json.loads(text)
