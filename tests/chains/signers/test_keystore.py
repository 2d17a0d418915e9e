"""Encrypted keys and the signers that open them: forms, names and files, and which signer an account has."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from eth_account import Account
from pytest_django import Settings

from chains.models import SigningAccount
from chains.registry import Family
from chains.signers import pkcs8
from chains.signers.base import SignerUnavailable
from chains.signers.keystore import WORK_FACTOR, key_path, open_key, store_key
from chains.signers.registry import opened, signer_of
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import (
    EVM,
    EVM_ADDRESS,
    EVM_KEY,
    PASSPHRASE,
    SOLANA,
    SOLANA_KEY,
    Given,
    account_of,
    changed,
    store,
)


def refusal(name: str, family: Family = Family.SOLANA) -> str:
    with pytest.raises(SignerUnavailable) as refused:
        open_key(name, family)
    return str(refused.value)


def openssl(*arguments: str) -> bytes:
    program = shutil.which("openssl")
    assert program is not None
    return subprocess.run([program, *arguments], capture_output=True, check=True).stdout


def test_a_key_comes_back_from_a_file_that_other_programs_read(
    keys_folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ethereum's own library, and OpenSSL, open what is written here, with nothing of ours. Each family has files of
    its own, guessing a passphrase costs time, as the files say themselves, and another passphrase opens nothing.
    """
    monkeypatch.setattr("chains.signers.keystore.WORK_FACTOR", WORK_FACTOR)
    paths = {given.family: store(given) for given in (EVM, SOLANA)}
    assert paths == {Family.EVM: keys_folder / "shop.json", Family.SOLANA: keys_folder / "shop.pem"}
    for given in (EVM, SOLANA):
        path = paths[given.family]
        assert key_path("shop", given.family) == path
        assert path.stat().st_mode & 0o777 == 0o600
        assert given.key not in path.read_bytes()
        assert given.key.hex() not in path.read_text()
        assert open_key("shop", given.family).reveal() == given.key
    stored = json.loads(paths[Family.EVM].read_text())
    assert bytes(Account.decrypt(stored, PASSPHRASE)) == EVM_KEY
    assert (stored["crypto"]["kdf"], stored["crypto"]["kdfparams"]["n"]) == ("scrypt", 2**18)
    pem = str(paths[Family.SOLANA])
    assert openssl("pkey", "-in", pem, "-passin", f"pass:{PASSPHRASE}", "-outform", "DER").endswith(SOLANA_KEY)
    der = base64.b64decode("".join(paths[Family.SOLANA].read_text().splitlines()[1:-1]))
    assert (600_000).to_bytes(3) in der
    settings.SIGNER_PASSPHRASE = Sealed(b"another passphrase")
    for family in paths:
        assert refusal("shop", family).startswith("The key shop cannot be opened: another passphrase")


def test_files_of_other_programs_are_read(keys_folder: Path) -> None:
    """With few rounds, as their defaults are, and in the lighter of the two derivations."""
    light, path = keys_folder / "other.json", keys_folder / "other.pem"
    light.write_text(json.dumps(Account.encrypt(EVM_KEY, PASSPHRASE, kdf="pbkdf2", iterations=1000)))
    light.chmod(0o600)
    assert open_key("other", Family.EVM).reveal() == EVM_KEY
    openssl("genpkey", "-algorithm", "ed25519", "-aes-256-cbc", "-pass", f"pass:{PASSPHRASE}", "-out", str(path))
    path.chmod(0o600)
    assert len(open_key("other", Family.SOLANA).reveal()) == 32


def test_a_file_that_is_no_key_or_was_changed_is_refused(keys_folder: Path) -> None:
    for content in (b"{}", b"[]", b"nonsense", b"\x00\xff" * 50, b'{"version": 3, "crypto": 1}'):
        for suffix, family in ((".json", Family.EVM), (".pem", Family.SOLANA)):
            path = keys_folder / f"odd{suffix}"
            path.write_bytes(content)
            path.chmod(0o600)
            assert "cannot be opened" in refusal("odd", family), content
    path = store(EVM)
    whole = json.loads(path.read_text())
    digits = whole["crypto"]["ciphertext"]
    whole["crypto"]["ciphertext"] = ("0" if digits[0] != "0" else "1") + digits[1:]
    path.write_text(json.dumps(whole))
    assert "cannot be opened" in refusal("shop", Family.EVM)


