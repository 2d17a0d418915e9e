"""The TypeScript SDK, compiled and run as a merchant's program has it."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sdks.npm import PACKAGE, STORIES, built, bundled, in_node

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("sdk of TypeScript")]

KIBIBYTE = 1024


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sdk"))


@pytest.mark.parametrize("test", sorted(path.name for path in STORIES.glob("*.test.mjs")))
def test_the_core_does_what_it_says(test: str, dist: Path) -> None:
    assert "# fail 0" in in_node(test, dist)


@pytest.mark.parametrize(
    ("entry", "most"), [("index.ts", 4 * KIBIBYTE), ("webhooks.ts", KIBIBYTE), ("catch-up.ts", KIBIBYTE)]
)
def test_it_is_small(entry: str, most: int, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    size = len(gzip.compress(bundled(entry, tmp_path / "out.js").read_bytes(), 9, mtime=0))
    record_property("bytes", size)
    assert size <= most


def test_it_depends_on_nothing() -> None:
    package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    assert not [name for name in package if name.lower().endswith("dependencies")]
