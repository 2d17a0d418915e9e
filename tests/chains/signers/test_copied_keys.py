"""The passphrase of signing keys is exchanged: the same keys in another folder, and whoever signs meanwhile goes on."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from chains.signers.keystore import open_key
from chains.signers.registry import forget_signers, opened
from core.secrets import Sealed
from tests.chains.signers.rows import EVM, PASSPHRASE, SOLANA, store

NEW = "a new passphrase of some length"


def folder_and_phrase(at: Path, phrase: str = NEW) -> tuple[Path, Path]:
    folder, file = at / "next", at / "phrase"
    folder.mkdir(mode=0o700)
    file.write_text(f"{phrase}\n")
    file.chmod(0o600)
    return folder, file


def copied(folder: Path, file: Path) -> str:
    out = StringIO()
    call_command("copy_signing_keys", "--to", str(folder), "--passphrase-file", str(file), stdout=out)
    return out.getvalue()


def refused(folder: Path, file: Path) -> str:
    with pytest.raises(CommandError) as told:
        copied(folder, file)
    return str(told.value)


def test_the_same_keys_open_under_the_new_passphrase_and_nobody_stops_signing(
    tmp_path: Path, keys_folder: Path, settings: Settings
) -> None:
    before = {path: path.read_bytes() for path in (store(EVM), store(SOLANA))}
    (keys_folder / "README").write_text("not a key")
    signers = {given.family: opened("keystore", "shop", given.family) for given in (EVM, SOLANA)}
    folder, file = folder_and_phrase(tmp_path)
    said = copied(folder, file)
    assert said.splitlines() == [
        str(folder / "shop.json"),
        str(folder / "shop.pem"),
        "2 keys. Set SIGNER_KEYS_DIR and SIGNER_PASSPHRASE, start `worker money` again.",
    ]
    assert NEW not in said
    assert PASSPHRASE not in said
    for family, signer in signers.items():
        assert opened("keystore", "shop", family) is signer, "who signs has its key open still"
    forget_signers()
    for given in (EVM, SOLANA):
        assert open_key("shop", given.family).reveal() == given.key, "and opens it again from where it was"
    assert {path: path.read_bytes() for path in before} == before
    settings.SIGNER_KEYS_DIR, settings.SIGNER_PASSPHRASE = str(folder), Sealed(NEW.encode())
    forget_signers()
    for given in (EVM, SOLANA):
        assert opened("keystore", "shop", given.family).address == signers[given.family].address
        assert open_key("shop", given.family).reveal() == given.key
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_what_cannot_be_is_one_sentence_and_nothing_is_overwritten(
    tmp_path: Path, keys_folder: Path, settings: Settings
) -> None:
    store(EVM)
    folder, file = folder_and_phrase(tmp_path)
    copied(folder, file)
    kept = (folder / "shop.json").read_bytes()
    assert refused(folder, file).endswith("it is there already, and a key is never overwritten.")
    assert (folder / "shop.json").read_bytes() == kept
    folder.chmod(0o777)
    assert refused(folder, file) == f"{folder} cannot be used: others may write in it. Run chmod 700 on it."
    folder.chmod(0o700)
    file.write_text("short")
    assert refused(folder, file) == "The passphrase must have at least 12 characters."
    settings.SIGNER_PASSPHRASE = Sealed(b"another passphrase")
    file.write_text(NEW)
    assert refused(folder, file).startswith("The key shop cannot be opened: another passphrase")
    settings.SIGNER_KEYS_DIR = ""
    assert refused(folder, file) == "SIGNER_KEYS_DIR is not set, so there are no encrypted keys here."