def test_a_name_leads_nowhere_else() -> None:
    """A key that is pasted as a name is not said again."""
    names = ["../shop", "/etc/passwd", "a/b", "a\\b", ".", "..", ".shop", "shop.pem", "", "Shop", "shop\n", "shop\0"]
    names += ["a" * 64, "shöp", "-shop", "shop ", "%2e%2e", "~root", "a" * 63 + "\n"]
    for name in names:
        assert refusal(name).startswith("A key's name has at most 63 small letters"), name
    for pasted in (EVM_KEY.hex(), "0x" + EVM_KEY.hex(), str(list(SOLANA_KEY))):
        assert EVM_KEY.hex()[:8] not in refusal(pasted)
        assert pasted not in refusal(pasted)


def test_what_is_no_file_of_the_folder_is_refused(keys_folder: Path, tmp_path: Path, settings: Settings) -> None:
    """A link inside the folder is how orchestrators hand secrets over."""
    path = keys_folder / "shop.pem"
    assert refusal("shop") == f"{path} cannot be used: No such file or directory."
    path.mkdir()
    assert refusal("shop") == f"{path} cannot be used: it is not a file."
    path.rmdir()
    outside = tmp_path / "outside.pem"
    outside.write_bytes(pkcs8.closed(SOLANA_KEY, PASSPHRASE.encode()))
    outside.chmod(0o600)
    path.symlink_to(outside)
    assert refusal("shop") == "The file of the key shop leads out of SIGNER_KEYS_DIR."
    path.unlink()
    (keys_folder / "..data").mkdir()
    store(SOLANA).rename(keys_folder / "..data" / "shop.pem")
    path.symlink_to(keys_folder / "..data" / "shop.pem")
    assert open_key("shop", Family.SOLANA).reveal() == SOLANA_KEY
    settings.SIGNER_PASSPHRASE = None
    assert refusal("shop") == "SIGNER_PASSPHRASE is not set, so encrypted keys stay closed."
    settings.SIGNER_KEYS_DIR = ""
    assert refusal("shop") == "SIGNER_KEYS_DIR is not set, so there are no encrypted keys here."


def test_a_group_may_read_nobody_else_and_a_key_is_never_overwritten() -> None:
    path = store(SOLANA)
    before = path.read_bytes()
    with pytest.raises(SignerUnavailable, match="a key is never overwritten"):
        store_key("shop", Family.SOLANA, Sealed(bytes(31) + b"\x01"))
    assert path.read_bytes() == before
    for mode in (0o600, 0o400, 0o440, 0o640):
        path.chmod(mode)
        assert open_key("shop", Family.SOLANA).reveal() == SOLANA_KEY, oct(mode)
    for mode in (0o604, 0o602, 0o601, 0o620, 0o644, 0o666, 0o777):
        path.chmod(mode)
        expected = f"{path} cannot be used: others may read or change it. Run chmod 600 on it."
        assert refusal("shop") == expected, oct(mode)


def without_signer(account: SigningAccount) -> str:
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
    assert "others may read or change it" in without_signer(row)
    path.chmod(0o600)
    assert signer_of(row).address == given.address
    changed(row, address=given.recipient)
    assert without_signer(row) == f"The key belongs to {given.address}, and the account to {given.recipient}."
    path.unlink()
    assert "No such file" in without_signer(row)


def test_a_secret_is_a_variable_or_a_file_to_replace(account: NewMerchant, settings: Settings, tmp_path: Path) -> None:
    row = account_of(account.merchant.pk, backend="secret")
    settings.SIGNER_SECRETS = {"shop": Sealed(b"not a key")}
    assert without_signer(row) == "What SIGNER_SECRET_SHOP holds is not a key of this kind of chain."
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM_KEY.hex().encode())}
    assert signer_of(row).address == EVM_ADDRESS
    path, other = tmp_path / "given", tmp_path / "other"
    path.write_text(EVM_KEY.hex() + "\n")
    path.chmod(0o644)
    settings.SIGNER_SECRETS = {"shop": path}
    assert "others may read or change it" in without_signer(row)
    path.chmod(0o600)
    assert signer_of(row).address == EVM_ADDRESS
    other.write_text("11" * 32)
    other.chmod(0o600)
    os.replace(other, path)
    assert without_signer(row).startswith("The key belongs to 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A")
    path.unlink()
    assert "No such file" in without_signer(row)


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
        assert without_signer(row) == sentence
    changed(row, chain="moon")
    assert without_signer(row) == "The account's chain is not known here."
