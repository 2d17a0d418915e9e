"""The one list of test outcomes, read by the API's helpers, the simulated wallet, the providers and the tests."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DEFAULT = "settle"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One outcome that test mode can be asked for."""

    name: str
    label: str
    outcome: str
    for_payers: bool


@cache
def scenarios() -> dict[str, Scenario]:
    """Every scenario by name, in the file's order."""
    rows = json.loads(Path(__file__).with_name("scenarios.json").read_text())
    return {row["name"]: Scenario(**row) for row in rows}


def scenario_named(name: object) -> str:
    """The scenario to play for a name from outside; unknown names play the default."""
    return name if isinstance(name, str) and name in scenarios() else DEFAULT
