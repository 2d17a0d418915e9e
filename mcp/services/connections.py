"""The life of a connection: granted on the consent page, limited, paused and renamed by people, ended for good.

Every change is made under the connection's row lock, and is in the audit in the same transaction.
Locks: the giver's membership, then the connection; nothing after it. What waits for a person and what was not sent yet
is stopped once that is committed: both are locked before a connection elsewhere, and are judged again before sending.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.dispatch import receiver

from core.clock import now, optional_wire_time
from core.modes import Mode
from core.money import UsdAmount, optional_decimal_string, to_decimal_string
from mcp.caller import CallFacts
from mcp.granting import may_grant
from mcp.models import AccessToken, AgentConnection, Application, AuditAction, Grant, RefreshToken
from mcp.services.approvals import SWEEP, withdraw_pending
from mcp.services.audit import Entry, record_entry
from mcp.services.holds import hold_undispatched
from mcp.services.lenders import lent_by, lost_right, without_lender
from merchants.models import Membership, Merchant, User
from merchants.services.team import standing_changed

NO_FACTS = CallFacts()


class ConsentOutdated(Exception):
    """What the page showed is no longer so: the connection, or what the person may lend. Nothing was changed."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a connection may send. Units: dollars; effects in an hour. ``approval_above_usd`` None: no person is asked.
    ``per_hour_count`` None: as it is.
    """

    per_call_usd: UsdAmount
    per_day_usd: UsdAmount
    approval_above_usd: UsdAmount | None
    per_hour_count: int | None = None

    def columns(self) -> dict[str, Any]:
        """As the connection's columns."""
        return {
            "per_call_usd": self.per_call_usd,
            "per_day_usd": self.per_day_usd,
            "approval_above_usd": self.approval_above_usd,
            **({} if self.per_hour_count is None else {"per_hour_count": self.per_hour_count}),
        }

    def words(self) -> dict[str, Any]:
        """As the audit writes them."""
        return {
            "per_call_usd": to_decimal_string(self.per_call_usd),
            "per_day_usd": to_decimal_string(self.per_day_usd),
            "approval_above_usd": optional_decimal_string(self.approval_above_usd),
            **({} if self.per_hour_count is None else {"per_hour_count": self.per_hour_count}),
        }


@dataclass(frozen=True, kw_only=True)
class Parties:
    """Who lends to which client, for which merchant, in which world: at most one connection of these is active."""

    user: User
    application: Application
    merchant: Merchant
    mode: Mode


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a person agreed to."""

    name: str
    scopes: frozenset[str]
    limits: Limits
    expires_at: datetime


def active_connection(parties: Parties) -> AgentConnection | None:
    """The connection that a new grant between the same parties would widen."""
    found: AgentConnection | None = _active().filter(**vars(parties)).order_by("-pk").first()
    return found


def latest_connection(user: User, application: Application) -> AgentConnection | None:
    """The connection that a client used last, whatever its merchant and mode."""
    mine = _active().filter(user=user, application=application, merchant__memberships__user=user)
    return max(mine, key=lambda known: known.last_used_at or known.created_at, default=None)


def grant_connection(
    parties: Parties, terms: Terms, *, shown: AgentConnection | None, facts: CallFacts = NO_FACTS
) -> AgentConnection:
    """Make the connection, or let the one that the page had ``shown`` have these terms from now on.

    Raises: ConsentOutdated when another one is active by now, or the person may no longer lend this.
    """
    with transaction.atomic():
        # Why the membership's lock: it also lets two grants between the same parties come one after the other.
        lender = Membership.objects.select_for_update().filter(user=parties.user, merchant=parties.merchant).first()
        if lender is None or not terms.scopes <= may_grant(lender.role):
            raise ConsentOutdated
        found = active_connection(parties)
        if (found and found.pk) != (shown and shown.pk):
            raise ConsentOutdated
        if found is None:
            connection = AgentConnection.objects.create(**vars(parties), **_columns(terms))
        else:
            connection = _widened(found, terms)
        action = AuditAction.CONSENT if found is None else AuditAction.STEP_UP
        arguments = {"scopes": connection.scopes, "expires_at": optional_wire_time(connection.expires_at)}
        _note(connection, action, f"user:{parties.user.pk}", {**arguments, **terms.limits.words()}, facts)
    return connection


def revoke_connection(connection: AgentConnection, *, actor: str, facts: CallFacts = NO_FACTS) -> AgentConnection:
    """End a connection for good, with every code, access token and refresh token issued under it.

    Again on one that is ended: kills what is left and stops what still waits, without a second line in the audit.
    """
    with transaction.atomic():
        locked = _revoked(_lock(connection), actor=actor, facts=facts)
    _stop_what_waits(locked, actor)
    return locked


@receiver(standing_changed)
@transaction.atomic
def end_what_is_not_lent(user_id: int, merchant_id: int, actor: str, **_: Any) -> None:
    """End, for good, what a person lent of a merchant and may not lend any more. Asked in the change of the team.

    What waits for a person and what was not sent is stopped once that is committed; a fault there undoes nothing, since
    both are judged again before anything is sent. Locks: the connections.
    """
    for lent in lent_by(user_id, merchant_id):
        because = lost_right(lent)
        if because is not None:
            ended = _revoked(_lock(lent), actor=actor, because=because)
            transaction.on_commit(partial(_stop_what_waits, ended, actor), robust=True)


def sweep_lenders() -> int:
    """The same for whoever lost the right without a word to us, say by an operator's hand; returns how many ended."""
    found = without_lender()
    for user_id, merchant_id in {(lent.user_id, lent.merchant_id) for lent in found}:
        end_what_is_not_lent(user_id, merchant_id, SWEEP)
    return len(found)


