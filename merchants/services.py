"""Creating merchants and their keys."""

from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction
from django.db.models import QuerySet

from core.clock import now
from core.errors import InvalidRequest, field_problem
from core.modes import Mode
from core.secrets import lookup_digest, random_token
from merchants.errors import KeyPairChanged
from merchants.models import ApiKey, IdempotencyRecord, KeyKind, Membership, Merchant, Role, User

NAME_LENGTH = 120
EMAIL_LENGTH = 254
"""Source: contract, Limits."""


@dataclass(frozen=True, kw_only=True)
class KeyPair:
    """A secret and a publishable key in clear: the only moment the secret can be read."""

    mode: Mode
    secret_key: str
    publishable_key: str


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
    _refuse_nonsense(name, email)
    owner = User.objects.filter(email=email.lower()).first() or User.objects.create_user(email, password)
    merchant = Merchant.objects.create(name=name)
    Membership.objects.create(user=owner, merchant=merchant, role=Role.OWNER)
    return NewMerchant(
        merchant=merchant,
        owner=owner,
        test=issue_key_pair(merchant, Mode.TEST),
        live=issue_key_pair(merchant, Mode.LIVE),
    )


def _refuse_nonsense(name: str, email: str) -> None:
    problems = []
    if not name.strip() or len(name) > NAME_LENGTH or not name.isprintable():
        message = f"The name must be 1 to {NAME_LENGTH} printable characters."
        problems.append(field_problem("name", "format", message))
    try:
        validate_email(email)
        MaxLengthValidator(EMAIL_LENGTH)(email)
    except ValidationError:
        problems.append(field_problem("email", "format", "The e-mail address is not one."))
    if problems:
        raise InvalidRequest(details={"fields": problems})


@transaction.atomic
def issue_key_pair(merchant: Merchant, mode: Mode) -> KeyPair:
    """A new secret and publishable key."""
    return KeyPair(
        mode=mode,
        secret_key=_issue(merchant, mode, KeyKind.SECRET, rolled_from=None),
        publishable_key=_issue(merchant, mode, KeyKind.PUBLISHABLE, rolled_from=None),
    )


@transaction.atomic
def roll_key_pair(merchant: Merchant, mode: Mode, grace: timedelta, *, shown_key_id: int) -> KeyPair:
    """Replace the current pair; the old keys stop working after the grace, at once when it is zero.

    ``shown_key_id`` is the secret key that the person saw as current, 0 where there was none.
    Raises: KeyPairChanged when it is no longer the current one, so that a form sent twice rolls once.
    Locks: the merchant.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    newest = {key.kind: key for key in current_keys(merchant, mode)}
    secret, publishable = newest.get(KeyKind.SECRET), newest.get(KeyKind.PUBLISHABLE)
    if shown_key_id != (secret.pk if secret else 0):
        raise KeyPairChanged
    current_keys(merchant, mode).update(expires_at=now() + grace)
    return KeyPair(
        mode=mode,
        secret_key=_issue(merchant, mode, KeyKind.SECRET, rolled_from=secret),
        publishable_key=_issue(merchant, mode, KeyKind.PUBLISHABLE, rolled_from=publishable),
    )


def current_keys(merchant: Merchant, mode: Mode) -> QuerySet[ApiKey]:
    """The secret and publishable keys in use that have no end set, oldest first."""
    kinds = [KeyKind.SECRET, KeyKind.PUBLISHABLE]
    return ApiKey.objects.filter(
        merchant=merchant, mode=mode, revoked_at=None, expires_at=None, kind__in=kinds
    ).order_by("pk")


def revoke_key(key: ApiKey) -> None:
    """Stop a key at once."""
    key.revoked_at = now()
    key.save(update_fields=["revoked_at"])


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


def _issue(merchant: Merchant, mode: Mode, kind: KeyKind, *, rolled_from: ApiKey | None) -> str:
    secret = random_token(f"{kind}_{mode}_")
    ApiKey.objects.create(
        merchant=merchant,
        mode=mode,
        kind=kind,
        digest=lookup_digest(secret),
        last_four=secret[-4:],
        publishable_value=secret if kind == KeyKind.PUBLISHABLE else "",
        rolled_from=rolled_from,
    )
    return secret
