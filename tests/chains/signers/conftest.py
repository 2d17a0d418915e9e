"""Every test of signing begins with an empty folder of keys and a passphrase, and no signer opened before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from chains.signers.registry import forget_signers
from core.secrets import Sealed
from tests.chains.signers.rows import PASSPHRASE


@pytest.fixture(autouse=True)
def keys_folder(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The folder of encrypted keys."""
    folder = tmp_path / "keys"
    folder.mkdir(mode=0o700)
    settings.SIGNER_KEYS_DIR = str(folder)
    settings.SIGNER_PASSPHRASE = Sealed(PASSPHRASE.encode())
    settings.SIGNER_SECRETS = {}
    settings.SIGNER_KMS_REGION = ""
    settings.SIGNER_KMS_ENDPOINT = ""
    forget_signers()
    yield folder
    forget_signers()
