"""What people do to their own accounts stands in the audit of every merchant they belong to; a new factor ends what
came in without it.

Why signals: the sign-in library does these things itself, and says so in no other way.
"""

from dataclasses import replace
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as factors
from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from merchants.audit import Shown, record_audit_for_both_modes
from merchants.models import Membership, User
from merchants.services.team import acting

VISITOR = "visitor"
"""Who did not prove who it is."""
_KINDS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey or security key",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]  # untyped upstream
    """Ends sessions, and puts down that somebody ended their own."""

    def end_sessions(self, sessions: list[Any]) -> None:
        """End them."""
        super().end_sessions(sessions)
        for person in {session.user for session in sessions}:
            count = sum(session.user_id == person.pk for session in sessions)
            record_audit_everywhere(person, "person.sessions_ended", after={"sessions": count})


def record_audit_everywhere(person: Any, action: str, *, after: Shown | None = None, actor: str = "") -> None:
    """Write a line for every merchant that a person belongs to; ``actor`` where it was perhaps not that person."""
    if not isinstance(person, User):
        return
    for merchant_id in Membership.objects.filter(user=person).values_list("merchant_id", flat=True):
        principal = acting(person, merchant_id)
        record_audit_for_both_modes(
            replace(principal, actor=actor or principal.actor), action, person.email, after=after
        )


@receiver(account.user_logged_in)
def _signed_in(user: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.signed_in")


@receiver(user_logged_out)
def _signed_out(user: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.signed_out")


@receiver(user_login_failed)
def _sign_in_failed(credentials: dict[str, Any], **_: Any) -> None:
    """Why bounded: after five failures of an address the library asks nobody for minutes, and no line is written."""
    email = str(credentials.get("email") or credentials.get("username") or "")
    person = User.objects.filter(email=email.lower()).first()
    record_audit_everywhere(person, "person.sign_in_failed", actor=VISITOR)


@receiver([account.password_changed, account.password_set])
def _password_changed(user: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.password_changed")


@receiver(account.password_reset)
def _password_reset(user: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.password_reset")


@receiver(factors.authenticator_added)
def _factor_added(request: HttpRequest, user: Any, authenticator: Any, **_: Any) -> None:
    """Why other browsers are signed out: whoever sits there may have come in by the password alone."""
    record_audit_everywhere(user, _action_of(authenticator, "person.second_factor_added"), after=_shown(authenticator))
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        others = UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key)
        SessionsAdapter().end_sessions(list(others))


@receiver(factors.authenticator_removed)
def _factor_removed(user: Any, authenticator: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.second_factor_removed", after=_shown(authenticator))


@receiver(factors.authenticator_reset)
def _factor_reset(user: Any, authenticator: Any, **_: Any) -> None:
    record_audit_everywhere(user, _action_of(authenticator, "person.second_factor_added"), after=_shown(authenticator))


@receiver(factors.authentication_failed)
def _factor_failed(user: Any, **_: Any) -> None:
    record_audit_everywhere(user, "person.second_factor_failed", actor=VISITOR)


def _action_of(authenticator: Any, otherwise: str) -> str:
    is_codes = authenticator.type == Authenticator.Type.RECOVERY_CODES
    return "person.recovery_codes_made" if is_codes else otherwise


def _shown(authenticator: Any) -> dict[str, object]:
    return {"kind": _KINDS.get(authenticator.type, authenticator.type)}
