"""The image holds what the service consists of: what `.dockerignore` does not let in is not there when it starts."""

import re

import pytest

from tests.architecture.source import APPS, ROOT

NEEDED = (
    "manage.py",
    "scripts/container.sh",
    "scripts/web-log.json",
    "templates",
    "docs",
    "requirements/base.txt",
)


def let_in(ignored: str) -> set[str]:
    """What a file of exceptions from everything lets in. Raises: AssertionError where it begins with anything else."""
    lines = [line for line in ignored.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    return {line.removeprefix("!") for line in lines if line.startswith("!")}


def test_the_image_holds_every_app() -> None:
    """Two were missing for a day, and nobody builds an image to try one line."""
    found = let_in((ROOT / ".dockerignore").read_text(encoding="utf-8"))
    assert {*APPS, *NEEDED} - found == set()
    assert [name for name in found if not (ROOT / name).exists()] == []
    assert let_in("*\n!core\n") == {"core"}
    with pytest.raises(AssertionError):
        let_in("!core\n*\n")


def test_both_stages_stand_on_one_image_with_an_exact_version() -> None:
    """What is compiled and linked in the one is found in the other; `make image` tags its base by that name."""
    named = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(named) == 2
    assert len(set(named)) == 1
    assert re.search(r":\d+\.\d+\.\d+-", named[0]), named
