"""A pytest plugin: what the collection leaves behind, thousands of tests, is no garbage and is not searched for any."""

import gc


def pytest_configure() -> None:
    """Search for no garbage until every test is collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on search in what is new."""
    gc.collect()
    gc.freeze()
    gc.enable()
