"""The image, built once for all tests of it."""

from collections.abc import Iterator

import pytest

from tests.image.container import Image, built_image


@pytest.fixture(scope="session")
def image() -> Iterator[Image]:
    """Why not left out where it cannot be built: the run would be green without it. It fails, and says why."""
    with built_image() as built:
        yield built
