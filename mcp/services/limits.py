"""How much of a limit is used: money and counts over windows that slide, asked at admission and again at dispatch."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Sum

from core.clock import optional_wire_time
from core.modes import Mode
from core.money import ZERO_USD, UsdAmount, to_decimal_string, usd
from mcp.errors import LimitExceeded
from mcp.models import AgentConnection, AgentEffect, AgentPolicy

DAY = timedelta(hours=24)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class StartingLimits:
    """What a new connection is offered until a person says otherwise."""

    per_call_usd: UsdAmount
    per_day_usd: UsdAmount


STARTING_LIMITS = {
    Mode.TEST: StartingLimits(per_call_usd=usd("1000"), per_day_usd=usd("10000")),
    Mode.LIVE: StartingLimits(per_call_usd=ZERO_USD, per_day_usd=ZERO_USD),
}
"""Source: docs/guides/agents.md, Limits and approvals."""


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """One set of limits and the effects that it counts. ``scope`` is ``connection`` or ``merchant``; None: no limit."""

    scope: str
    per_day_usd: UsdAmount | None
    per_hour_count: int | None
    effects: "QuerySet[AgentEffect]"


def allowances(connection: AgentConnection, policy: AgentPolicy | None) -> list[Allowance]:
    """The connection's own limits, and those over all connections where the merchant has set any."""
    own = Allowance(
        scope="connection",
        per_day_usd=connection.per_day_usd,
        per_hour_count=connection.per_hour_count,
        effects=AgentEffect.objects.filter(connection_id=connection.pk),
    )
    if policy is None:
        return [own]
    everybody = Allowance(
        scope="merchant",
        per_day_usd=policy.per_day_usd,
        per_hour_count=policy.per_hour_count,
        effects=AgentEffect.objects.filter(merchant_id=policy.merchant_id, mode=policy.mode),
    )
    return [own, everybody]


def refuse_beyond(
    connection: AgentConnection,
    policy: AgentPolicy | None,
    amount: UsdAmount,
    moment: datetime,
    before: AgentEffect | None = None,
) -> None:
    """Refuse what would break a limit at a moment. Raises: LimitExceeded.

    ``before``: only effects older than this one count, so that one that was let through can be judged again.
    An effect counts for 24 hours and for one hour, exactly, whatever became of its money.
    """
    if amount > connection.per_call_usd:
        allowed = connection.per_call_usd
        raise LimitExceeded(
            f"This connection may send at most {to_decimal_string(allowed)} USD at once, "
            f"and this is {to_decimal_string(amount)} USD.",
            _dollars("per_call_usd", "connection", allowed, left=allowed, asked=amount),
        )
    for allowance in allowances(connection, policy):
        counted = allowance.effects if before is None else allowance.effects.filter(pk__lt=before.pk)
        _refuse_beyond_day(allowance, counted.filter(created_at__gt=moment - DAY), amount)
        _refuse_beyond_hour(allowance, counted.filter(created_at__gt=moment - HOUR))


def _refuse_beyond_day(allowance: Allowance, counted: "QuerySet[AgentEffect]", asked: UsdAmount) -> None:
    allowed = allowance.per_day_usd
    if allowed is None:
        return
    used = counted.aggregate(sum=Sum("amount_usd"))["sum"] or ZERO_USD
    left = UsdAmount(max(allowed - used, ZERO_USD))
    if used + asked <= allowed:
        return
    frees_at = _when_enough_is_free(counted, need=UsdAmount(used + asked - allowed)) if asked <= allowed else None
    raise LimitExceeded(
        f"{_WHO[allowance.scope]} may send {to_decimal_string(allowed)} USD in 24 hours; "
        f"{to_decimal_string(left)} USD of it are left, and this is {to_decimal_string(asked)} USD.",
        {
            **_dollars("per_day_usd", allowance.scope, allowed, left=left, asked=asked),
            "window_seconds": int(DAY.total_seconds()),
            "frees_at": optional_wire_time(frees_at),
        },
    )


def _refuse_beyond_hour(allowance: Allowance, counted: "QuerySet[AgentEffect]") -> None:
    allowed = allowance.per_hour_count
    if allowed is None or (used := counted.count()) < allowed:
        return
    oldest = counted.order_by("created_at", "pk").values_list("created_at", flat=True)
    frees_at = oldest[used - allowed] + HOUR if allowed else None
    raise LimitExceeded(
        f"{_WHO[allowance.scope]} may move money {allowed} times in an hour, and all of them are used.",
        {
            "limit": "per_hour_count",
            "scope": allowance.scope,
            "allowed": allowed,
            "left": 0,
            "window_seconds": int(HOUR.total_seconds()),
            "frees_at": optional_wire_time(frees_at),
        },
    )


_WHO = {"connection": "This connection", "merchant": "All agents of this merchant together"}


def _dollars(limit: str, scope: str, allowed: UsdAmount, *, left: UsdAmount, asked: UsdAmount) -> dict[str, Any]:
    return {
        "limit": limit,
        "scope": scope,
        "allowed_usd": to_decimal_string(allowed),
        "left_usd": to_decimal_string(left),
        "asked_usd": to_decimal_string(asked),
    }


def _when_enough_is_free(counted: "QuerySet[AgentEffect]", *, need: UsdAmount) -> datetime | None:
    """When the oldest effects that count make up for what is missing have left the window."""
    freed = ZERO_USD
    for created_at, amount in counted.order_by("created_at", "pk").values_list("created_at", "amount_usd").iterator():
        freed = UsdAmount(freed + amount)
        if freed >= need:
            return created_at + DAY
    return None
