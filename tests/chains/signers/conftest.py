"""Every test of signing begins with an empty folder of keys and a passphrase, and no signer opened before."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from pytest_django import Settings

from chains.registry import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS
from chains.signers.registry import forget_signers
from core.clock import now
from core.secrets import Sealed
from tests.chains.signers.rows import PASSPHRASE
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price


@pytest.fixture(autouse=True)
def keys_folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Why a cheap passphrase: a dear one takes a second each time; ``test_keystore`` sees that it is dear."""
    monkeypatch.setattr("chains.signers.keystore.WORK_FACTOR", 2**4)
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


@pytest.fixture
def priced_coins(db: None) -> None:
    """Every native coin costs 100 dollars now, so that caps can be held."""
    load_bundled_tokens()
    for coin in Token.objects.filter(address__in=[EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS]):
        record_usd_price(coin, Decimal(100), now(), "one")
