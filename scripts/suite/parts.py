"""What each tier runs, by parts that can be run alone.

The everyday tier has every rule once, at the cheapest place that can show it: on SQLite in memory whatever needs no
other place. The whole tier has every rule at every place. A test belongs to the whole tier alone by the mark
``exhaustive``, and to a part by its folder or by the marks ``postgres``, ``embedded`` and ``browser``.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.suite.steps import PYTHON, ROOT, Step

WORKERS = int(os.environ.get("PYTEST_WORKERS", "2"))
PATIENT_WORKERS = WORKERS + 1
"""For tests that wait for a browser or for a whole service more than they compute: a third less time on two cores."""
SERVICES = ("DATABASE_URL", "REDIS_URL")
LIVE, CRASH, JOURNEYS, IMAGE = "tests/live", "tests/crash", "tests/journeys", "tests/image"
UPGRADE = "tests/upgrade"
SDKS = "tests/sdks"
"""The whole of it needs what `make sdk-checks` installs."""
INSIDE = "not embedded and not browser"
"""Tests that run in the test process itself."""
ONCE, MORE = "not exhaustive", "exhaustive"

BESIDE = (("checks", "database", "live", "crash", "embedded", "bars"), ("browser", "journeys", "image", "upgrade"))
"""Parts that run beside the others: they wait for other programs more than they compute, or are many small ones.

Of each of the two lists one after the other. Why the bars are last of theirs: what they measure was reported by then.
"""

Part = Callable[[Path], list[Step]]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Tests by their marks, ``only`` in or ``besides`` some folders; ``alone`` without PostgreSQL and Redis."""

    marked: str
    only: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    alone: bool = False
    workers: int = WORKERS


def everyday() -> dict[str, Part]:
    """The parts of ``make test``, in their order."""
    rules = Choice(marked=f"{ONCE} and not postgres and {INSIDE}", besides=(LIVE,), alone=True)
    races = Choice(marked=f"postgres and {ONCE} and {INSIDE}", besides=(LIVE,))
    live = Choice(marked=f"{ONCE} and {INSIDE}", only=(LIVE,))
    return {
        "checks": lambda folder: [*style_steps(), *structure_steps(), frontend_step(folder)],
        "rules": lambda folder: [pytest_step("rules on SQLite", folder, rules)],
        "database": lambda folder: [pytest_step("rules of PostgreSQL", folder, races)],
        "live": lambda folder: [pytest_step("nodes and wallets", folder, live)],
        "embedded": lambda folder: [embedded_step(f"embedded and not browser and {ONCE}", folder)],
        "browser": lambda folder: [browser_step(f"browser and {ONCE}", folder)],
    }


def whole() -> dict[str, Part]:
    """The parts of ``make test-all``."""
    rules = Choice(marked=INSIDE, besides=(LIVE, CRASH, JOURNEYS, IMAGE, UPGRADE, SDKS))
    live, crash = Choice(marked=INSIDE, only=(LIVE,)), Choice(marked=INSIDE, only=(CRASH,))
    journeys, image, upgrade = (
        Choice(marked=INSIDE, only=(folder,), workers=1) for folder in (JOURNEYS, IMAGE, UPGRADE)
    )
    return {
        "checks": everyday()["checks"],
        "sdks": lambda folder: [pytest_step("SDKs", folder, Choice(marked=INSIDE, only=(SDKS,), alone=True))],
        "rules": lambda folder: [pytest_step("all rules on PostgreSQL", folder, rules)],
        "live": lambda folder: [pytest_step("all of nodes and wallets", folder, live)],
        "crash": lambda folder: [pytest_step("all crashes", folder, crash)],
        "properties": lambda folder: [properties_step(folder)],
        "embedded": lambda folder: [embedded_step("embedded and not browser", folder)],
        "browser": lambda folder: [browser_step("browser", folder)],
        "journeys": lambda folder: [pytest_step("journeys", folder, journeys)],
        "image": lambda folder: [pytest_step("the image", folder, image)],
        "upgrade": lambda folder: [pytest_step("old and new", folder, upgrade)],
        "bars": lambda folder: [bars_step("--reports", str(folder))],
        "mutations": lambda _folder: [mutations_step()],
    }


def added() -> dict[str, Part]:
    """What the whole tier runs beyond the everyday one: the same rules at another place, and what is exhaustive."""
    live = Choice(marked=f"{MORE} and {INSIDE}", only=(LIVE,))
    crash = Choice(marked=f"{MORE} and {INSIDE}", only=(CRASH,))
    sdks = Choice(marked=f"{MORE} and {INSIDE}", only=(SDKS,), alone=True)
    return {
        "rules": whole()["rules"],
        "live": lambda folder: [pytest_step("the rest of nodes and wallets", folder, live)],
        "crash": lambda folder: [pytest_step("the rest of crashes", folder, crash)],
        "properties": whole()["properties"],
        "embedded": lambda folder: [embedded_step(f"embedded and not browser and {MORE}", folder)],
        "browser": lambda folder: [browser_step(f"browser and {MORE}", folder)],
        "journeys": whole()["journeys"],
        "image": whole()["image"],
        "upgrade": whole()["upgrade"],
        "sdks": lambda folder: [pytest_step("the rest of SDKs", folder, sdks)],
        "bars": lambda _folder: [bars_step()],
        "mutations": whole()["mutations"],
    }


