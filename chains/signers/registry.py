"""Which signer an account has: one table of backends, and what was opened before."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

from django.conf import settings

from chains.models import SigningAccount
from chains.registry import Family, chain
from chains.signers.base import Signer, SignerUnavailable
from chains.signers.keys import read_plain, signer_for
from chains.signers.keystore import is_key_name, key_path, open_key
from chains.signers.kms import open_kms
from core.private_files import NotPrivate, read_private
from core.secrets import Sealed


def open_secret(name: str, family: Family) -> Sealed:
    """The key of this name. Raises: SignerUnavailable."""
    given = settings.SIGNER_SECRETS.get(name) if is_key_name(name) else None
    if given is None:
        raise SignerUnavailable(f"No key is given under this name: set SIGNER_SECRET_{_shown(name)}_FILE.")
    key = read_plain(family, _text(given))
    if key is None:
        raise SignerUnavailable(f"What SIGNER_SECRET_{_shown(name)} holds is not a key of this kind of chain.")
    return key


def _text(given: Sealed | Path) -> Sealed:
    if isinstance(given, Sealed):
        return given
    try:
        return read_private(given)
    except NotPrivate as refusal:
        raise SignerUnavailable(str(refusal)) from None


def _shown(name: str) -> str:
    """The name as its variable has it. Why not any text: somebody may have pasted the key itself."""
    return name.upper() if is_key_name(name) else "…"


class Backend(StrEnum):
    """Where an account's key is kept."""

    KEYSTORE = "keystore"
    SECRET = "secret"  # noqa: S105 - a word, not a secret
    AWS_KMS = "aws_kms"


def signer_of(account: SigningAccount) -> Signer:
    """What signs for an account. Only ``chains.signers.policy`` calls it. Raises: SignerUnavailable.

    Why the address is compared: a name that leads to another key must not sign with it.
    """
    known = chain(account.chain)
    if known is None:
        raise SignerUnavailable("The account's chain is not known here.")
    signer = opened(account.backend, account.key_reference, known.family)
    if signer.address != account.address:
        raise SignerUnavailable(f"The key belongs to {signer.address}, and the account to {account.address}.")
    return signer


def opened(backend: str, reference: str, family: Family) -> Signer:
    """The signer of this name, opened anew when its file has changed. Raises: SignerUnavailable.

    Why it is kept: opening an encrypted key costs a second, and AWS a question. A file that is gone, or open to
    others, is refused from then on.
    """
    if backend not in _OPENERS:
        raise SignerUnavailable(f"No backend has this name; known are {', '.join(Backend)}.")
    name, mark = (backend, reference, family), _mark(backend, reference, family)
    kept = _kept.get(name)
    if kept is None or kept[0] != mark:
        _kept.pop(name, None)
        kept = _kept[name] = (mark, _OPENERS[Backend(backend)](reference, family))
    return kept[1]


def forget_signers() -> None:
    """Open every key anew. Why: tests change what names lead to."""
    _kept.clear()


def _local(open_one: Callable[[str, Family], Sealed]) -> Callable[[str, Family], Signer]:
    def open_local(reference: str, family: Family) -> Signer:
        signer = signer_for(family, open_one(reference, family))
        if signer is None:
            raise SignerUnavailable("What this name leads to is not a key of this kind of chain.")
        return signer

    return open_local


_OPENERS: Final[dict[Backend, Callable[[str, Family], Signer]]] = {
    Backend.KEYSTORE: _local(open_key),
    Backend.SECRET: _local(open_secret),
    Backend.AWS_KMS: open_kms,
}
_kept: dict[tuple[str, str, Family], tuple[object, Signer]] = {}


def _mark(backend: str, reference: str, family: Family) -> object:
    """What changes when the key behind a name may have changed."""
    if backend == Backend.AWS_KMS:
        return settings.SIGNER_KMS_REGION, settings.SIGNER_KMS_ENDPOINT
    given = key_path(reference, family) if backend == Backend.KEYSTORE else settings.SIGNER_SECRETS.get(reference)
    if not isinstance(given, Path):
        return given
    try:
        found = given.stat()
    except OSError:
        return None
    return given, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_mode, found.st_uid
