"""One bundle of the TypeScript SDK does what a merchant does, against a real service, in each runtime."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from causeway_sdk import Causeway

from tests.journeys.programs import Embedded, embedded
from tests.machine import PATIENCE_SECONDS, own_port
from tests.sdks.npm import PACKAGE, STORIES, TOOLS, run, tool
from tests.sdks.posts import failed_payouts, posts

pytestmark = [pytest.mark.embedded, pytest.mark.exhaustive, pytest.mark.xdist_group("SDK of TypeScript at a service")]

RUNTIMES = STORIES / "runtimes"
FAULTS = 13
"""Of faults.mjs."""
LONG = 4 * PATIENCE_SECONDS
"""For 221 calls under faults; a payment each, for some."""
BUN = TOOLS / "@oven" / "bun-linux-x64" / "bin" / "bun"
"""Why not Bun's own command: that is a script which downloads this one."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("embedded"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


def story_bundled(entry: str, folder: Path) -> Path:
    """A program of stories with the SDK in it, as a merchant's bundler makes it."""
    target = folder / entry
    source = PACKAGE / "src"
    names = [
        f"--alias:causeway-sdk{path}={source / module}"
        for path, module in (("", "index.ts"), ("/testing", "testing.ts"))
    ]
    kind = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=error", f"--outfile={target}")
    run(tool("esbuild"), str(RUNTIMES / entry), *names, *kind)
    return target


def test_the_story_in_node_deno_and_bun(service: Embedded, tmp_path: Path) -> None:
    program = str(story_bundled("program.mjs", tmp_path))
    for runtime in (("node",), (tool("deno"), "run", "--no-config", "--allow-net"), (str(BUN), "run")):
        told = run(*runtime, program, service.base_url, service.demo["test_secret_key"], folder=tmp_path)
        assert told == "the whole story\n", runtime


def test_each_fault_of_a_network_leaves_one_effect(
    service: Embedded, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    program = str(story_bundled("faults.mjs", tmp_path))
    secret = service.demo["test_secret_key"]
    with Causeway(secret, service.base_url) as merchant:
        payouts = failed_payouts(service, merchant, FAULTS)
    told = run("node", program, service.base_url, secret, *payouts, folder=tmp_path, patience=LONG)
    table = json.loads(told)
    wrong = {cell: effects for cell, effects in table.items() if effects != 1}
    record_property("cells", len(table))
    record_property("wrong", len(wrong))
    assert wrong == {}
    assert {_in_python(cell) for cell in table} == posts()
    assert len(table) == len(posts()) * FAULTS


def _in_python(cell: str) -> str:
    """The call of a cell, as Python names it."""
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", cell.partition(",")[0])


def test_the_story_in_workerd(service: Embedded, tmp_path: Path) -> None:
    bundle = story_bundled("worker.mjs", tmp_path)
    told = run(
        "node", str(RUNTIMES / "workerd.mjs"), str(bundle), service.base_url, service.demo["test_secret_key"],
        folder=tmp_path, TOOLS=str(TOOLS.parent / "package.json"),
    )  # fmt: skip
    assert told == "the whole story\n"
