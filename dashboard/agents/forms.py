"""Reads the forms on which people set limits. A field that makes no sense changes nothing and is named."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, TypeVar

from core.money import UsdAmount
from mcp.models import AgentConnection, AgentPolicy
from mcp.services.connections import Limits
from mcp.services.policies import Bounds

Value = TypeVar("Value")
MOST_PER_HOUR: Final = 10_000
_DOLLARS = re.compile(r"\d{1,9}(\.\d{1,2})?")
_COUNT = re.compile(r"\d{1,5}")
_NOT_DOLLARS = "Dollars, like 25 or 25.50."
_NOT_A_COUNT = f"A whole number up to {MOST_PER_HOUR:,}."


@dataclass
class Form:
    """What was typed, and what is wrong with it by field."""

    typed: Mapping[str, str]
    faults: dict[str, str] = field(default_factory=dict)

    def dollars(self, name: str) -> UsdAmount | None:
        """The amount in a field; None where it is empty."""
        return self._read(
            name, lambda text: UsdAmount(Decimal(text)) if _DOLLARS.fullmatch(text) else None, _NOT_DOLLARS
        )

    def count(self, name: str) -> int | None:
        """The whole number in a field; None where it is empty."""
        return self._read(
            name,
            lambda text: int(text) if _COUNT.fullmatch(text) and int(text) <= MOST_PER_HOUR else None,
            _NOT_A_COUNT,
        )

    def demand(self, *names: str) -> None:
        """These must not be empty."""
        self.faults |= {name: "Please fill this in; 0 means nothing." for name in names if not self._text(name)}

    def _text(self, name: str) -> str:
        return self.typed.get(name, "").strip()

    def _read(self, name: str, read: Callable[[str], Value | None], fault: str) -> Value | None:
        text = self._text(name).removeprefix("$")
        if not text:
            return None
        value = read(text) if text.isascii() else None
        if value is None:
            self.faults[name] = fault
        return value


def read_limits(form: Form) -> Limits | None:
    """The limits that were typed; None, with the faults in the form, where they make no sense."""
    form.demand("per_call_usd", "per_day_usd", "per_hour_count")
    per_call, per_day, per_hour = (
        form.dollars("per_call_usd"),
        form.dollars("per_day_usd"),
        form.count("per_hour_count"),
    )
    asks = form.dollars("approval_above_usd")
    if form.faults or per_call is None or per_day is None or per_hour is None:
        return None
    return Limits(per_call_usd=per_call, per_day_usd=per_day, per_hour_count=per_hour, approval_above_usd=asks)


def read_bounds(form: Form) -> Bounds | None:
    """The bounds that were typed; None, with the faults in the form, where they make no sense."""
    per_day, per_hour = form.dollars("per_day_usd"), form.count("per_hour_count")
    return None if form.faults else Bounds(per_day_usd=per_day, per_hour_count=per_hour)


def limits_as_typed(connection: AgentConnection) -> dict[str, str]:
    """A connection's limits as its form shows them."""
    return {
        "per_call_usd": _typed(connection.per_call_usd),
        "per_day_usd": _typed(connection.per_day_usd),
        "per_hour_count": str(connection.per_hour_count),
        "approval_above_usd": _typed(connection.approval_above_usd),
    }


def bounds_as_typed(policy: AgentPolicy | None) -> dict[str, str]:
    """The merchant's bounds as their form shows them."""
    if policy is None:
        return {"per_day_usd": "", "per_hour_count": ""}
    count = policy.per_hour_count
    return {"per_day_usd": _typed(policy.per_day_usd), "per_hour_count": "" if count is None else str(count)}


def _typed(amount: UsdAmount | None) -> str:
    return "" if amount is None else f"{amount:.2f}"
