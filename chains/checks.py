"""``manage.py check --database default``: whether the enrolled accounts can sign as they are configured here."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DatabaseError

from chains.models import SigningAccount
from chains.registry import chain
from chains.signers.base import SignerUnavailable
from chains.signers.keystore import key_path
from chains.signers.kms import is_kms_reference
from chains.signers.registry import Backend
from core.private_files import NotPrivate, read_private


def check_signing_accounts(databases: Any = None, **_: object) -> list[CheckMessage]:
    """Every account that cannot sign, with the reason. No key is opened, and no service asked."""
    try:
        accounts = list(SigningAccount.objects.filter(retired_at=None)) if databases else []
    except DatabaseError:
        return []
    found = [(account, fault) for account in accounts for fault in _faults(account)]
    return [Error(f"Signing account {account.pk} ({account}): {fault}", id="causeway.E002") for account, fault in found]


def _faults(account: SigningAccount) -> Iterator[str]:
    if account.cap_per_transfer_usd > account.cap_per_day_usd:
        yield "its cap per transfer is above its cap per day."
    if account.backend == Backend.KEYSTORE:
        yield from _keystore_faults(account)
    elif account.backend == Backend.SECRET:
        if settings.SIGNER_SECRETS and account.key_reference not in settings.SIGNER_SECRETS:
            yield f"no SIGNER_SECRET_{account.key_reference.upper()} is given."
    elif account.backend != Backend.AWS_KMS:
        yield "its backend is not known."
    elif not is_kms_reference(account.key_reference):
        yield "its key is not named as AWS KMS names keys."


def _keystore_faults(account: SigningAccount) -> Iterator[str]:
    """Why not where no folder is set: only the worker has the keys, and the web process is right to have none."""
    known = chain(account.chain)
    if known is None or not settings.SIGNER_KEYS_DIR:
        return
    try:
        read_private(key_path(account.key_reference, known.family))
    except (NotPrivate, SignerUnavailable) as refusal:
        yield str(refusal)
