"""Keys in clear that the operator hands over one by one, as a file of an orchestrator or as a variable."""

from pathlib import Path

from django.conf import settings

from chains.registry import Family
from chains.signers.base import SignerUnavailable
from chains.signers.keys import read_plain
from chains.signers.keystore import is_key_name
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
