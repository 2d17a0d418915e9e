"""Changing who belongs to a team, as what. Every function holds the merchant's row, so that two people take turns.

Roles are read anew under that lock: who was demoted a moment ago changes nothing any more.
"""

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.dispatch import Signal

from core.clock import now
from core.errors import NotFound
from core.modes import Mode
from merchants.acts import Act, may
from merchants.audit import record_audit_for_both_modes
from merchants.errors import LastOwner, RoleNotAllowed
from merchants.models import Invitation, Membership, Merchant, Role, User
from merchants.principal import Principal

standing_changed = Signal()
"""Sent with ``user_id``, ``merchant_id`` and ``actor``, who did it, when a person's standing there changed: whoever is
removed, leaves or becomes something else. In the change's transaction.

Why in it: what hangs on the standing ends with it or not at all. Who listens must lock nothing that others hold while
they wait for a membership.
"""


def may_give(giver: Role, role: Role) -> bool:
    """Whether somebody may make others this, or change whoever is it: owners everything, admins all but owners."""
    return giver == Role.OWNER or (may(giver, Act.CHANGE_TEAM) and role != Role.OWNER)


@transaction.atomic
def change_role(principal: Principal, person: User, membership_id: int, role: Role) -> Membership:
    """Make a member something else. The same role again changes nothing.

    Raises: NotFound, RoleNotAllowed, LastOwner. Locks: the merchant.
    """
    mine, theirs = _both(principal, person, membership_id)
    before = Role(theirs.role)
    _demand(may_give(Role(mine.role), before) and may_give(Role(mine.role), role))
    if before == role:
        return theirs
    _keep_an_owner(theirs, role)
    _become(theirs, role, principal)
    record_audit_for_both_modes(
        principal, "member.role_changed", theirs.user.email, before={"role": before}, after={"role": role}
    )
    return theirs


@transaction.atomic
def hand_over(principal: Principal, person: User, membership_id: int) -> Membership:
    """Make another member the owner in one's own place, and oneself an admin.

    Raises: NotFound, RoleNotAllowed for all but owners. Locks: the merchant.
    """
    mine, theirs = _both(principal, person, membership_id)
    _demand(mine.role == Role.OWNER and mine.pk != theirs.pk)
    before = {mine.user.email: mine.role, theirs.user.email: theirs.role}
    _become(theirs, Role.OWNER, principal)
    _become(mine, Role.ADMIN, principal)
    after = {mine.user.email: mine.role, theirs.user.email: theirs.role}
    record_audit_for_both_modes(principal, "owner.handed_over", theirs.user.email, before=before, after=after)
    return theirs


@transaction.atomic
def remove_member(principal: Principal, person: User, membership_id: int) -> Membership:
    """Take somebody out of the team, and end all their sessions and the agents that they allowed.

    Raises: NotFound, RoleNotAllowed, LastOwner. Locks: the merchant.
    """
    mine, theirs = _both(principal, person, membership_id)
    _demand(may_give(Role(mine.role), Role(theirs.role)))
    _keep_an_owner(theirs, None)
    _take_out(theirs, principal)
    record_audit_for_both_modes(principal, "member.removed", theirs.user.email, before={"role": theirs.role})
    end_sessions(theirs.user)
    return theirs


@transaction.atomic
def leave_team(principal: Principal, person: User) -> None:
    """Leave. Raises: RoleNotAllowed where one is no member, LastOwner. Locks: the merchant."""
    mine = _mine(principal, person)
    _keep_an_owner(mine, None)
    _take_out(mine, principal)
    record_audit_for_both_modes(principal, "member.left", person.email, before={"role": mine.role})


def role_for_change(principal: Principal, person: User) -> Role:
    """The person's role now, for changing the team. Raises: RoleNotAllowed. Locks: the merchant, until the commit."""
    role = Role(_mine(principal, person).role)
    _demand(may(role, Act.CHANGE_TEAM))
    return role


def acting(person: User, merchant_id: int) -> Principal:
    """A person acting for a merchant as a whole, outside of any mode."""
    return Principal(merchant_id=merchant_id, mode=Mode.TEST, actor=f"user:{person.pk}")


def end_sessions(person: User) -> int:
    """End every session of a person, at once; returns how many."""
    sessions = list(UserSession.objects.filter(user=person))
    for session in sessions:
        session.end()
    return len(sessions)


def _both(principal: Principal, person: User, membership_id: int) -> tuple[Membership, Membership]:
    mine = _mine(principal, person)
    _demand(may(Role(mine.role), Act.CHANGE_TEAM))
    theirs = Membership.objects.select_related("user").filter(pk=membership_id, merchant=mine.merchant_id).first()
    if theirs is None:
        raise NotFound("member")
    return mine, mine if mine.pk == theirs.pk else theirs


def _mine(principal: Principal, person: User) -> Membership:
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    found = Membership.objects.select_related("user").filter(user=person, merchant=principal.merchant_id).first()
    if found is None:
        raise RoleNotAllowed
    return found


def _demand(is_allowed: bool) -> None:  # noqa: FBT001 - the one fact
    if not is_allowed:
        raise RoleNotAllowed


def _keep_an_owner(member: Membership, becomes: Role | None) -> None:
    if member.role != Role.OWNER or becomes == Role.OWNER:
        return
    others = Membership.objects.filter(merchant=member.merchant_id, role=Role.OWNER, user__is_active=True)
    if not others.exclude(pk=member.pk).exists():
        raise LastOwner


def _become(member: Membership, role: Role, by: Principal) -> None:
    member.role = role
    member.save(update_fields=["role"])
    _withdraw_beyond(member, role)
    _tell(member, by)


def _take_out(member: Membership, by: Principal) -> None:
    Membership.objects.filter(pk=member.pk).delete()
    _withdraw_beyond(member, None)
    _tell(member, by)


def _tell(member: Membership, by: Principal) -> None:
    standing_changed.send(Membership, user_id=member.user_id, merchant_id=member.merchant_id, actor=by.actor)


def _withdraw_beyond(member: Membership, role: Role | None) -> None:
    """Invitations that somebody could not write any more do not outlast their right to."""
    written = Invitation.objects.filter(merchant=member.merchant_id, invited_by=member.user_id)
    allowed = [] if role is None else [one for one in Role if may_give(role, one)]
    written.filter(accepted_at=None, withdrawn_at=None).exclude(role__in=allowed).update(withdrawn_at=now())
