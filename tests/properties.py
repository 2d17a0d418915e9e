"""A pytest plugin: how many examples a property is searched by, and from which seed. No module says it of its own.

The same 50 in each run; with ``--exhaustive-examples`` 1000 from a seed that is printed at the end, and that
``--hypothesis-seed`` repeats.
"""

import os
import secrets

import pytest
from hypothesis import HealthCheck, Phase, settings

EXAMPLES, EXHAUSTIVE_EXAMPLES = 50, 1000


def few() -> settings:
    """A quarter of the examples, 60 at most, for a property whose every example lives through a whole story."""
    return settings(max_examples=min(settings().max_examples // 4, 60))


def half(variable: str) -> settings:
    """Half of the examples, 200 at most, or as many as an environment variable says.

    Why at most: each lives for a second, and the whole tier has an hour for everything.
    """
    return settings(max_examples=int(os.environ.get(variable, "0")) or min(settings().max_examples // 2, 200))


def search(most: int) -> settings:
    """So many examples at most, for who looks for one and not for the simplest."""
    return settings(max_examples=most, phases=[Phase.generate])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--exhaustive-examples", action="store_true", help="1000 examples of each property, of any seed")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the profile. Why first: Hypothesis's own plugin takes the seed over, and workers take it from here.

    Why without health checks: they judge the search, one of them by the clock, and never the code.
    """
    exhaustive = config.getoption("--exhaustive-examples")
    if exhaustive and config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = str(secrets.randbelow(10**9))
    settings.register_profile(
        "suite",
        derandomize=not exhaustive,
        deadline=None,
        database=None,
        max_examples=EXHAUSTIVE_EXAMPLES if exhaustive else EXAMPLES,
        suppress_health_check=tuple(HealthCheck),
    )
    settings.load_profile("suite")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how to repeat the run. Why at the end: a quiet run prints no header."""
    if config.getoption("--exhaustive-examples"):
        seed = config.option.hypothesis_seed
        terminalreporter.write_line(f"properties: {EXHAUSTIVE_EXAMPLES} examples, --hypothesis-seed={seed}")
