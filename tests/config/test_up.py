"""``manage.py up``: one command from nothing to a working service, and nothing left when it ends, however it ends."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from config.management.commands.up import panel
from core.throttling import PUBLIC_LIMITS
from tests.config.served import Served, memory_of, served, start, wait_for
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = pytest.mark.embedded

MOST_MEGABYTES = 130
"""A tenth above what it takes where nothing else on the machine uses the same libraries."""
FILE_KEYS = [
    *("base_url", "dashboard_url", "merchant_email", "merchant_password", "test_secret_key", "test_publishable_key"),
    *("live_secret_key", "live_publishable_key"),
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
        ends_whole(running, signal.SIGINT)
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """A copy of that data. Why: making a database takes longer than everything else here."""
    return Path(shutil.copytree(kept, tmp_path / "data"))


def ends_whole(running: Served, how: signal.Signals) -> None:
    assert len(running.processes()) == 2
    assert running.stop(how) == 0
    assert running.processes() == []


def test_it_says_where_things_are_and_the_file_has_exactly_the_named_lines(service: Served) -> None:
    base = f"http://localhost:{service.port}"
    for text in (f"{base}/demo/", f"{base}/dashboard/", f"{base}/docs/", f"{base}/api/docs/", "demo.json"):
        assert text in service.said
    assert f"curl {base}/api/public/v1/payment-intents" in service.said
    secrets = {service.demo[name] for name in ("test_secret_key", "merchant_password")}
    assert [secret for secret in secrets if secret in service.said] == [], "what is printed here is kept as a log"
    shown = panel(service.demo, to_person=True)
    assert {secret for secret in secrets if secret in shown} == secrets
    assert len(service.said.splitlines()) < 20
    assert [word for word in ("Traceback", "Warning") if word in service.said] == []
    assert list(service.demo) == FILE_KEYS
    assert (service.demo["base_url"], service.demo["dashboard_url"]) == (base, f"{base}/dashboard/")
    kept = {"demo.json", "secret_key", "causeway.sqlite3"}
    assert kept <= {path.name for path in service.folder.rglob("*")}
    readable = [path for path in service.folder.rglob("*") if path.lstat().st_mode & 0o077]
    assert readable == [], "customers' data and sessions are nobody else's on this machine"


def test_a_new_services_books_are_complete_before_its_first_payment_is_older(tmp_path: Path) -> None:
    with served(tmp_path / "data") as running:
        assert running.ask("/api/public/v1/payment-intents", {"amount": 25}, running.demo["test_secret_key"])[0] == 201

        def finished() -> list[tuple[int]]:
            with closing(sqlite3.connect(running.folder / "causeway.sqlite3")) as database:
                return database.execute("SELECT finished_at IS NOT NULL FROM ledger_opening").fetchall()

        wait_for(lambda: bool(finished()), running)
        assert finished() == [(1,)]


def test_a_slow_start_spends_nobodys_questions(folder: Path) -> None:
    """Readiness is counted by address, and whoever starts the service asks from the same one as its first customers."""
    with served(folder) as running:
        url = f"http://127.0.0.1:{running.port}/api/public/health/ready"
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
            assert answer.headers["RateLimit-Remaining"] == str(PUBLIC_LIMITS[0].count - 1)


def test_the_keys_work(service: Served) -> None:
    for mode in ("test", "live"):
        status, body = service.ask("/api/public/v1/payment-intents", key=service.demo[f"{mode}_secret_key"])
        assert (status, body["data"]) == (200, [])
    status, body = service.ask("/api/public/v1/payment-intents", {"amount": 25}, service.demo["test_secret_key"])
    assert (status, body["status"], body["mode"]) == (201, "created", "test")
    assert body["checkout_url"].startswith(f"http://localhost:{service.port}/")


@pytest.mark.spec("Rulings B2.3")
def test_it_listens_on_this_machine_only_and_loads_no_heavy_library(service: Served) -> None:
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {row[1] for row in listening if row[3] == "0A" and row[1].endswith(f":{service.port:04X}")}
    assert addresses == {f"0100007F:{service.port:04X}"}
    for pid in service.processes():
        maps = Path(f"/proc/{pid}/maps").read_text()
        assert [name for name in ("solders", "ckzg", "web3", "playwright", "psycopg") if name in maps] == []


@pytest.mark.spec("Rulings B2.1")
def test_every_lane_and_the_clock_show_that_they_live(service: Served) -> None:
    def heard() -> dict[str, str]:
        with sqlite3.connect(f"file:{service.folder}/causeway.sqlite3?mode=ro", uri=True) as database:
            return dict(database.execute("SELECT name, at FROM core_heartbeat WHERE name <> 'web'"))

    assert set(heard()) == {"money", "delivery", "upkeep", "reader", "beat"}
    for _ in range(2):
        last = heard()
        wait_for(lambda last=last: not last.items() & heard().items(), service)  # type: ignore[misc]  # a lambda's default has no type
    assert service.is_ready()


@pytest.mark.exhaustive
def test_memory_stays_small(service: Served) -> None:
    """What two processes take that share with nobody; docs/performance.md counts what others use too in part only."""
    service.ask("/api/public/v1/tokens")
    assert memory_of(service.processes()) <= MOST_MEGABYTES


def test_a_used_port_the_same_data_twice_and_another_network_are_refused_in_one_sentence(
    service: Served, folder: Path, tmp_path: Path
) -> None:
    def said(folder: Path, port: int, **environment: str) -> str:
        log = tmp_path / "log"
        assert start(folder, port, log, **environment).wait(PATIENCE_SECONDS) == 1
        return log.read_text().strip()

    used = said(tmp_path / "new", service.port)
    assert used.startswith(f"CommandError: Port {service.port} is already in use on this machine.")
    assert len(used.splitlines()) == 1
    assert not (tmp_path / "new" / "causeway.sqlite3").exists()
    twice = said(service.folder, own_port())
    assert twice == f"CommandError: Causeway is already running on the data in {service.folder}."
    wrong = said(folder, own_port(), NETWORK_PROFILE="mainnet")
    assert wrong.startswith("This database belongs to the network profile simulated, but NETWORK_PROFILE is mainnet.")
    assert "Traceback" not in wrong


def test_another_port_keeps_the_keys_and_what_dies_is_started_again(folder: Path) -> None:
    first = json.loads((folder / "demo.json").read_text())
    with served(folder) as moved:
        base = f"http://localhost:{moved.port}"
        assert first["base_url"] != base
        assert moved.demo == first | {"base_url": base, "dashboard_url": f"{base}/dashboard/"}
        for number in (1, 2):
            victim = moved.serving()
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda number=number: moved.said.count("starting it again") == number, moved)  # type: ignore[misc]  # a lambda's default has no type
            wait_for(lambda number=number: moved.said.count("is running") == number + 1, moved)  # type: ignore[misc]  # as above
            assert moved.serving() != victim
            assert moved.is_ready()
        ends_whole(moved, signal.SIGHUP)


@pytest.mark.spec("Rulings B2.1")
def test_lost_keys_are_made_anew_and_nothing_outlives_a_kill(folder: Path) -> None:
    """The next start, at once, on the same port and data, has everything."""
    lost = json.loads((folder / "demo.json").read_text())["test_secret_key"]
    (folder / "demo.json").write_text("{}")
    intents = "/api/public/v1/payment-intents"
    with served(folder) as running:
        made = running.demo
        key = made["test_secret_key"]
        assert (list(made), key == lost) == (FILE_KEYS, False)
        assert [running.ask(intents, key=one)[0] for one in (lost, key)] == [200, 200]
        status, intent = running.ask(intents, {"amount": 25}, key)
        assert status == 201
        os.kill(running.process.pid, signal.SIGKILL)
        wait_for(lambda: running.process.poll() is not None and running.processes() == [], running)
        with served(running.folder, running.port) as again:
            assert again.demo == made
            assert again.ask(f"{intents}/{intent['id']}", key=key)[0] == 200
            ends_whole(again, signal.SIGTERM)


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