def pause_connection(connection: AgentConnection, *, actor: str, facts: CallFacts = NO_FACTS) -> AgentConnection:
    """Let no money leave through it until it is resumed; reading goes on."""
    paused = _change(connection, {"paused_at": connection.paused_at or now()}, {"paused": True}, actor, facts)
    hold_undispatched(paused, actor=actor)
    return paused


def resume_connection(connection: AgentConnection, *, actor: str, facts: CallFacts = NO_FACTS) -> AgentConnection:
    """Let money leave again, within its limits."""
    return _change(connection, {"paused_at": None}, {"paused": False}, actor, facts)


def change_limits(
    connection: AgentConnection, limits: Limits, *, actor: str, facts: CallFacts = NO_FACTS
) -> AgentConnection:
    """Let these limits hold from the next call on, and for what was made and not sent yet."""
    limited = _change(connection, limits.columns(), limits.words(), actor, facts)
    hold_undispatched(limited, actor=actor)
    return limited


def rename_connection(
    connection: AgentConnection, name: str, *, actor: str, facts: CallFacts = NO_FACTS
) -> AgentConnection:
    """Call it otherwise."""
    return _change(connection, {"name": name}, {"name": name}, actor, facts)


def limits_of(connection: AgentConnection) -> Limits:
    """The limits that hold."""
    return Limits(
        per_call_usd=connection.per_call_usd,
        per_day_usd=connection.per_day_usd,
        approval_above_usd=connection.approval_above_usd,
    )


def _revoked(locked: AgentConnection, *, actor: str, because: str = "", facts: CallFacts = NO_FACTS) -> AgentConnection:
    """The connection, ended, with everything that was issued under it. Locks: the caller holds it."""
    if locked.revoked_at is None:
        locked.revoked_at, locked.revoked_because = now(), because
        locked.save(update_fields=["revoked_at", "revoked_because"])
        _note(locked, AuditAction.REVOCATION, actor, {"because": because} if because else {}, facts)
    Grant.objects.filter(connection=locked).delete()
    # Kept as revoked rows: a later try of one must be known for what it is.
    RefreshToken.objects.filter(connection=locked, revoked=None).update(revoked=now(), access_token=None)
    AccessToken.objects.filter(connection=locked).delete()
    return locked


def _stop_what_waits(ended: AgentConnection, actor: str) -> None:
    withdraw_pending(ended, actor=actor)
    hold_undispatched(ended, actor=actor)


def _active() -> Any:
    alive = Q(expires_at=None) | Q(expires_at__gt=now())
    return AgentConnection.objects.select_related("merchant").filter(alive, revoked_at=None)


def _widened(found: AgentConnection, terms: Terms) -> AgentConnection:
    locked = _lock(found)
    if locked.revoked_at is not None:
        raise ConsentOutdated
    return _save(locked, _columns(terms))


def _columns(terms: Terms) -> dict[str, Any]:
    return {
        "name": terms.name,
        "scopes": sorted(terms.scopes),
        "expires_at": terms.expires_at,
        **terms.limits.columns(),
    }


def _change(
    connection: AgentConnection, columns: Mapping[str, Any], words: Mapping[str, Any], actor: str, facts: CallFacts
) -> AgentConnection:
    with transaction.atomic():
        locked = _save(_lock(connection), columns)
        _note(locked, AuditAction.CHANGE, actor, words, facts)
    return locked


def _lock(connection: AgentConnection) -> AgentConnection:
    return AgentConnection.objects.select_for_update().get(pk=connection.pk)


def _save(connection: AgentConnection, columns: Mapping[str, Any]) -> AgentConnection:
    for column, value in columns.items():
        setattr(connection, column, value)
    connection.save(update_fields=list(columns))
    return connection


def _note(
    connection: AgentConnection, action: AuditAction, actor: str, arguments: Mapping[str, Any], facts: CallFacts
) -> None:
    record_entry(Entry(action=action, outcome="ok", actor=actor, arguments=arguments), connection, facts)
