"""What an operator does to a merchant or an account: audited, and mailed to whom it concerns, in the same transaction.

``by`` is who acts, as audits name it: ``operator:3`` for the person with that number, ``operator:terminal`` for whoever
sits at one. Doors: the operators' pages and ``manage.py``. Source: docs/incidents.md; docs/adr/0096.
"""

from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string

from core.clock import now
from core.errors import InvalidRequest, NotFound, field_problem
from core.modes import Mode
from merchants.audit import record_operators_act
from merchants.errors import AccountExists, LastOperator
from merchants.first_factor import needs_word, word_for
from merchants.models import ApiKey, Membership, Merchant, Role, User
from merchants.services.team import end_sessions

TERMINAL: Final = "operator:terminal"
REASON_LENGTH: Final = 200
EMAIL_LENGTH: Final = 254


def operator_named(person: User) -> str:
    """How audits name an operator."""
    return f"operator:{person.pk}"


@transaction.atomic
def revoke_keys_of(merchant_id: int, mode: Mode, *, reason: str, by: str) -> list[str]:
    """Stop every key of a merchant and mode at once; their ends. New ones are made by its team on the dashboard.

    The next request with one is refused, in every process: each asks the database whether its key is good.
    Raises: InvalidRequest without a reason, NotFound. Locks: the merchant.
    """
    reason, merchant = checked_reason(reason), locked_merchant(merchant_id)
    good = ApiKey.objects.filter(merchant=merchant, mode=mode, revoked_at=None).order_by("pk")
    ended = [str(key) for key in good.exclude(expires_at__lte=now())]
    good.update(revoked_at=now())
    before, after = {"keys": ended}, {"reason": reason}
    record_operators_act(
        by, "keys.revoked_by_operator", merchant_ids=[merchant.pk], mode=mode, before=before, after=after
    )
    write_to_owners(
        merchant, f"your {mode} API keys were stopped", "keys_revoked", reason=reason, mode=mode, keys=ended
    )
    return ended


@transaction.atomic
def reset_second_factor(person: User, *, reason: str, by: str) -> int:
    """Take every second factor of a person away, and sign them out everywhere; how many there were.

    An operator then needs a word of ``manage.py factor_word`` for a new one. Raises: InvalidRequest without a reason.
    """
    reason = checked_reason(reason)
    gone: int = Authenticator.objects.filter(user=person).delete()[0]
    end_sessions(person)
    _record_of(person, by, "person.second_factor_reset", after={"reason": reason})
    _write(person.email, "Your second factor was taken away", "second_factor_reset", reason=reason)
    return gone


@transaction.atomic
def change_address(person: User, address: str, *, reason: str, by: str) -> None:
    """Let a person sign in by another address, and sign them out everywhere; both addresses are written to.

    Links that were mailed to the old one work no more. Raises: InvalidRequest, AccountExists. Locks: the account.
    """
    reason, address = checked_reason(reason), _checked(address)
    known = User.objects.select_for_update(no_key=True).get(pk=person.pk)
    if User.objects.filter(email=address).exists():
        raise AccountExists(f"{address} has an account already.")
    before, known.email = known.email, address
    known.save(update_fields=["email"])
    EmailAddress.objects.filter(user=known).delete()  # the sign-in library writes it again
    end_sessions(known)
    _record_of(
        known, by, "person.address_changed", before={"email": before}, after={"email": address, "reason": reason}
    )
    for to in (before, address):
        _write(to, "Your address here was changed", "address_changed", before=before, after=address, reason=reason)


def word_for_first_factor(person: User) -> str:
    """The word that an operator without a second factor needs to add one, good for an hour; empty for all others."""
    return word_for(person) if needs_word(person) else ""


@transaction.atomic
def make_operator(person: User, *, by: str) -> None:
    """Let a person in to the operators' pages, once a second factor is proven. Again changes nothing."""
    if not (person.is_staff and person.is_superuser):
        person.is_staff = person.is_superuser = True
        person.save(update_fields=["is_staff", "is_superuser"])
        end_sessions(person)
    record_operators_act(by, "operator.made", person.email)


