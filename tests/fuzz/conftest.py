"""Keeps the everyday run quick."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the made-up requests alone where they are not wanted anyway: making them up takes two seconds."""
    unwanted = "not embedded" in config.getoption("markexpr")
    return True if unwanted and collection_path.name == "test_description.py" else None
