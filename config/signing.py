"""What signing needs: where keys lie, what opens them, and which key service is asked. Nothing set: nothing is signed.

Why a secret given as a variable is taken out of the environment: whatever this process starts would inherit it, and
whatever prints an environment would print it. A file (``NAME_FILE``) never gets there at all.
"""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import THIS_MACHINE, env
from core.private_files import NotPrivate, read_private, refuse_open_folder
from core.secrets import Sealed

SHORTEST_PASSPHRASE = 12
SECRET_PREFIX, _FILE = "SIGNER_SECRET_", "_FILE"
_SECRET_NAME = re.compile(r"[A-Z0-9][A-Z0-9_]{0,62}")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d{1,2}")
_taken: dict[str, Sealed] = {}


def keys_folder(name: str) -> str:
    """The folder of encrypted keys; empty for none. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="").strip()
    if text and not Path(text).is_absolute():
        raise ImproperlyConfigured(f"{name} must be the whole path of a folder, from the root, and not {text!r}.")
    if text:
        _refuse_unless_private(name, Path(text))
    return text


def passphrase(name: str, folder: str) -> Sealed | None:
    """What opens the keys in the folder. Raises: ImproperlyConfigured where one is set without the other."""
    found = _sealed(name)
    if found is not None and len(found.reveal()) < SHORTEST_PASSPHRASE:
        raise ImproperlyConfigured(f"{name} must have at least {SHORTEST_PASSPHRASE} characters.")
    if bool(folder) != (found is not None):
        raise ImproperlyConfigured(f"SIGNER_KEYS_DIR and {name} (or {name}_FILE) must be set together, or neither.")
    return found


def named_secrets() -> dict[str, Sealed | Path]:
    """Keys given one by one: ``SIGNER_SECRET_SHOP`` or ``SIGNER_SECRET_SHOP_FILE`` is the key named ``shop``.

    A file is read when it is needed, so that it can be replaced while the service runs.
    Raises: ImproperlyConfigured.
    """
    names = {name.removesuffix(_FILE) for name in (*os.environ, *_taken) if name.startswith(SECRET_PREFIX)}
    found = {_key_name(name): _sealed_or_file(name) for name in sorted(names)}
    return {name: secret for name, secret in found.items() if secret is not None}


def key_service_region(name: str) -> str:
    """The region of AWS KMS; empty where it is not used. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="").strip()
    if text and not _REGION.fullmatch(text):
        raise ImproperlyConfigured(f"{name} must be a region of AWS like eu-central-1, and not {text!r}.")
    return text


def key_service_url(name: str, region: str) -> str:
    """Another address than AWS's own, such as a private endpoint; empty for AWS's own. Raises: ImproperlyConfigured."""
    text: str = env.str(name, default="").strip()
    if text and not region:
        raise ImproperlyConfigured(f"{name} is set but SIGNER_KMS_REGION is not: signatures to AWS name a region.")
    if text and not _is_safe_origin(text):
        raise ImproperlyConfigured(f"{name} must be like https://kms.example.com; http:// only for this machine.")
    return text.rstrip("/")


def _key_name(variable: str) -> str:
    name = variable.removeprefix(SECRET_PREFIX)
    if not _SECRET_NAME.fullmatch(name):
        raise ImproperlyConfigured(f"{SECRET_PREFIX}… must end in a name of capital letters, digits and underscores.")
    return name.lower()


def _sealed_or_file(name: str) -> Sealed | Path | None:
    path = _file_of(name)
    if path is None:
        return _sealed(name)
    _read(name, path)
    return path


def _sealed(name: str) -> Sealed | None:
    """A secret from its variable, which is taken out of the environment, or from the file that another one names."""
    path = _file_of(name)
    if path is not None:
        return _read(name, path)
    text = os.environ.pop(name, "").strip()
    if text:
        _taken[name] = Sealed(text.encode())
    return _taken.get(name)


def _file_of(name: str) -> Path | None:
    path = os.environ.get(name + _FILE, "").strip()
    if path and (os.environ.get(name) or name in _taken):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: keep one of them.")
    return Path(path) if path else None


def _read(name: str, path: Path) -> Sealed:
    try:
        return read_private(path)
    except NotPrivate as refusal:
        raise ImproperlyConfigured(f"{name}_FILE: {refusal}") from None


def _refuse_unless_private(name: str, folder: Path) -> None:
    try:
        refuse_open_folder(folder)
    except NotPrivate as refusal:
        raise ImproperlyConfigured(f"{name}: {refusal}") from None


def _is_safe_origin(url: str) -> bool:
    try:
        address = urlsplit(url)
        is_safe = address.scheme == "https" or (address.scheme == "http" and address.hostname in THIS_MACHINE)
        is_bare = not any((address.path.strip("/"), address.query, address.fragment, address.username))
        return is_safe and is_bare and bool(address.hostname) and address.port != 0
    except ValueError:
        return False
