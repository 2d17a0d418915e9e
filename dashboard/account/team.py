"""The team: who belongs to it, what each role may do, whom it asked to join, and changing all that."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.clock import now
from core.errors import InvalidRequest, NotFound, RateLimited, ServiceError, field_problem
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.accounts import may_go_live
from merchants.acts import PERMISSIONS, Act
from merchants.models import Invitation, Membership, Role
from merchants.services.invitations import invite, open_invitations, send_again, withdraw
from merchants.services.team import change_role, hand_over, leave_team, may_give, remove_member

ROLE_WORDS: Final = {
    Role.OWNER: "Everything, the owners included.",
    Role.ADMIN: "Everything but the owners.",
    Role.DEVELOPER: "Keys, webhooks, the look of the checkout. No money, no team.",
    Role.SUPPORT: "Sees payers and payments, resends webhooks. Changes nothing else.",
    Role.VIEWER: "Looks around. Sees no payer's details.",
}
SECOND_FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
SHOWN = 200
_NO_ROLE = "Please choose one of the roles."
View = Callable[..., HttpResponse]


class MemberLine(NamedTuple):
    """One member as the page shows them."""

    member: Membership
    has_second_factor: bool
    is_self: bool
    may_change: bool


class InvitationLine(NamedTuple):
    """One open invitation as the page shows it."""

    invitation: Invitation
    is_over: bool
    may_change: bool


class PermissionLine(NamedTuple):
    """What one act is, and whether each role may, in the roles' order."""

    words: str
    roles: list[bool]
    is_fresh: bool


