"""Asking people into a team by a mailed link, and letting them in by it.

Of a link only the digest is kept. A guess, an old, a used and a withdrawn link are answered alike.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string

from core.buckets import Limit
from core.clock import now
from core.errors import InvalidRequest, NotFound, field_problem
from core.rate_limits import take_each
from core.secrets import lookup_digest, random_token
from merchants.audit import record_audit_for_both_modes
from merchants.errors import AccountExists, AlreadyMember, InvitationOver, RoleNotAllowed, TooManyInvitations
from merchants.models import Invitation, Membership, Merchant, Role, User
from merchants.principal import Principal
from merchants.services import EMAIL_LENGTH
from merchants.services.team import acting, may_give, role_for_change

LIFETIME = timedelta(days=7)
MOST_OPEN = 50
MAILS: Final = (Limit(count=30, window_seconds=3600),)
"""Of one merchant. Why so few: whoever takes over an account must not get a way to write to strangers."""
MAILS_TO_ADDRESS: Final = (Limit(count=5, window_seconds=3600),)
_PREFIX = "inv_"


def open_invitations(merchant: Merchant) -> "QuerySet[Invitation]":
    """What was neither accepted nor withdrawn, also where it is too old by now."""
    return Invitation.objects.filter(merchant=merchant, accepted_at=None, withdrawn_at=None)


def invite(principal: Principal, person: User, email: str, role: Role) -> Invitation:
    """Ask an address into the team; an open invitation to it is replaced, and its link ends.

    Raises: InvalidRequest, RoleNotAllowed, AlreadyMember, TooManyInvitations, RateLimited. Locks: the merchant.
    """
    email = _address(email)
    _count(principal, email)
    return _invite(principal, person, email, role)


@transaction.atomic
def _invite(principal: Principal, person: User, email: str, role: Role) -> Invitation:
    if not may_give(role_for_change(principal, person), role):
        raise RoleNotAllowed
    merchant = Merchant.objects.get(pk=principal.merchant_id)
    if Membership.objects.filter(merchant=merchant, user__email=email).exists():
        raise AlreadyMember
    waiting = open_invitations(merchant)
    waiting.filter(email=email).update(withdrawn_at=now())
    if waiting.count() >= MOST_OPEN:
        raise TooManyInvitations
    token = random_token(_PREFIX)
    made = Invitation.objects.create(
        merchant=merchant,
        email=email,
        role=role,
        digest=lookup_digest(token),
        invited_by=person,
        expires_at=now() + LIFETIME,
    )
    _mail(made, token)
    record_audit_for_both_modes(principal, "invitation.sent", email, after={"email": email, "role": role})
    return made


def send_again(principal: Principal, person: User, invitation_id: int) -> Invitation:
    """Send a new link for another seven days; the one sent before ends.

    Raises: NotFound, RoleNotAllowed, RateLimited. Locks: the merchant.
    """
    known = Invitation.objects.filter(merchant=principal.merchant_id, pk=invitation_id).first()
    if known is None:
        raise NotFound("invitation")
    _count(principal, known.email)
    return _send_again(principal, person, invitation_id)


@transaction.atomic
def _send_again(principal: Principal, person: User, invitation_id: int) -> Invitation:
    found = _open_at(principal, person, invitation_id)
    token = random_token(_PREFIX)
    found.digest, found.expires_at, found.invited_by = lookup_digest(token), now() + LIFETIME, person
    found.save(update_fields=["digest", "expires_at", "invited_by"])
    _mail(found, token)
    record_audit_for_both_modes(principal, "invitation.sent_again", found.email, after={"role": found.role})
    return found


@transaction.atomic
def withdraw(principal: Principal, person: User, invitation_id: int) -> Invitation:
    """End an invitation. Raises: NotFound, RoleNotAllowed. Locks: the merchant."""
    found = _open_at(principal, person, invitation_id)
    found.withdrawn_at = now()
    found.save(update_fields=["withdrawn_at"])
    record_audit_for_both_modes(principal, "invitation.withdrawn", found.email, before={"role": found.role})
    return found


def find_invitation(token: str) -> Invitation:
    """The invitation that a link belongs to, while it is open. Raises: InvitationOver."""
    open_now = Invitation.objects.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=now())
    found = open_now.select_related("merchant", "invited_by").filter(digest=lookup_digest(token)).first()
    if found is None:
        raise InvitationOver
    return found


@transaction.atomic
def accept(token: str, person: User) -> Membership:
    """Let the person whose address was asked into the team; the link ends.

    Raises: InvitationOver, RoleNotAllowed for anybody else, AlreadyMember. Locks: the merchant.
    """
    asked = find_invitation(token)
    Merchant.objects.select_for_update(no_key=True).get(pk=asked.merchant_id)
    asked = find_invitation(token)  # as it is now that nobody else changes the team
    if asked.email != person.email.lower():
        raise RoleNotAllowed("This invitation is for another address.")
    if Membership.objects.filter(merchant=asked.merchant, user=person).exists():
        raise AlreadyMember
    asked.accepted_at = now()
    asked.save(update_fields=["accepted_at"])
    made = Membership.objects.create(user=person, merchant=asked.merchant, role=asked.role)
    record_audit_for_both_modes(
        acting(person, asked.merchant_id), "member.joined", person.email, after={"role": asked.role}
    )
    return made


@transaction.atomic
def join_as_new_user(token: str, password: str) -> User:
    """Create the person whose address was asked, with a password of their own, and let them in.

    Raises: InvitationOver, AccountExists when the address came to an account meanwhile. Locks: the merchant.
    """
    email = find_invitation(token).email
    person, is_new = User.objects.get_or_create(email=email)
    if not is_new:
        raise AccountExists
    person.set_password(password)
    person.save(update_fields=["password"])
    accept(token, person)
    return person


def _open_at(principal: Principal, person: User, invitation_id: int) -> Invitation:
    role = role_for_change(principal, person)
    waiting = Invitation.objects.filter(merchant=principal.merchant_id, accepted_at=None, withdrawn_at=None)
    found = waiting.select_related("merchant").filter(pk=invitation_id).first()
    if found is None:
        raise NotFound("invitation")
    if not may_give(role, Role(found.role)):
        raise RoleNotAllowed
    return found


def _address(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        email = ""
    if not email or len(email) > EMAIL_LENGTH:
        raise InvalidRequest(details={"fields": [field_problem("email", "format", "That is no e-mail address.")]})
    return email


def _count(principal: Principal, email: str) -> None:
    """Why before any lock: where the counters are is another machine."""
    from_here = [(f"invitations:{principal.merchant_id}", limit) for limit in MAILS]
    take_each([*from_here, *((f"mails_to:{lookup_digest(email)}", limit) for limit in MAILS_TO_ADDRESS)])


def _mail(asked: Invitation, token: str) -> None:
    text = render_to_string(
        "mail/invitation.txt",
        {
            "merchant": _plain(asked.merchant.name),
            "by": asked.invited_by.email,
            "role": asked.role,
            "link": f"{settings.BASE_URL}/accounts/invitation/{token}/",
        },
    )
    send_mail(f"Join {_plain(asked.merchant.name)} on Causeway", text, None, [asked.email])


def _plain(name: str) -> str:
    """A merchant's name for a mail: on one line, short, and with nothing that a mail program makes a link of."""
    return "".join(one for one in name[:60] if one.isprintable()).replace(".", "․").replace("/", "⁄")
