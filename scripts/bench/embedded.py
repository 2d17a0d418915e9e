"""Measures the embedded default as a newcomer starts it: time, memory, what it does idle, and its checkout page."""

import gzip
import http.client
import json
import re
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from scripts.bench.processes import memory_of, processor_seconds_of
from scripts.bench.stage import ROOT, Stage
from scripts.service_process import HOST, child, free_port

LONGEST_START_SECONDS = 60
LOOK_SECONDS = 0.01
SETTLED_SECONDS = 3
"""Until the first beats have run."""
QUIET_SECONDS, IDLE_SECONDS = 20, 40
"""Until nothing was written for a while, and how long what it then does is counted. Source: operations/scheduler.py."""
KIB = 1024
MERCHANT = "0x52908400098527886E0F7030069857D2E4169EE7"
NAMED_IN_PAGE = re.compile(r'<(?:link rel="(?:stylesheet|modulepreload)" href|script[^>]* src)="([^"]+)"')
NAMED_IN_MODULE = re.compile(r'(?:from|import)\s*"(\.{1,2}/[^"]+)"')
LOADED_LATER = re.compile(r'import\("(\.{1,2}/[^"]+)"\)')
ONLY_IN_FRAMES = "/frame.js"


@dataclass(frozen=True, kw_only=True)
class Started:
    """A running embedded service: where, whose, and how long until it said that it was ready."""

    base_url: str
    pid: int
    seconds: float


def measure_embedded(stage: Stage, *, starts: int) -> tuple[dict[str, float], list[str]]:
    """Start from nothing, then again with what is there: the goals' figures, and lines for people."""
    folder = stage.folder / "embedded"
    folder.mkdir(mode=0o700)
    with embedded_service(folder) as service:
        first = service.seconds
        time.sleep(SETTLED_SECONDS)
        megabytes = memory_of(service.pid) / KIB
        time.sleep(QUIET_SECONDS)
        idle = embedded_idle(service.pid)
        first_load = page_sizes(service.base_url, folder, "live", NAMED_IN_MODULE)
        whole, whole_test = (
            page_sizes(service.base_url, folder, mode, NAMED_IN_MODULE, LOADED_LATER) for mode in ("live", "test")
        )
    again = []
    for _ in range(starts):
        with embedded_service(folder) as service:
            again.append(service.seconds)
    figures = {
        "start_seconds": statistics.median(again),
        "first_start": first,
        "embedded_idle": idle,
        "embedded_memory": megabytes,
        "page_kib": sum(first_load.values()) / KIB,
    }
    lines = [f"later starts: {', '.join(f'{one:.2f}' for one in again)} s"]
    lines.append(
        f"checkout page, with every script that a payment may load: {sum(whole.values()) / KIB:.1f} KiB; "
        f"in test mode, with its simulated wallets: {sum(whole_test.values()) / KIB:.1f} KiB"
    )
    return figures, [*lines, *(f"{path:<48}{size:>7,} bytes gzipped" for path, size in first_load.items())]


@contextmanager
def embedded_service(folder: Path) -> Iterator[Started]:
    """Run ``manage.py up`` until the block ends."""
    port = free_port()
    unset = [part for name in ("DATABASE_URL", "REDIS_URL", "BASE_URL", "ALLOWED_HOSTS") for part in ("-u", name)]
    command = ["env", *unset, f"LOCAL_DIR={folder}", sys.executable, str(ROOT / "manage.py"), "up", "--port", str(port)]
    started = time.monotonic()
    with child(command, folder / "log", user=None) as program:
        while not is_ready(port):
            if program.poll() is not None or time.monotonic() > started + LONGEST_START_SECONDS:
                raise RuntimeError(f"manage.py up did not start:\n{(folder / 'log').read_text()[-2000:]}")
            time.sleep(LOOK_SECONDS)
        yield Started(base_url=f"http://{HOST}:{port}", pid=program.pid, seconds=time.monotonic() - started)


def is_ready(port: int) -> bool:
    """Tell whether web server, database and worker are all there."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/api/public/health/ready")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


def embedded_idle(pid: int) -> float:
    """How much of a core a process and its descendants use while nobody asks them anything."""
    before, began = processor_seconds_of(pid), time.monotonic()
    time.sleep(IDLE_SECONDS)
    used = processor_seconds_of(pid) - before
    return 100 * used / (time.monotonic() - began)


def page_sizes(base_url: str, folder: Path, mode: str, *named_by: re.Pattern[str]) -> dict[str, int]:
    """The checkout page of a fresh intent and what it loads: gzipped bytes, by path.

    ``named_by`` says how a script names others that count. What only frames load never does.
    """
    key = json.loads((folder / "demo.json").read_text())[f"{mode}_secret_key"]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    wanted = json.dumps({"amount": 25, "settlement_chain": "base", "settlement_address": MERCHANT}).encode()
    wish = urllib.request.Request(f"{base_url}/api/public/v1/payment-intents", wanted, headers)  # noqa: S310 - our own address
    path = f"/checkout/{json.loads(fetch(wish))['id']}"
    page = fetch(f"{base_url}{path}").decode()
    sizes = {"the page itself": len(gzip.compress(page.encode()))}
    waiting = NAMED_IN_PAGE.findall(page)
    while waiting:
        path = waiting.pop()
        if path in sizes or path.endswith(ONLY_IN_FRAMES):
            continue
        text = fetch(base_url + path)
        sizes[path] = len(gzip.compress(text))
        if path.endswith(".js"):
            waiting += [urljoin(path, name) for named in named_by for name in named.findall(text.decode())]
    return sizes


def fetch(wanted: str | urllib.request.Request) -> bytes:
    """The body of an answer."""
    with urllib.request.urlopen(wanted, timeout=10) as answer:  # noqa: S310 - our own address
        body: bytes = answer.read()
    return body
