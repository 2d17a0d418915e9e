"""Creating merchants, forgetting what they asked long ago, and the doors to the services of their keys and origins."""

from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction

from core.clock import now
from core.errors import InvalidRequest, field_problem
from core.modes import Mode
from merchants.audit import record_audit_for_both_modes
from merchants.models import IdempotencyRecord, Membership, Merchant, RequestRecord, Role, User
from merchants.principal import Principal
from merchants.services.keys import (
    KeyPair,
    change_key,
    create_restricted_key,
    current_keys,
    issue_key_pair,
    revoke_every_key,
    revoke_key,
    roll_key_pair,
    roll_restricted_key,
    working_keys,
)

__all__ = [
    "KeyPair",
    "NewMerchant",
    "change_key",
    "create_merchant",
    "create_restricted_key",
    "current_keys",
    "forget_expired_answers",
    "forget_old_requests",
    "issue_key_pair",
    "rename_merchant",
    "revoke_every_key",
    "revoke_key",
    "roll_key_pair",
    "roll_restricted_key",
    "working_keys",
]

NAME_LENGTH = 120
EMAIL_LENGTH = 254
"""Source: docs/design/requests.md, Limits of a request."""
REQUESTS_KEPT_FOR = timedelta(days=30)
"""Source: docs/adr/0029."""


@dataclass(frozen=True, kw_only=True)
class NewMerchant:
    """A merchant just created, with its owner and both key pairs."""

    merchant: Merchant
    owner: User
    test: KeyPair
    live: KeyPair


@transaction.atomic
def create_merchant(name: str, email: str, password: str | None = None) -> NewMerchant:
    """Create a merchant, its owner (or use the person who has that address) and a key pair per mode.

    Raises: InvalidRequest when the name or the address cannot be one; then nothing was created.
    """
    problems = _name_problems(name)
    try:
        validate_email(email)
        MaxLengthValidator(EMAIL_LENGTH)(email)
    except ValidationError:
        problems.append(field_problem("email", "format", "The e-mail address is not one."))
    if problems:
        raise InvalidRequest(details={"fields": problems})
    owner = User.objects.filter(email=email.lower()).first() or User.objects.create_user(email, password)
    merchant = Merchant.objects.create(name=name)
    Membership.objects.create(user=owner, merchant=merchant, role=Role.OWNER)
    return NewMerchant(
        merchant=merchant,
        owner=owner,
        test=issue_key_pair(merchant, Mode.TEST),
        live=issue_key_pair(merchant, Mode.LIVE),
    )


def _name_problems(name: str) -> list[dict[str, str]]:
    if name.strip() and len(name) <= NAME_LENGTH and name.isprintable():
        return []
    return [field_problem("name", "format", f"The name must be 1 to {NAME_LENGTH} printable characters.")]


@transaction.atomic
def rename_merchant(principal: Principal, name: str) -> None:
    """Give the principal's merchant another name, in both modes. The same name changes nothing.

    Raises: InvalidRequest. Locks: the merchant.
    """
    name = name.strip()
    if problems := _name_problems(name):
        raise InvalidRequest(details={"fields": problems})
    merchant = Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    before, merchant.name = merchant.name, name
    if before != name:
        merchant.save(update_fields=["name"])
        record_audit_for_both_modes(principal, "merchant.renamed", before={"name": before}, after={"name": name})


def forget_expired_answers(at_once: int = 1000) -> int:
    """Delete idempotency records whose window is over, in small transactions; returns how many.

    Why in pieces: one long delete would hold its locks, and the log, for as long as it takes.
    """
    deleted = 0
    while True:
        expired = IdempotencyRecord.objects.filter(expires_at__lte=now()).values_list("pk", flat=True)[:at_once]
        count, _ = IdempotencyRecord.objects.filter(pk__in=list(expired)).delete()
        deleted += count
        if count < at_once:
            return deleted


def forget_old_requests(at_once: int = 1000) -> int:
    """Delete lines of the request log whose time is over, in small transactions; returns how many.

    Why in pieces: one long delete would hold its locks, and the log, for as long as it takes.
    Why by number: lines are numbered as they are written, within seconds by age, so the age needs no index.
    """
    ended, deleted, after = now() - REQUESTS_KEPT_FOR, 0, 0
    while True:
        stretch = RequestRecord.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:at_once]
        last = max(stretch, default=after)
        count, _ = RequestRecord.objects.filter(pk__gt=after, pk__lte=last, created_at__lt=ended).delete()
        deleted, after = deleted + count, last
        if not count:
            return deleted
