"""Enrolling and changing accounts: refused in one sentence where it makes no sense, and then nothing is written."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from pytest_django import Settings
from solders.keypair import Keypair

from chains.models import SigningAccount, Transfer
from chains.services import Enrolment, Limits, create_signing_account, network_of
from chains.transfers import signing_account
from core.errors import InvalidRequest
from core.modes import Mode
from core.money import usd
from core.secrets import Sealed
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import EVM, NETWORK, RECIPIENT, SOLANA, SOLANA_KEY, store, transfer_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def merchant(account: NewMerchant, settings: Settings) -> int:
    """A merchant's number; two keys are given as variables."""
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM.key.hex().encode()), "other": Sealed(b"11" * 32)}
    return account.merchant.pk


def enrolled(merchant: int, **changes: Any) -> SigningAccount:
    order: dict[str, Any] = {"merchant_id": merchant, "chain": "base", "backend": "secret", "key_reference": "shop"}
    return create_signing_account(Enrolment(**order | changes))


def refusal(merchant: int, **changes: Any) -> str:
    before = SigningAccount.objects.count()
    with pytest.raises(InvalidRequest) as refused:
        enrolled(merchant, **changes)
    assert SigningAccount.objects.count() == before
    message: str = refused.value.details["fields"][0]["message"]
    return message


def run(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def command_refusal(command: str, *arguments: str) -> str:
    with pytest.raises(CommandError) as refused:
        run(command, *arguments)
    return str(refused.value)


@pytest.mark.spec("Rulings D7.1")
def test_a_new_account_has_the_keys_address_and_no_caps(merchant: int, settings: Settings) -> None:
    row = enrolled(merchant, chain="BASE")
    assert (row.chain, row.address, row.network, row.mode) == ("base", EVM.address, NETWORK, "live")
    assert (row.cap_per_transfer_usd, row.cap_per_day_usd) == (usd("0"), usd("0"))
    assert (row.next_nonce, row.paused_at, row.allowed_destinations) == (None, None, [])
    assert signing_account(merchant, "live", NETWORK, "base") == row
    settings.NETWORK_PROFILE = "mainnet"
    assert (network_of(Mode.LIVE), network_of(Mode.TEST)) == ("mainnet", "simulated")


def test_limits_are_kept_in_their_one_spelling(merchant: int) -> None:
    given = Limits(per_transfer_usd=usd("1"), per_day_usd=usd("2.5"), destinations=[RECIPIENT.lower(), RECIPIENT])
    row = SigningAccount.objects.get(pk=enrolled(merchant, limits=given).pk)
    assert (row.cap_per_transfer_usd, row.cap_per_day_usd) == (usd("1"), usd("2.5"))
    assert row.allowed_destinations == [RECIPIENT]
    store(SOLANA)
    given = Limits(per_transfer_usd=usd("1"), per_day_usd=usd("1"), destinations=[SOLANA.recipient])
    row = enrolled(merchant, chain="solana", backend="keystore", limits=given)
    assert (row.address, row.allowed_destinations) == (SOLANA.address, [SOLANA.recipient])


A_CAP = "A cap is between 0 and 1000000000.00 dollars; 0 sends nothing."
NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"chain": "moon"}, "No chain is called 'moon' here."),
    ({"merchant_id": 999_999}, "There is no merchant 999999."),
    ({"backend": "paper"}, "No backend has this name; known are keystore, secret, aws_kms."),
    ({"key_reference": "nobody"}, "No key is given under this name: set SIGNER_SECRET_NOBODY_FILE."),
    ({"key_reference": "../shop"}, "No key is given under this name: set SIGNER_SECRET_…_FILE."),
    ({"chain": "solana"}, "What SIGNER_SECRET_SHOP holds is not a key of this kind of chain."),
    ({"limits": Limits(per_transfer_usd=usd("2"), per_day_usd=usd("1"))}, "The cap per day is below the cap per"),
    *(({"limits": Limits(per_day_usd=usd(cap))}, A_CAP) for cap in ("-1", "1000000000.01", "NaN")),
    ({"limits": Limits(per_day_usd=usd("0.0000001"))}, "A cap has at most six decimals."),
    ({"limits": Limits(destinations=["0x12"])}, "An address on this chain is 0x followed by 40"),
    ({"limits": Limits(destinations=[RECIPIENT] * 501)}, "At most 500 destinations can be listed."),
]


def test_nonsense_is_refused(merchant: int) -> None:
    for change, sentence in NONSENSE:
        assert refusal(merchant, **change).startswith(sentence), change


@pytest.mark.spec("Rulings A4.2")
def test_each_merchant_and_each_mode_has_keys_of_its_own_and_one_account_on_each_chain(merchant: int) -> None:
    """One key may sign on several chains of its merchant."""
    other = create_merchant("Other Shop", "other@shop.example").merchant.pk
    first = enrolled(other)
    for chain in ("base", "arbitrum", "ethereum"):
        sentence = f"{EVM.address} already signs for another merchant: each merchant has keys of its own."
        assert refusal(merchant, chain=chain) == sentence
        assert refusal(merchant, chain=chain, mode=Mode.TEST) == sentence
    assert refusal(other, chain="bnb", mode=Mode.TEST).startswith(f"{EVM.address} already signs in the other mode")
    assert refusal(other) == f"{EVM.address} is already enrolled on Base."
    taken = f"The merchant signs on Base by account {first.pk}: retire it first."
    assert refusal(other, key_reference="other") == taken
    assert enrolled(other, chain="arbitrum").address == first.address


