"""A pytest plugin: ``--quick`` keeps what tells most in least time.

Why not only marks: most tests are quick one by one, and too many together. What is left out here runs in ``make test``.
"""

from pathlib import Path

import pytest

LEFT_OUT = frozenset({"postgres", "embedded", "browser", "slow"})
STORY = "world"
"""The fixture of tests that tell a whole payment under a stopped clock."""

COSTLY = frozenset({"lifi", "jupiter", "signers", "test_settlement_proof.py"})
"""What is not even collected: thousands of changed answers, libraries that take seconds to load, and files of keys,
whose opening costs time on purpose."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--quick", action="store_true", help="one case of each test; no stories, nothing slow")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is costly; None leaves the decision to others."""
    return True if config.getoption("--quick") and collection_path.name in COSTLY else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the first case of each quick test."""
    if not config.getoption("--quick"):
        return
    first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
    kept = [item for item in items if first[item.nodeid.partition("[")[0]] is item and is_quick(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def is_quick(item: pytest.Item) -> bool:
    """Whether a test is neither marked as heavy, nor a story, nor a search for examples."""
    is_marked = any(mark.name in LEFT_OUT for mark in item.iter_markers())
    is_search = hasattr(getattr(item, "obj", None), "hypothesis")
    return not is_marked and not is_search and STORY not in getattr(item, "fixturenames", ())
