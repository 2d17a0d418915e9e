"""The charter: what a connection may move, asked and written down in the transaction that moves it."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from core import transitions
from core.clock import now, wire_time
from core.money import UsdAmount, to_decimal_string
from mcp.caller import Caller
from mcp.errors import AgentsPaused, ApprovalRequired, ConnectionEnded, TooManyEffects
from mcp.models import AgentConnection, AgentEffect, AgentPolicy, ApprovalRequest
from mcp.services.lenders import lost_right
from mcp.services.limits import refuse_beyond
from merchants.admission import Admit

MINUTE = timedelta(seconds=60)


class AboveThreshold(ApprovalRequired):
    """Allowed but for the person who must say yes; nothing was written. ``asking_first`` makes a request of it."""

    def __init__(self, amount: UsdAmount, threshold: UsdAmount) -> None:
        self.amount_usd = amount
        figures = {"amount_usd": to_decimal_string(amount), "approval_above_usd": to_decimal_string(threshold)}
        super().__init__(details=figures)


Check = Callable[[AgentConnection, UsdAmount, datetime], None]
"""What is asked besides the charter's limits, under its locks."""


def admission(caller: Caller, tool: str) -> Admit:
    """What ``create_payout`` and ``create_refund`` ask before they write: whether this connection may, right now.

    The effect is counted in the same transaction, so what is rolled back was never counted.
    Raises, when asked: ConnectionEnded, AgentsPaused, LimitExceeded, TooManyEffects, ApprovalRequired.
    Locks: the merchant's AgentPolicy, then the AgentConnection, both after every other row.
    """
    return _admission(caller.connection, tool, _alone)


def admission_by_person(connection: AgentConnection, tool: str) -> Admit:
    """The same for what a person just approved: its threshold is behind it, and nobody's minute is counted."""
    return _admission(connection, tool, lambda *_: None)


def policy_of(connection: AgentConnection) -> AgentPolicy:
    """The merchant's own row of limits, made where there is none. Why always one: its lock orders all effects."""
    policy, _ = AgentPolicy.objects.get_or_create(merchant_id=connection.merchant_id, mode=connection.mode)
    return policy


def locked_charter(connection: AgentConnection) -> tuple[AgentPolicy, AgentConnection]:
    """Both rows as they are now, locked, of a connection that its lender could still lend.

    Raises: ConnectionEnded; AgentsPaused. Locks: policy, then connection.
    """
    policy = transitions.locked(AgentPolicy.objects.all(), merchant_id=connection.merchant_id, mode=connection.mode)
    try:
        current = transitions.locked(AgentConnection.objects.all(), pk=connection.pk)
    except AgentConnection.DoesNotExist:
        raise ConnectionEnded from None
    if current.revoked_at is not None or (current.expires_at is not None and current.expires_at <= now()):
        raise ConnectionEnded
    if lost_right(current):
        raise ConnectionEnded
    if current.paused_at is not None:
        raise AgentsPaused("connection", wire_time(current.paused_at))
    if policy.paused_at is not None:
        raise AgentsPaused("merchant", wire_time(policy.paused_at))
    return policy, current


def effects_in_last_minute(connection: AgentConnection, moment: datetime) -> "list[datetime]":
    """When it moved money, or asked a person to, within the last minute; oldest first."""
    since = moment - MINUTE
    made = AgentEffect.objects.filter(connection_id=connection.pk, created_at__gt=since)
    asked = ApprovalRequest.objects.filter(connection_id=connection.pk, created_at__gt=since, subject_id=None)
    return sorted([*made.values_list("created_at", flat=True), *asked.values_list("created_at", flat=True)])


def refuse_haste(connection: AgentConnection, moment: datetime) -> None:
    """Refuse one effect too many within a minute. Raises: TooManyEffects.

    Source: docs/guides/agents.md, Limits and approvals.
    """
    most = int(settings.AGENT_EFFECTS_PER_MINUTE)
    recent = effects_in_last_minute(connection, moment)
    if len(recent) >= most:
        wait = (recent[len(recent) - most] + MINUTE - moment).total_seconds()
        raise TooManyEffects(most, int(MINUTE.total_seconds()), max(1, math.ceil(wait)))


def _admission(connection: AgentConnection, tool: str, check: Check) -> Admit:
    policy_of(connection)

    def admit(amount_usd: UsdAmount, subject_id: UUID, /) -> None:
        policy, current = locked_charter(connection)
        moment = now()
        refuse_beyond(current, policy, amount_usd, moment)
        check(current, amount_usd, moment)
        AgentEffect.objects.create(
            merchant_id=current.merchant_id,
            mode=current.mode,
            connection=current,
            tool=tool,
            amount_usd=amount_usd,
            subject_id=subject_id,
            created_at=moment,
        )

    return admit


def _alone(connection: AgentConnection, amount: UsdAmount, moment: datetime) -> None:
    refuse_haste(connection, moment)
    threshold = connection.approval_above_usd
    if threshold is not None and amount > threshold:
        raise AboveThreshold(amount, threshold)