def style_steps() -> tuple[Step, ...]:
    """Return format, lint and import contracts."""
    return (
        Step(name="format", command=(PYTHON, "-m", "ruff", "format", "--check", ".")),
        Step(name="lint", command=(PYTHON, "-m", "ruff", "check", ".")),
        Step(name="import contracts", command=(str(Path(PYTHON).with_name("lint-imports")),)),
    )


def structure_steps() -> tuple[Step, ...]:
    """Return types and Django's own checks."""
    return (
        Step(name="types", command=(PYTHON, "-m", "mypy")),
        Step(name="django checks", command=(PYTHON, "manage.py", "check", "--fail-level", "WARNING")),
    )


def architecture_step(folder: Path) -> Step:
    """Return the tests of the house rules alone, openapi.yaml among them."""
    report = folder / "architecture.xml"
    command = (PYTHON, "-m", "pytest", "-q", "tests/architecture", f"--junitxml={report}")
    return Step(name="architecture", command=command, without=SERVICES, report=report)


def quick_step(name: str, apps: tuple[str, ...], folder: Path) -> Step:
    """Return the quick tests of some apps, in one process: starting workers takes longer than the tests."""
    report = folder / f"{apps[0]}.xml"
    unused = [part for plugin in ("schemathesis", "xdist", "faker", "anyio") for part in ("-p", f"no:{plugin}")]
    command = (PYTHON, "-m", "pytest", "-q", *(f"tests/{app}" for app in apps), "--quick", *unused)
    return Step(name=name, command=(*command, f"--junitxml={report}"), without=SERVICES, report=report)


def properties_step(folder: Path) -> Step:
    """Return every search for examples once more, with many of them from a seed that is printed."""
    chosen = Choice(marked=f"hypothesis and {INSIDE} and not postgres", besides=(LIVE,), alone=True)
    step = pytest_step("properties, many examples", folder, chosen)
    return replace(step, command=(*step.command, "--exhaustive-examples"))


def mutations_step() -> Step:
    """Return the planted faults, each of which some test must catch."""
    return Step(name="planted faults", command=(PYTHON, "-m", "tests.mutations"))


def bars_step(*words: str) -> Step:
    """Return the measures of what the SDKs promise, each against its goal."""
    return Step(name="bars of the SDKs", command=(PYTHON, "-m", "scripts.bars", *words), without=SERVICES)


def embedded_step(marked: str, folder: Path) -> Step:
    """Return tests of the embedded default, which starts its own processes."""
    return pytest_step("embedded default", folder, Choice(marked=marked, workers=PATIENT_WORKERS, alone=True))


def browser_step(marked: str, folder: Path) -> Step:
    """Return tests that drive Chromium."""
    return pytest_step("browser journeys", folder, Choice(marked=marked, workers=PATIENT_WORKERS, alone=True))


def pytest_step(name: str, folder: Path, chosen: Choice) -> Step:
    """Return the tests that a choice selects.

    Why by groups: nodes and services start once for all tests that name one group, and a module's fixtures once.
    """
    report = folder / f"{name.replace(' ', '-')}.xml"
    selection = ("-m", chosen.marked, "-n", str(chosen.workers), "--dist", "loadgroup", f"--junitxml={report}")
    left_out = tuple(f"--ignore={folder}" for folder in chosen.besides)
    where = chosen.only or tuple(place for place in places(chosen.marked) if not place.startswith(chosen.besides))
    command = (PYTHON, "-m", "pytest", "-q", *selection, *left_out, *where)
    return Step(name=name, command=command, without=SERVICES if chosen.alone else (), report=report)


def places(marked: str) -> tuple[str, ...]:
    """Return the files that hold the tests with the mark that these words begin with, or a folder; none means all.

    Why: every worker collects for itself, and eleven thousand tests take half a minute of its processor.
    """
    mark = marked.partition(" ")[0]
    if mark in ("not", "hypothesis"):
        return ()
    files = (*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/**/conftest.py"))
    named = [path for path in files if f"mark.{mark}" in path.read_text()]
    found = {path.parent if path.name == "conftest.py" else path for path in named}
    return tuple(sorted(str(path.relative_to(ROOT)) for path in found))


def frontend_step(folder: Path) -> Step:
    """Return the tests of the checkout page's modules, run by Node itself.

    Why: Node 22 no longer accepts a folder, so the files are named one by one.
    """
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/frontend/**/*.test.*js"))
    report = folder / "frontend.tap"
    to_screen = ("--test-reporter=spec", "--test-reporter-destination=stdout")
    to_file = ("--test-reporter=tap", f"--test-reporter-destination={report}")
    command = ("node", "--test", *to_screen, *to_file, *(files or ["tests/frontend"]))
    return Step(name="frontend", command=command, without=SERVICES, report=report)
