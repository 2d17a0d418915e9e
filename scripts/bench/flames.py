"""Draws where the web server's processor time of a create goes, as a flame graph, and what share each layer takes.

Usage: python -m scripts.with_services --durable -- python -m scripts.bench.flames OUTPUT.svg
The sampler is py-spy, which must be on PATH. An earlier revision: BENCH_CHECKOUT names the folder it lies in.
"""

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import dropwhile
from pathlib import Path

from scripts.bench import flame_picture, stage
from scripts.bench.load import wrk
from scripts.bench.processes import sum_over

SAMPLES_A_SECOND = 250
WARM_SECONDS, LOAD_SECONDS = 3, 14
RECORDED_SECONDS = 10
"""Less than the load lasts, so that no sample is of a server that nobody asks."""

LAYERS = (
    ("driver and database layer", ("psycopg", "psycopg_binary", "psycopg_pool", "django/db")),
    ("framework for REST", ("rest_framework", "drf_spectacular")),
    ("framework", ("django/", "asgiref/")),
    ("encryption", ("cryptography/",)),
    ("the short way", ("payments/fast_path/",)),
    ("web server and event loop", ("granian/", "asyncio/", "uvloop/", "concurrent/futures/")),
    ("limits, keys, log", ("merchants/",)),
    ("the service's other code", ("payments/", "webhooks/", "core/", "config/", "chains/", "checkout/", "dashboard/")),
)
"""Whose a frame is, by the beginning of its file's name; the standard library's time is its caller's."""
STARTS = re.compile(r"\((granian|click/|multiprocessing/|threading|concurrent/)(?!/_futures)")
"""What every stack of a server's process or thread begins with."""
LINE = re.compile(r":\d+\)$")
UNREAD = "a stack that was not read"


def main() -> int:
    """Record creates and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="the picture")
    parser.add_argument("--title", default="a create", help="what is written above it")
    arguments = parser.parse_args()
    if not shutil.which("py-spy"):
        print("py-spy is not installed: pip install py-spy, and put it on PATH.", file=sys.stderr)
        return 1
    with (
        tempfile.TemporaryDirectory(prefix="causeway-flames-") as folder,
        stage.fresh_database(os.environ["DATABASE_URL"]) as database_url,
    ):
        os.environ.update(stage.environment(database_url, os.environ["REDIS_URL"], Path(folder)))
        place = stage.set_up(database_url, Path(folder))
        stacks, per_second = record(place)
    arguments.output.write_text(flame_picture.draw(stacks, arguments.title, dict(LAYERS)))
    total = sum(stacks.values())
    print(f"{per_second:,.0f} creates a second while recorded, {total:,} samples")
    for layer, samples in shares(stacks).most_common():
        print(f"{100 * samples / total:5.1f} %  {layer}")
    return 0


def record(place: stage.Stage) -> tuple[Counter[tuple[str, ...]], float]:
    """Sample what the web server's interpreter does while it creates: stacks from the outermost call, and its rate."""
    output = place.folder / "stacks"
    with stage.web_server(place.folder) as base_url:
        arguments = ["create", place.credential]
        wrk(base_url, [*arguments, secrets.token_hex(4)], seconds=WARM_SECONDS)
        spies = [spy_on(pid, output.with_suffix(f".{pid}")) for pid in workers()]
        load = wrk(base_url, [*arguments, secrets.token_hex(4)], seconds=LOAD_SECONDS)
        for spy in spies:
            spy.wait(LOAD_SECONDS)
    lines = [line for file in place.folder.glob("stacks.*") for line in file.read_text().splitlines()]
    return folded(lines), load.per_second


def workers() -> list[int]:
    """The web server's processes: descendants of this one in which the interpreter runs."""
    found: list[int] = []

    def note(process: Path) -> int:
        with suppress(FileNotFoundError):
            if b"granian" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        return 0

    sum_over(os.getpid(), note)
    return found


def spy_on(pid: int, output: Path) -> subprocess.Popen[bytes]:
    """Begin to record one process."""
    how = ["--format", "raw", "--function", "--gil", "--rate", str(SAMPLES_A_SECOND)]
    until = ["--duration", str(RECORDED_SECONDS), "--output", str(output)]
    return subprocess.Popen(
        ["py-spy", "record", *how, *until, "--pid", str(pid)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def folded(lines: Iterable[str]) -> Counter[tuple[str, ...]]:
    """Stacks with their samples, without what starts a thread and without folders of this machine."""
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        stack, _, samples = line.rpartition(" ")
        named = stack.replace(f"{stage.ROOT}/", "") or UNREAD
        frames = (LINE.sub(")", frame) for frame in named.split(";"))
        stacks[tuple(dropwhile(STARTS.search, frames))] += int(samples)
    return stacks


def shares(stacks: Counter[tuple[str, ...]]) -> Counter[str]:
    """Samples of each layer: that of the innermost frame which belongs to one."""
    found: Counter[str] = Counter()
    for stack, samples in stacks.items():
        layers = (flame_picture.layer_of(frame, dict(LAYERS)) for frame in reversed(stack))
        found[next((layer for layer in layers if layer), "elsewhere")] += samples
    return found


if __name__ == "__main__":
    sys.exit(main())
