"""Which signer an account has: by its backend, opened anew when its file changed, and only for its own address."""

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from chains.models import SigningAccount
from chains.registry import Family
from chains.signers.base import SignerUnavailable
from chains.signers.registry import opened, signer_of
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import (
    EVM,
    EVM_ADDRESS,
    EVM_KEY,
    RECIPIENT,
    SOLANA,
    SOLANA_ADDRESS,
    Given,
    account_of,
    store,
)

pytestmark = pytest.mark.django_db


def refusal(account: SigningAccount) -> str:
    """Why an account has no signer."""
    with pytest.raises(SignerUnavailable) as refused:
        signer_of(account)
    return str(refused.value)


def secret_file(folder: Path, content: str, mode: int = 0o600) -> Path:
    """A key in clear, as an orchestrator hands it over."""
    path = folder / "given"
    path.write_text(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("given", [EVM, SOLANA], ids=["evm", "solana"])
def test_a_keystore_signs_for_its_address(given: Given, account: NewMerchant) -> None:
    store(given)
    assert signer_of(account_of(account.merchant.pk, given)).address == given.address


def test_a_name_that_leads_to_another_key_does_not_sign(account: NewMerchant) -> None:
    store(SOLANA)
    wrong = account_of(account.merchant.pk, SOLANA, address="9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g")
    assert refusal(wrong) == f"The key belongs to {SOLANA_ADDRESS}, and the account to {wrong.address}."


def test_a_secret_given_as_a_variable(account: NewMerchant, settings: Settings) -> None:
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM_KEY.hex().encode())}
    assert signer_of(account_of(account.merchant.pk, backend="secret")).address == EVM_ADDRESS


def test_a_secret_given_as_a_file_can_be_replaced(account: NewMerchant, settings: Settings, tmp_path: Path) -> None:
    path = secret_file(tmp_path, EVM_KEY.hex() + "\n")
    settings.SIGNER_SECRETS = {"shop": path}
    row = account_of(account.merchant.pk, backend="secret")
    assert signer_of(row).address == EVM_ADDRESS
    other = tmp_path / "other"
    other.write_text("11" * 32)
    other.chmod(0o600)
    os.replace(other, path)
    assert refusal(row).startswith("The key belongs to 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A")
    path.unlink()
    assert "No such file" in refusal(row)


@pytest.mark.parametrize("given", [EVM, SOLANA], ids=["evm", "solana"])
def test_taking_a_key_away_stops_signing(given: Given, account: NewMerchant) -> None:
    path = store(given)
    row = account_of(account.merchant.pk, given)
    assert signer_of(row) is signer_of(row)
    path.chmod(0o644)
    assert "others may read or change it" in refusal(row)
    path.chmod(0o600)
    assert signer_of(row).address == given.address
    path.unlink()
    assert "No such file" in refusal(row)


def test_a_secret_that_others_may_read_is_refused(account: NewMerchant, settings: Settings, tmp_path: Path) -> None:
    settings.SIGNER_SECRETS = {"shop": secret_file(tmp_path, EVM_KEY.hex(), 0o644)}
    assert "others may read or change it" in refusal(account_of(account.merchant.pk, backend="secret"))


@pytest.mark.parametrize(
    ("backend", "reference", "sentence"),
    [
        ("secret", "shop", "No key is given under this name: set SIGNER_SECRET_SHOP_FILE."),
        ("secret", EVM_KEY.hex(), "No key is given under this name: set SIGNER_SECRET_…_FILE."),
        ("paper", "shop", "No backend has this name; known are keystore, secret, aws_kms."),
        ("aws_kms", "shop", "A key of AWS KMS is named by its id, its ARN, or alias/ and a name."),
        ("aws_kms", "alias/shop", "SIGNER_KMS_REGION is not set, so AWS KMS is not asked."),
        ("keystore", "../shop", "A key's name has at most 63 small letters, digits, hyphens and underscores."),
    ],
    ids=["secret", "pasted", "backend", "kms_name", "kms_region", "path"],
)
def test_what_cannot_be_found_is_said(backend: str, reference: str, sentence: str, account: NewMerchant) -> None:
    assert refusal(account_of(account.merchant.pk, backend=backend, key_reference=reference)) == sentence


def test_what_is_no_key_is_said(account: NewMerchant, settings: Settings) -> None:
    settings.SIGNER_SECRETS = {"shop": Sealed(b"not a key")}
    row = account_of(account.merchant.pk, backend="secret")
    assert refusal(row) == "What SIGNER_SECRET_SHOP holds is not a key of this kind of chain."


def test_a_chain_that_nobody_knows_has_no_signer(account: NewMerchant) -> None:
    assert refusal(account_of(account.merchant.pk, chain="moon")) == "The account's chain is not known here."


def test_one_key_serves_all_evm_chains() -> None:
    store(EVM)
    assert opened("keystore", "shop", Family.EVM).address == EVM_ADDRESS != RECIPIENT
