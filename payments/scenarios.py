"""The one list of test outcomes, read by the API's helpers, the checkout's test panel, providers, docs and tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext_noop as _

from core.errors import InvalidRequest, field_problem
from core.modes import Mode

ASKED_BY = "simulate"
"""The key of an intent's metadata by which its scenario is chosen."""
DEFAULT = "settle"
QUOTE_EXPIRED = "quote_expired"
"""The scenario in which a price runs out at once."""


class Group(StrEnum):
    """Who makes a scenario happen, in the order in which they are offered."""

    WALLET = "wallet"
    PRICE = "price"
    NETWORK = "network"
    AFTER = "after"
    """What comes after the payment: a payout, a refund."""

    @property
    def label(self) -> str:
        """As a menu names it."""
        return {"wallet": _("The wallet"), "price": _("The price"), "network": _("The network")}.get(self, "Afterwards")


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One outcome that test mode can be asked for."""

    name: str
    label: str
    outcome: str
    """The payment's status when nothing more is done."""
    group: Group
    afterwards: str = ""
    """The same of the payout or refund that it is about."""

    @property
    def applies_to(self) -> str:
        """What takes another course by it."""
        return self.name.partition("_")[0] if self.group is Group.AFTER else "payment_intent"

    @property
    def ends_in(self) -> str:
        """The status in which that is when nothing more is done."""
        return self.afterwards or self.outcome

    @property
    def for_payers(self) -> bool:
        """Whether a payer meets it on the page."""
        return self.group is not Group.AFTER


@cache
def scenarios() -> dict[str, Scenario]:
    """Every scenario by name, in the file's order."""
    rows = json.loads(Path(__file__).with_name("scenarios.json").read_text())
    return {row["name"]: Scenario(**row | {"group": Group(row["group"])}) for row in rows}


NAMES: Final[tuple[str, ...]] = tuple(scenarios())
"""What a test can ask for, in the file's order."""
ENDS: Final[tuple[str, ...]] = tuple(sorted({one.ends_in for one in scenarios().values()}))
"""Every status in which one of them ends."""


def scenarios_for_payers() -> list[tuple[Group, list[Scenario]]]:
    """What a test panel offers, by who makes it happen."""
    offered = [one for one in scenarios().values() if one.for_payers]
    return [(group, [one for one in offered if one.group is group]) for group in Group if group is not Group.AFTER]


def refuse_unknown_scenario(metadata: Mapping[str, Any], mode: Mode) -> None:
    """Let no test be written down that tests nothing; in live mode the word means nothing. Raises: InvalidRequest."""
    asked = metadata.get(ASKED_BY)
    if asked is None or mode != Mode.TEST or (isinstance(asked, str) and asked in scenarios()):
        return
    problem = field_problem(f"metadata.{ASKED_BY}", "unknown_value", f"Must be among {', '.join(scenarios())}.")
    raise InvalidRequest(details={"fields": [problem]})


def scenario_named(name: object) -> str:
    """The scenario to play for a name from outside; unknown names play the default."""
    return name if isinstance(name, str) and name in scenarios() else DEFAULT