def show_team(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Members, open invitations, and what each role may do."""
    may_act = visit.may(Act.CHANGE_TEAM)
    waiting = open_invitations(visit.merchant).select_related("invited_by").order_by("-pk")[:SHOWN] if may_act else []
    moment = now()
    context = {
        "members": _member_lines(visit),
        "invitations": [
            InvitationLine(one, one.expires_at <= moment, may_give(visit.role, Role(one.role))) for one in waiting
        ],
        "roles": [role.label for role in Role],
        "permissions": [
            PermissionLine(permission.words, [role in permission.roles for role in Role], permission.fresh)
            for permission in PERMISSIONS.values()
        ],
        "may_act": may_act,
        "is_owner": visit.role == Role.OWNER,
        "lacks_second_factor": may_act and not may_go_live(visit.person),
    }
    return draw(request, visit, "dashboard/team/team.html", context)


def _with_second_factor(view: View) -> View:
    """Why in test mode too: whoever is invited there gets into live mode."""

    @wraps(view)
    def asked(request: HttpRequest, visit: Visit, **arguments: Any) -> HttpResponse:
        if not may_go_live(visit.person):
            messages.warning(request, "Changing the team needs a second factor. Add one here; it takes a minute.")
            return redirect("mfa_index")
        return view(request, visit, **arguments)

    return asked


@_with_second_factor
def invite_somebody(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for an address and a role, and mail the link."""
    typed = {"email": request.POST.get("email", ""), "role": request.POST.get("role", Role.DEVELOPER)}
    faults: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        try:
            sent = invite(visit.principal, visit.person, typed["email"], _role(typed["role"]))
            messages.success(request, f"The invitation is on its way to {sent.email}. Its link works for seven days.")
            return _to_team(visit)
        except InvalidRequest as refusal:
            faults |= {one["field"]: one["message"] for one in refusal.details["fields"]}
            status = refusal.http_status
        except ServiceError as refusal:
            faults["form"], status = _refusal_message(refusal), refusal.http_status
    context = {"typed": typed, "faults": faults, "choices": _choices(visit)}
    return draw(request, visit, "dashboard/team/invite.html", context, status=status)


@_with_second_factor
def resend(request: HttpRequest, visit: Visit, invitation_id: int) -> HttpResponse:
    """Ask, then send a new link."""
    found = _invitation_at(visit, invitation_id)
    context = {"invitation": found, "again": True}
    if request.method != "POST":
        return draw(request, visit, "dashboard/team/invitation.html", context)
    return _done(
        request,
        visit,
        lambda: send_again(visit.principal, visit.person, found.pk),
        f"A new link is on its way to {found.email}. The earlier one no longer works.",
    )


@_with_second_factor
def withdraw_one(request: HttpRequest, visit: Visit, invitation_id: int) -> HttpResponse:
    """Ask, then end an invitation."""
    found = _invitation_at(visit, invitation_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/team/invitation.html", {"invitation": found, "again": False})
    return _done(
        request,
        visit,
        lambda: withdraw(visit.principal, visit.person, found.pk),
        f"The invitation of {found.email} is withdrawn. Its link no longer works.",
    )


@_with_second_factor
def change(request: HttpRequest, visit: Visit, membership_id: int) -> HttpResponse:
    """Ask for the role, and give it."""
    member, wanted = _member_at(visit, membership_id), request.POST.get("role", "")
    is_sent = request.method == "POST"
    if is_sent and wanted in Role.values:
        return _done(
            request,
            visit,
            lambda: change_role(visit.principal, visit.person, member.pk, Role(wanted)),
            f"{member.user.email} is {wanted} now.",
        )
    context = {"member": member, "choices": _choices(visit), "fault": _NO_ROLE if is_sent else ""}
    return draw(request, visit, "dashboard/team/role.html", context, status=400 if is_sent else 200)


@_with_second_factor
def remove(request: HttpRequest, visit: Visit, membership_id: int) -> HttpResponse:
    """Ask, then take somebody out of the team."""
    member = _member_at(visit, membership_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/team/remove.html", {"member": member})
    return _done(
        request,
        visit,
        lambda: remove_member(visit.principal, visit.person, member.pk),
        f"{member.user.email} is out of the team and signed out everywhere.",
    )


@_with_second_factor
def transfer(request: HttpRequest, visit: Visit, membership_id: int) -> HttpResponse:
    """Ask, then make another member the owner."""
    member = _member_at(visit, membership_id)
    if request.method != "POST" and visit.role == Role.OWNER:
        return draw(request, visit, "dashboard/team/transfer.html", {"member": member})
    return _done(
        request,
        visit,
        lambda: hand_over(visit.principal, visit.person, member.pk),
        f"{member.user.email} is an owner now. You are an admin.",
    )


def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then leave."""
    if request.POST.get("leave") != "yes":
        return draw(request, visit, "dashboard/team/leave.html", {})
    try:
        leave_team(visit.principal, visit.person)
    except ServiceError as refusal:
        messages.error(request, refusal.message)
        return _to_team(visit)
    return redirect("account_login" if not visit.person.memberships.exists() else "dashboard")


def _done(request: HttpRequest, visit: Visit, write: Callable[[], object], message: str) -> HttpResponse:
    try:
        write()
        messages.success(request, message)
    except NotFound:
        raise Http404 from None
    except ServiceError as refusal:
        messages.error(request, _refusal_message(refusal))
    return _to_team(visit)


def _refusal_message(refusal: ServiceError) -> str:
    if isinstance(refusal, RateLimited):
        return "Too many mails were sent in the last hour. Nothing was sent now; try again later."
    return refusal.message


def _role(text: str) -> Role:
    if text not in Role.values:
        raise InvalidRequest(details={"fields": [field_problem("role", "unknown_value", _NO_ROLE)]})
    return Role(text)


def _choices(visit: Visit) -> list[tuple[str, str, str]]:
    return [(role.value, role.label, ROLE_WORDS[role]) for role in Role if may_give(visit.role, role)]


def _member_lines(visit: Visit) -> list[MemberLine]:
    members = list(visit.merchant.memberships.select_related("user").order_by("pk")[:SHOWN])
    people = [member.user_id for member in members]
    factors = Authenticator.objects.filter(user__in=people, type__in=SECOND_FACTORS)
    with_factor = set(factors.values_list("user_id", flat=True))
    order = list(Role)
    members.sort(key=lambda member: order.index(Role(member.role)))
    return [
        MemberLine(
            member,
            member.user_id in with_factor,
            member.user_id == visit.person.pk,
            may_give(visit.role, Role(member.role)),
        )
        for member in members
    ]


def _member_at(visit: Visit, membership_id: int) -> Membership:
    found = visit.merchant.memberships.select_related("user").filter(pk=membership_id).first()
    if found is None:
        raise Http404
    return found


def _invitation_at(visit: Visit, invitation_id: int) -> Invitation:
    found = open_invitations(visit.merchant).filter(pk=invitation_id).first()
    if found is None:
        raise Http404
    return found


def _to_team(visit: Visit) -> HttpResponse:
    return redirect(visit.url("team"))
