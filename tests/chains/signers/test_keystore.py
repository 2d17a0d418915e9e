"""Encrypted keys: in forms that others read, under names that lead nowhere else, in files that nobody else can read."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from eth_account import Account
from pytest_django import Settings

from chains.registry import Family
from chains.signers import pkcs8
from chains.signers.base import SignerUnavailable
from chains.signers.keystore import key_path, open_key, store_key
from core.secrets import Sealed
from tests.chains.signers.rows import EVM, EVM_KEY, PASSPHRASE, SOLANA, SOLANA_KEY, Given, store

FORMS = pytest.mark.parametrize("given", [EVM, SOLANA], ids=["evm", "solana"])


def refusal(name: str, family: Family = Family.SOLANA) -> str:
    """Why a key is not opened."""
    with pytest.raises(SignerUnavailable) as refused:
        open_key(name, family)
    return str(refused.value)


@FORMS
def test_a_key_comes_back_from_its_file(given: Given) -> None:
    path = store(given)
    assert path.stat().st_mode & 0o777 == 0o600
    assert given.key not in path.read_bytes()
    assert given.key.hex() not in path.read_text()
    assert open_key("shop", given.family).reveal() == given.key


def test_other_programs_read_the_files() -> None:
    """Ethereum's own library, and OpenSSL, open what is written here, with nothing of ours."""
    opened = Account.decrypt(json.loads(store(EVM).read_text()), PASSPHRASE)
    assert bytes(opened) == EVM_KEY
    openssl = shutil.which("openssl")
    assert openssl is not None
    command = [openssl, "pkey", "-in", str(store(SOLANA)), "-passin", f"pass:{PASSPHRASE}", "-outform", "DER"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.endswith(SOLANA_KEY)


def test_files_of_other_programs_are_read(keys_folder: Path) -> None:
    """With few rounds, as their defaults are, and in the lighter of the two derivations."""
    light = Account.encrypt(EVM_KEY, PASSPHRASE, kdf="pbkdf2", iterations=1000)
    (keys_folder / "other.json").write_text(json.dumps(light))
    (keys_folder / "other.json").chmod(0o600)
    assert open_key("other", Family.EVM).reveal() == EVM_KEY
    openssl = shutil.which("openssl")
    assert openssl is not None
    path = keys_folder / "other.pem"
    command = [openssl, "genpkey", "-algorithm", "ed25519", "-aes-256-cbc", "-pass", f"pass:{PASSPHRASE}"]
    subprocess.run([*command, "-out", str(path)], capture_output=True, check=True)
    path.chmod(0o600)
    assert len(open_key("other", Family.SOLANA).reveal()) == 32


def test_guessing_a_passphrase_costs_time() -> None:
    """600,000 rounds and 2^18 of scrypt: the file says so itself."""
    assert (600_000).to_bytes(3) in _der(store(SOLANA).read_text())
    stored = json.loads(store(EVM).read_text())["crypto"]
    assert (stored["kdf"], stored["kdfparams"]["n"]) == ("scrypt", 2**18)


def _der(pem: str) -> bytes:
    return base64.b64decode("".join(pem.splitlines()[1:-1]))


@FORMS
def test_another_passphrase_opens_nothing(given: Given, settings: Settings) -> None:
    store(given)
    settings.SIGNER_PASSPHRASE = Sealed(b"another passphrase")
    assert refusal("shop", given.family).startswith("The key shop cannot be opened: another passphrase")


@pytest.mark.parametrize("content", [b"{}", b"[]", b"nonsense", b"\x00\xff" * 50, b'{"version": 3, "crypto": 1}'])
def test_a_file_that_is_no_key_is_refused(content: bytes, keys_folder: Path) -> None:
    for suffix, family in ((".json", Family.EVM), (".pem", Family.SOLANA)):
        path = keys_folder / f"odd{suffix}"
        path.write_bytes(content)
        path.chmod(0o600)
        assert "cannot be opened" in refusal("odd", family)


def test_a_changed_file_is_refused() -> None:
    path = store(EVM)
    changed = json.loads(path.read_text())
    digits = changed["crypto"]["ciphertext"]
    changed["crypto"]["ciphertext"] = ("0" if digits[0] != "0" else "1") + digits[1:]
    path.write_text(json.dumps(changed))
    assert "cannot be opened" in refusal("shop", Family.EVM)


@pytest.mark.parametrize(
    "name",
    ["../shop", "/etc/passwd", "a/b", "a\\b", ".", "..", ".shop", "shop.pem", "", "Shop", "shop\n", "shop\0", "a" * 64]
    + ["shöp", "-shop", "shop ", "%2e%2e", "~root", "a" * 63 + "\n"],
)
def test_a_name_leads_nowhere_else(name: str) -> None:
    assert refusal(name).startswith("A key's name has at most 63 small letters")


def test_a_key_pasted_as_a_name_is_not_said_again() -> None:
    for pasted in (EVM_KEY.hex(), "0x" + EVM_KEY.hex(), str(list(SOLANA_KEY))):
        assert EVM_KEY.hex()[:8] not in refusal(pasted)
        assert pasted not in refusal(pasted)


def test_a_link_out_of_the_folder_is_refused(keys_folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.pem"
    outside.write_bytes(pkcs8.closed(SOLANA_KEY, PASSPHRASE.encode()))
    outside.chmod(0o600)
    (keys_folder / "shop.pem").symlink_to(outside)
    assert refusal("shop") == "The file of the key shop leads out of SIGNER_KEYS_DIR."


def test_a_link_inside_the_folder_is_how_orchestrators_hand_secrets_over(keys_folder: Path) -> None:
    (keys_folder / "..data").mkdir()
    store(SOLANA).rename(keys_folder / "..data" / "shop.pem")
    (keys_folder / "shop.pem").symlink_to(keys_folder / "..data" / "shop.pem")
    assert open_key("shop", Family.SOLANA).reveal() == SOLANA_KEY


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o601, 0o620, 0o644, 0o666, 0o777], ids=oct)
def test_a_file_that_is_open_to_others_is_refused(mode: int) -> None:
    path = store(SOLANA)
    path.chmod(mode)
    assert refusal("shop") == f"{path} cannot be used: others may read or change it. Run chmod 600 on it."


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o440, 0o640], ids=oct)
def test_a_group_may_read(mode: int) -> None:
    store(SOLANA).chmod(mode)
    assert open_key("shop", Family.SOLANA).reveal() == SOLANA_KEY


