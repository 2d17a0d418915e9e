"""Encrypted keys in a folder: one file for each, all opened by one passphrase.

EVM keys are Web3 Secret Storage (version 3), as every client of Ethereum writes it; Solana keys are encrypted PKCS #8,
as OpenSSL writes it. Both can be made and opened without this service. Source: docs/signing.md.
"""

import json
import re
from pathlib import Path

from django.conf import settings

from chains.registry import Family
from chains.signers import pkcs8
from chains.signers.base import SignerUnavailable
from chains.signers.evm import eth_account
from chains.signers.quiet import kept_quiet
from core.private_files import NotPrivate, read_private, write_private
from core.secrets import Sealed

SUFFIX = {Family.EVM: ".json", Family.SOLANA: ".pem"}
WORK_FACTOR = 2**18
"""How dear each guess of the passphrase is: scrypt's ``n``, as clients of Ethereum write it."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


def is_key_name(text: str) -> bool:
    """Whether it can name a key: no letter of it leads out of a folder, and no key in clear is as short."""
    return _NAME.fullmatch(text) is not None


def key_path(name: str, family: Family) -> Path:
    """The file of a key, whether it is there or not. Raises: SignerUnavailable."""
    if not settings.SIGNER_KEYS_DIR:
        raise SignerUnavailable("SIGNER_KEYS_DIR is not set, so there are no encrypted keys here.")
    if not is_key_name(name):
        raise SignerUnavailable("A key's name has at most 63 small letters, digits, hyphens and underscores.")
    folder = Path(settings.SIGNER_KEYS_DIR).resolve()
    path = folder / f"{name}{SUFFIX[family]}"
    if not path.resolve().is_relative_to(folder):
        raise SignerUnavailable(f"The file of the key {name} leads out of SIGNER_KEYS_DIR.")
    return path


def open_key(name: str, family: Family) -> Sealed:
    """The key of this name. Raises: SignerUnavailable."""
    return _open(key_path(name, family), family, _passphrase())


def store_key(name: str, family: Family, key: Sealed) -> Path:
    """Encrypt a key into a new file; an existing one is never overwritten. Raises: SignerUnavailable."""
    path = key_path(name, family)
    _store(path, family, key, _passphrase())
    return path


def copy_keys(folder: Path, passphrase: Sealed) -> list[Path]:
    """Write every key of SIGNER_KEYS_DIR into another folder, under another passphrase; the new files.

    Each is opened again from there. Raises: SignerUnavailable; what was written until then stays.
    Why a copy: whoever signs meanwhile goes on with the folder and the passphrase that it was started with.
    """
    families = {suffix: family for family, suffix in SUFFIX.items()}
    copies = []
    for found in sorted(Path(settings.SIGNER_KEYS_DIR).iterdir()):
        if found.suffix in families and is_key_name(found.stem):
            family, copy = families[found.suffix], folder / found.name
            key = open_key(found.stem, family)
            _store(copy, family, key, passphrase)
            if _open(copy, family, passphrase).reveal() != key.reveal():
                raise SignerUnavailable(f"{copy} does not hold the key that was written there.")
            copies.append(copy)
    return copies


def _open(path: Path, family: Family, passphrase: Sealed) -> Sealed:
    try:
        stored = read_private(path)
    except NotPrivate as refusal:
        raise SignerUnavailable(str(refusal)) from None

    def opened() -> bytes:
        if family is Family.EVM:
            return bytes(eth_account().decrypt(json.loads(stored.reveal()), passphrase.reveal().decode()))
        return pkcs8.opened(stored.reveal(), passphrase.reveal())

    key = kept_quiet(lambda: Sealed(opened()))
    if key is None:
        raise SignerUnavailable(f"The key {path.stem} cannot be opened: another passphrase, or not a key of this kind.")
    return key


def _store(path: Path, family: Family, key: Sealed, passphrase: Sealed) -> None:
    def closed() -> bytes:
        if family is Family.EVM:
            made = eth_account().encrypt(key.reveal(), passphrase.reveal().decode(), iterations=WORK_FACTOR)
            return json.dumps(made).encode()
        return pkcs8.closed(key.reveal(), passphrase.reveal())

    stored = kept_quiet(closed)
    if stored is None:
        raise SignerUnavailable(f"The key {path.stem} cannot be encrypted.")
    try:
        write_private(path, Sealed(stored))
    except NotPrivate as refusal:
        raise SignerUnavailable(str(refusal)) from None


def _passphrase() -> Sealed:
    if settings.SIGNER_PASSPHRASE is None:
        raise SignerUnavailable("SIGNER_PASSPHRASE is not set, so encrypted keys stay closed.")
    return settings.SIGNER_PASSPHRASE
