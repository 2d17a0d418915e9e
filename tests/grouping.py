"""A pytest plugin: lets the groups of pytest-xdist have effect.

Why: xdist 3.8 writes a test's group behind its name in ``_nodeid``, which pytest 9.2 no longer reads; without this
``--dist loadgroup`` hands out every test by itself, and each worker starts everything that a group should start once.
"""

from collections.abc import Iterable

import pytest
from _pytest.nodeid import NodeId


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Give each test the name that xdist gave it."""
    for item in items:
        named = vars(item).get("_nodeid")
        if isinstance(named, str):
            item._id = NodeId.parse(named)  # noqa: SLF001 - where pytest reads it
            if item.nodeid != named:
                raise pytest.UsageError("pytest keeps a test's name in another place now: no group has effect")
