"""The house rules run in one worker, which parses the project once for all of them."""

from collections.abc import Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("architecture"))