def test_an_account_is_retired_and_its_waiting_transfers_go_on(merchant: int) -> None:
    """What no key ever signed goes to the next account; what has a nonce must end first."""
    first = enrolled(merchant)
    waiting = transfer_of(first, status="new", nonce=None, blocker="signer_paused")
    reserved = transfer_of(first)
    sentence = command_refusal("change_signing_account", str(first.pk), "--retire")
    assert sentence == "1 of its transfers may still land: pause it, and retire it when they ended."
    Transfer.objects.filter(pk=reserved.pk).update(status="failed")
    assert "retired" in run("change_signing_account", str(first.pk), "--retire")
    second = enrolled(merchant, key_reference="other")
    waiting.refresh_from_db()
    assert (waiting.account, waiting.blocker) == (second, "")
    assert Transfer.objects.get(pk=reserved.pk).account == first
    assert signing_account(merchant, "live", NETWORK, "base") == second
    assert "never signs again" in command_refusal("change_signing_account", str(first.pk), "--resume")


def test_commands_enrol_limit_pause_and_list(merchant: int) -> None:
    key = ("--chain", "base", "--backend", "secret", "--key", "shop")
    printed = run("create_signing_account", "--merchant", str(merchant), *key)
    assert EVM.address in printed
    assert "nothing is sent" in printed
    row = SigningAccount.objects.get()
    number = str(row.pk)
    printed = run("change_signing_account", number, "--cap-per-transfer", "5", "--cap-per-day", "20.5")
    assert "5.00 dollars a transfer, 20.50 in 24 hours" in printed
    assert "signs" in run("change_signing_account", number, "--allow", RECIPIENT)
    row.refresh_from_db()
    assert (row.cap_per_day_usd, row.allowed_destinations) == (usd("20.5"), [RECIPIENT])
    run("change_signing_account", number, "--allow-any")
    assert "paused (key leaked)" in run("change_signing_account", number, "--pause", "key leaked")
    transfer_of(row, status="broadcast", value_usd=usd("3.25"))
    listed = run("list_signing_accounts")
    assert "paused (key leaked)" in listed
    assert "3.25 in the last 24 hours" in listed
    assert "  signs" in run("change_signing_account", number, "--resume")
    row.refresh_from_db()
    assert (row.paused_at, row.allowed_destinations) == (None, [])


def test_commands_refuse_in_one_sentence_and_a_key_can_move_to_another_place(merchant: int) -> None:
    number = str(enrolled(merchant).pk)
    one_thing = "Say one thing: limits, --pause, --resume, --retire, or --backend with --key."
    assert command_refusal("change_signing_account", number) == one_thing
    assert command_refusal("change_signing_account", number, "--resume", "--retire") == one_thing
    assert command_refusal("change_signing_account", "0", "--resume") == "There is no signing account 0."
    nowhere = "--key needs --backend: say where the key is kept now."
    assert command_refusal("change_signing_account", number, "--key", "x") == nowhere
    moved = command_refusal("change_signing_account", number, "--backend", "secret", "--key", "other")
    assert moved.startswith("That key belongs to 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A")
    assert "invalid dollars" in command_refusal("change_signing_account", number, "--cap-per-day", "much")
    stem = store(EVM).stem
    run("change_signing_account", number, "--backend", "keystore", "--key", "shop")
    row = SigningAccount.objects.get()
    assert (row.backend, row.key_reference) == ("keystore", stem)


def test_a_key_is_made_or_brought_and_never_overwritten(merchant: int, keys_folder: Path, tmp_path: Path) -> None:
    command = ("create_signing_key", "--chain", "solana", "--key")
    printed, path = run(*command, "till"), keys_folder / "till.pem"
    assert str(path) in printed
    assert path.stat().st_mode & 0o777 == 0o600
    row = enrolled(merchant, chain="solana", backend="keystore", key_reference="till")
    assert row.address in printed
    assert "never overwritten" in command_refusal(*command, "till")
    written = tmp_path / "id.json"
    written.write_text(str(list(bytes(Keypair.from_seed(SOLANA_KEY)))))
    written.chmod(0o600)
    brought = (*command, "brought", "--from-file", str(written))
    assert SOLANA.address in run(*brought)
    written.chmod(0o644)
    assert "others may read" in command_refusal(*brought)
    written.write_text("nonsense")
    written.chmod(0o600)
    assert command_refusal(*brought).startswith("The file does not hold a key of this kind of chain")
    assert command_refusal("create_signing_key", "--chain", "moon", "--key", "x") == "No chain is called 'moon' here."


def faults() -> list[str]:
    return [str(one.msg) for one in run_checks(databases=["default"]) if one.id == "causeway.E002"]


def test_the_database_check_names_what_cannot_sign(merchant: int, keys_folder: Path) -> None:
    assert faults() == []
    row = enrolled(merchant)
    assert faults() == []
    for change, expected in (
        ({"backend": "keystore"}, f"{keys_folder}/shop.json cannot be used: No such file or directory."),
        ({"backend": "paper"}, "its backend is not known."),
        ({"backend": "aws_kms"}, "its key is not named as AWS KMS names keys."),
        ({"backend": "secret", "key_reference": "gone"}, "no SIGNER_SECRET_GONE is given."),
        ({"key_reference": "shop", "cap_per_transfer_usd": usd("1")}, "its cap per transfer is above its cap per day."),
    ):
        SigningAccount.objects.filter(pk=row.pk).update(**change)
        assert faults() == [f"Signing account {row.pk} ({row}): {expected}"]
    SigningAccount.objects.filter(pk=row.pk).update(retired_at="2026-01-01T00:00:00Z")
    assert faults() == []
