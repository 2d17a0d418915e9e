"""Which signer an account has: by its backend, opened anew when its file changed, and only for its own address."""

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from chains.models import SigningAccount
from chains.signers.base import SignerUnavailable
from chains.signers.registry import opened, signer_of
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import EVM, EVM_ADDRESS, EVM_KEY, SOLANA, Given, account_of, changed, store

pytestmark = pytest.mark.django_db


def refusal(account: SigningAccount) -> str:
    """Why an account has no signer."""
    with pytest.raises(SignerUnavailable) as refused:
        signer_of(account)
    return str(refused.value)


@pytest.mark.parametrize("given", [EVM, SOLANA], ids=["evm", "solana"])
def test_a_keystore_signs_for_its_address_until_its_key_is_taken_away(given: Given, account: NewMerchant) -> None:
    path = store(given)
    row = account_of(account.merchant.pk, given)
    assert signer_of(row) is signer_of(row)
    assert signer_of(row).address == given.address
    assert opened("keystore", "shop", given.family).address == given.address
    path.chmod(0o644)
    assert "others may read or change it" in refusal(row)
    path.chmod(0o600)
    assert signer_of(row).address == given.address
    changed(row, address=given.recipient)
    assert refusal(row) == f"The key belongs to {given.address}, and the account to {given.recipient}."
    path.unlink()
    assert "No such file" in refusal(row)


def test_a_secret_is_given_as_a_variable_or_as_a_file_that_can_be_replaced(
    account: NewMerchant, settings: Settings, tmp_path: Path
) -> None:
    row = account_of(account.merchant.pk, backend="secret")
    settings.SIGNER_SECRETS = {"shop": Sealed(b"not a key")}
    assert refusal(row) == "What SIGNER_SECRET_SHOP holds is not a key of this kind of chain."
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM_KEY.hex().encode())}
    assert signer_of(row).address == EVM_ADDRESS
    path, other = tmp_path / "given", tmp_path / "other"
    path.write_text(EVM_KEY.hex() + "\n")
    path.chmod(0o644)
    settings.SIGNER_SECRETS = {"shop": path}
    assert "others may read or change it" in refusal(row)
    path.chmod(0o600)
    assert signer_of(row).address == EVM_ADDRESS
    other.write_text("11" * 32)
    other.chmod(0o600)
    os.replace(other, path)
    assert refusal(row).startswith("The key belongs to 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A")
    path.unlink()
    assert "No such file" in refusal(row)


def test_what_cannot_be_found_is_said(account: NewMerchant) -> None:
    row = account_of(account.merchant.pk)
    for backend, reference, sentence in (
        ("secret", "shop", "No key is given under this name: set SIGNER_SECRET_SHOP_FILE."),
        ("secret", EVM_KEY.hex(), "No key is given under this name: set SIGNER_SECRET_…_FILE."),
        ("paper", "shop", "No backend has this name; known are keystore, secret, aws_kms."),
        ("aws_kms", "shop", "A key of AWS KMS is named by its id, its ARN, or alias/ and a name."),
        ("aws_kms", "alias/shop", "SIGNER_KMS_REGION is not set, so AWS KMS is not asked."),
        ("keystore", "../shop", "A key's name has at most 63 small letters, digits, hyphens and underscores."),
    ):
        changed(row, backend=backend, key_reference=reference)
        assert refusal(row) == sentence
    changed(row, chain="moon")
    assert refusal(row) == "The account's chain is not known here."