@transaction.atomic
def remove_operator(person: User, *, reason: str, by: str) -> None:
    """Let a person in to the operators' pages no more, and sign them out everywhere. The account stays.

    Raises: InvalidRequest without a reason, or for who is none; LastOperator. Locks: every operator's account.
    """
    reason = checked_reason(reason)
    operators = User.objects.select_for_update(no_key=True).filter(is_staff=True, is_active=True).order_by("pk")
    numbers = [one.pk for one in operators]
    if not person.is_staff:
        raise InvalidRequest(f"{person.email} is no operator.")
    if numbers == [person.pk]:
        raise LastOperator
    User.objects.filter(pk=person.pk).update(is_staff=False, is_superuser=False)
    end_sessions(person)
    record_operators_act(by, "operator.removed", person.email, after={"reason": reason})
    _write(person.email, "You are no operator any more", "operator_removed", reason=reason)


@transaction.atomic
def suspend_merchant(merchant_id: int, *, reason: str, by: str) -> Merchant:
    """Let a merchant begin and change nothing more, in both modes, and pay nothing out; its owners are written to.

    What was begun goes on: payments are followed, settle and are sent to its webhooks, and refunds go back to who paid.
    Again changes nothing. Raises: InvalidRequest without a reason, NotFound. Locks: the merchant.
    """
    reason, merchant = checked_reason(reason), locked_merchant(merchant_id)
    if merchant.suspended_at is None:
        merchant.suspended_at = now()
        merchant.save(update_fields=["suspended_at"])
        record_operators_act(by, "merchant.suspended", merchant_ids=[merchant.pk], after={"reason": reason})
        write_to_owners(merchant, "suspended by the operator", "merchant_suspended", reason=reason)
    return merchant


@transaction.atomic
def end_suspension(merchant_id: int, *, reason: str, by: str) -> Merchant:
    """Let it begin and pay out again; what waited goes on by itself. Again changes nothing.

    Raises: InvalidRequest without a reason, NotFound. Locks: the merchant.
    """
    reason, merchant = checked_reason(reason), locked_merchant(merchant_id)
    if merchant.suspended_at is not None:
        merchant.suspended_at = None
        merchant.save(update_fields=["suspended_at"])
        record_operators_act(by, "merchant.suspension_ended", merchant_ids=[merchant.pk], after={"reason": reason})
        write_to_owners(merchant, "no longer suspended", "suspension_ended", reason=reason)
    return merchant


def write_to_owners(merchant: Merchant, subject: str, letter: str, **facts: Any) -> None:
    """Mail a merchant's owners what an operator did."""
    name = " ".join(merchant.name.split())
    owners = Membership.objects.filter(merchant=merchant, role=Role.OWNER, user__is_active=True).order_by("pk")
    for address in owners.values_list("user__email", flat=True):
        _write(address, f"{name}: {subject}", letter, merchant=name, **facts)


def _record_of(person: User, by: str, action: str, **values: Any) -> None:
    """In the service's audit, and in that of each merchant whose team the person belongs to."""
    teams = Membership.objects.filter(user=person).order_by("pk").values_list("merchant_id", flat=True)
    record_operators_act(by, action, person.email, merchant_ids=list(teams), **values)


def _write(to: str, subject: str, letter: str, **facts: Any) -> None:
    send_mail(subject, render_to_string(f"mail/{letter}.txt", facts), None, [to])


def locked_merchant(merchant_id: int) -> Merchant:
    """A merchant, held until the transaction ends. Raises: NotFound."""
    found = Merchant.objects.select_for_update(no_key=True).filter(pk=merchant_id).first()
    if found is None:
        raise NotFound("merchant")
    return found


def checked_reason(reason: str) -> str:
    """A reason on one line. Raises: InvalidRequest where there is none."""
    reason = " ".join(reason.split())[:REASON_LENGTH]
    if not reason:
        raise InvalidRequest(details={"fields": [field_problem("reason", "required", "Say why.")]})
    return reason


def _checked(address: str) -> str:
    address = address.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        address = ""
    if not address or len(address) > EMAIL_LENGTH:
        raise InvalidRequest(details={"fields": [field_problem("address", "format", "That is no e-mail address.")]})
    return address