def test_a_missing_key_is_said_so(keys_folder: Path) -> None:
    assert refusal("shop") == f"{keys_folder}/shop.pem cannot be used: No such file or directory."


def test_a_folder_in_the_place_of_a_key_is_refused(keys_folder: Path) -> None:
    (keys_folder / "shop.pem").mkdir()
    assert refusal("shop") == f"{keys_folder}/shop.pem cannot be used: it is not a file."


def test_a_key_is_never_overwritten() -> None:
    path = store(SOLANA)
    before = path.read_bytes()
    with pytest.raises(SignerUnavailable, match="a key is never overwritten"):
        store_key("shop", Family.SOLANA, Sealed(bytes(31) + b"\x01"))
    assert path.read_bytes() == before


def test_without_settings_nothing_is_opened(settings: Settings) -> None:
    settings.SIGNER_PASSPHRASE = None
    assert refusal("shop") == "SIGNER_PASSPHRASE is not set, so encrypted keys stay closed."
    settings.SIGNER_KEYS_DIR = ""
    assert refusal("shop") == "SIGNER_KEYS_DIR is not set, so there are no encrypted keys here."


def test_each_family_has_files_of_its_own(keys_folder: Path) -> None:
    assert key_path("shop", Family.EVM) == keys_folder / "shop.json"
    assert key_path("shop", Family.SOLANA) == keys_folder / "shop.pem"
