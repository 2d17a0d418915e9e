"""The locked dependencies: complete, with hashes, from no named address; and the folder mcp stays ours."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mcp
from tests.architecture.source import ROOT

LOCKS = ("base", "test", "kms", "traces")
AGENTS = "agents"
SDKS = "sdks"
"""Of an environment of its own, in which only the clients of the acceptance tests run."""
ADDRESS = re.compile(r"://|--(?:extra-)?index-url|--find-links|--trusted-host")
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)")


def lock_text(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def pins(text: str) -> dict[str, str]:
    matches = [match for line in text.splitlines() if (match := PINNED.match(line))]
    return {canonicalize_name(match["name"]): match["version"] for match in matches}


def without_hash(text: str) -> list[str]:
    blocks = re.split(r"\n(?=\S)", text)
    return [block.split(" ")[0] for block in blocks if PINNED.match(block) and "--hash=sha256:" not in block]


def not_in_lock(wanted: list[str], locked: dict[str, str]) -> list[str]:
    """The requirements that the lock does not meet: run `make lock`."""
    return [text for text in wanted if not _is_met(Requirement(text), locked)]


def _is_met(requirement: Requirement, locked: dict[str, str]) -> bool:
    version = locked.get(canonicalize_name(requirement.name))
    return version is not None and requirement.specifier.contains(version, prereleases=True)


@pytest.mark.parametrize("name", [*LOCKS, AGENTS])
def test_every_locked_package_has_a_hash_and_no_address(name: str) -> None:
    text = lock_text(name)
    assert without_hash(text) == []
    assert [line for line in text.splitlines() if ADDRESS.search(line)] == []


def test_the_locks_agree_and_hold_what_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base, test = pins(lock_text("base")), pins(lock_text("test"))
    assert not_in_lock(project["dependencies"], base) == []
    assert not_in_lock([*project["dependencies"], *project["optional-dependencies"]["test"]], test) == []
    assert {name: version for name, version in base.items() if test.get(name) != version} == {}
    planted = "django==5.2.19 \\\n    --hash=sha256:ab\n    # via x\nmcp==1.0\n--index-url https://planted.example\n"
    assert without_hash(planted) == ["mcp==1.0"]
    assert pins(planted) == {"django": "5.2.19", "mcp": "1.0"}
    assert not_in_lock(["django>=6", "celery"], pins(planted)) == ["django>=6", "celery"]
    assert ADDRESS.search(planted)


def test_the_folder_mcp_is_ours() -> None:
    """The agent SDK of the same name would be hidden by our folder: it must not be there at all.

    Only the lock of the acceptance tests' clients has it, and nothing installs that into this environment.
    """
    assert mcp.__file__ is not None
    assert Path(mcp.__file__).parent == ROOT / "mcp"
    assert "mcp" not in packages_distributions()
    locks = sorted(path.stem for path in (ROOT / "requirements").glob("*.txt"))
    assert locks == sorted([*LOCKS, AGENTS, SDKS])
    assert [name for name in locks if "mcp" in pins(lock_text(name))] == [AGENTS]
    assert pins(lock_text(AGENTS))["mcp"].startswith("2.3.")
