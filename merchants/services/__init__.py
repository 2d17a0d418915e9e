"""Creating merchants, and the doors to the services of their keys and of what is forgotten of them."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction

from core.errors import InvalidRequest, field_problem
from core.modes import Mode
from merchants.audit import record_audit_for_both_modes
from merchants.models import Membership, Merchant, Role, User
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
from merchants.services.upkeep import (
    forget_ended_sessions,
    forget_expired_answers,
    forget_old_requests,
    make_request_days,
)

__all__ = [
    "KeyPair",
    "NewMerchant",
    "change_key",
    "create_merchant",
    "create_restricted_key",
    "current_keys",
    "forget_ended_sessions",
    "forget_expired_answers",
    "forget_old_requests",
    "issue_key_pair",
    "make_request_days",
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
