"""Only what is stored is signed, on Solana: every instruction, account and amount that differs is refused."""

from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature

from chains.clients.solana_transactions import ExactTransfer, compute_budget, transfer_instructions
from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.models import SigningAccount, Transfer
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.signers.base import SignerUnavailable
from chains.signers.policy import sign_stored
from chains.signers.refusal import BeyondPolicy, NotStored
from core.clock import now
from core.money import BaseUnits, usd
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import (
    SOLANA,
    SOLANA_ADDRESS,
    SOLANA_KEY,
    SOLANA_RECIPIENT,
    USDC_ON_SOLANA,
    account_of,
    transfer_of,
)

pytestmark = pytest.mark.django_db

STRANGER = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
UNITS, PRICE = 60_000, 1_000


@pytest.fixture
def row(account: NewMerchant, settings: Settings) -> SigningAccount:
    """An account whose key is given as a variable: the quickest to open."""
    settings.SIGNER_SECRETS = {"shop": Sealed(_pair_text())}
    return account_of(account.merchant.pk, SOLANA, backend="secret")


@pytest.fixture
def stored(row: SigningAccount) -> Transfer:
    """Twenty-five dollars of USDC."""
    return transfer_of(row, SOLANA)


def _pair_text() -> bytes:
    return str(Keypair.from_seed(SOLANA_KEY)).encode()


def calls(transfer: Transfer, **changes: Any) -> list[Instruction]:
    """The instructions that the rail makes, or others."""
    terms: dict[str, Any] = {
        "payer": SOLANA_ADDRESS,
        "recipient": transfer.recipient,
        "token_address": transfer.token_address,
        "base_units": transfer.base_units,
        "tag": str(transfer.pk),
        "token_program": TOKEN_PROGRAM,
        "decimals": transfer.token_decimals,
    }
    return [*compute_budget(UNITS, PRICE), *transfer_instructions(ExactTransfer(**terms | changes))]


def message(instructions: Sequence[Instruction], payer: str = SOLANA_ADDRESS) -> bytes:
    """The bytes that are signed."""
    made = MessageV0.try_compile(Pubkey.from_string(payer), instructions, [], Hash.default())
    return bytes(to_bytes_versioned(made))


def memo(text: str) -> Instruction:
    """A note."""
    return Instruction(Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"), text.encode(), [])


def send_coin(to: str = STRANGER, lamports: int = 1) -> Instruction:
    """A transfer of SOL from the account."""
    accounts = [
        AccountMeta(Pubkey.from_string(SOLANA_ADDRESS), is_signer=True, is_writable=True),
        AccountMeta(Pubkey.from_string(to), is_signer=False, is_writable=True),
    ]
    content = (2).to_bytes(4, "little") + lamports.to_bytes(8, "little")
    return Instruction(Pubkey.from_string(SOLANA_NATIVE_ADDRESS), content, accounts)


def refusal(transfer: Transfer, wanted: bytes) -> str:
    """Why it is not signed."""
    with pytest.raises(SignerUnavailable) as refused:
        sign_stored(transfer, wanted)
    return str(refused.value)


def is_valid(signature: bytes, signed: bytes) -> bool:
    """Whether it is the account's signature over these bytes."""
    return bool(Signature.from_bytes(signature).verify(Pubkey.from_string(SOLANA_ADDRESS), signed))


@pytest.mark.parametrize("program", [TOKEN_PROGRAM, TOKEN_2022_PROGRAM], ids=["token", "token_2022"])
def test_the_stored_transfer_is_signed(program: str, stored: Transfer) -> None:
    wanted = message(calls(stored, token_program=program))
    assert is_valid(sign_stored(stored, wanted), wanted)


@pytest.mark.usefixtures("priced_coins")
def test_the_coin_is_signed(row: SigningAccount) -> None:
    coin = transfer_of(row, SOLANA, token_address=SOLANA_NATIVE_ADDRESS, token_decimals=9, base_units=BaseUnits(10**8))
    wanted = message(calls(coin))
    assert is_valid(sign_stored(coin, wanted), wanted)
    for change in ({"base_units": BaseUnits(10**8 + 1)}, {"recipient": STRANGER}, {"token_address": USDC_ON_SOLANA}):
        with pytest.raises(NotStored):
            sign_stored(coin, message(calls(coin, **change)))


@pytest.mark.parametrize(
    "change",
    [
        {"recipient": STRANGER},
        {"base_units": BaseUnits(25_000_001)},
        {"base_units": BaseUnits(24_999_999)},
        {"token_address": "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"},
        {"token_address": SOLANA_NATIVE_ADDRESS},
        {"decimals": 9},
        {"tag": "00000000-0000-0000-0000-000000000001"},
        {"payer": STRANGER},
        {"token_program": SOLANA_NATIVE_ADDRESS},
    ],
    ids=lambda change: "-".join(f"{name}_{str(value)[:9]}" for name, value in change.items()),
)
def test_one_thing_that_differs(change: dict[str, Any], stored: Transfer) -> None:
    payer = change.get("payer", SOLANA_ADDRESS)
    assert refusal(stored, message(calls(stored, **change), payer)).startswith("It is not what was stored")


@pytest.mark.parametrize("extra", ["coin", "memo", "twice", "other_program", "budget", "second_price"])
def test_one_instruction_more(extra: str, stored: Transfer) -> None:
    honest = calls(stored)
    added = {
        "coin": send_coin(),
        "memo": memo("a second note"),
        "twice": honest[-1],
        "other_program": Instruction(Pubkey.from_string(TOKEN_PROGRAM), b"\x04" + bytes(8), []),
        "budget": Instruction(honest[0].program_id, b"\x01" + bytes(4), []),
        "second_price": honest[1],
    }[extra]
    for place in (0, len(honest)):
        changed = [*honest[:place], added, *honest[place:]]
        assert refusal(stored, message(changed)).startswith("It is not what was stored")


@pytest.mark.parametrize("missing", [3, 4], ids=["memo", "transfer"])
def test_one_instruction_less(missing: int, stored: Transfer) -> None:
    honest = calls(stored)
    assert refusal(stored, message(honest[:missing] + honest[missing + 1 :])).endswith("is missing, or there twice.")


def test_what_stands_around_may_be_missing(stored: Transfer) -> None:
    """The recipient's account may be there already, and nobody must pay for a place."""
    wanted = message(calls(stored)[3:])
    assert is_valid(sign_stored(stored, wanted), wanted)


@pytest.mark.parametrize("place", range(4), ids=["source", "mint", "destination", "authority"])
def test_each_account_of_the_transfer(place: int, stored: Transfer) -> None:
    honest = calls(stored)
    accounts = list(honest[-1].accounts)
    other = token_account(STRANGER, USDC_ON_SOLANA, TOKEN_PROGRAM)
    accounts[place] = AccountMeta(Pubkey.from_string(other), accounts[place].is_signer, accounts[place].is_writable)
    changed = Instruction(honest[-1].program_id, honest[-1].data, accounts)
    assert refusal(stored, message([*honest[:-1], changed])).startswith("It is not what was stored")


@pytest.mark.parametrize("place", range(6), ids=["payer", "made", "owner", "mint", "system", "program"])
def test_each_account_of_what_is_created(place: int, stored: Transfer) -> None:
    honest = calls(stored)
    accounts = list(honest[2].accounts)
    accounts[place] = AccountMeta(
        Pubkey.from_string(STRANGER), is_signer=False, is_writable=accounts[place].is_writable
    )
    changed = Instruction(honest[2].program_id, honest[2].data, accounts)
    assert refusal(stored, message([*honest[:2], changed, *honest[3:]])).startswith("It is not what was stored")


def test_more_accounts_than_a_reference_are_refused(stored: Transfer) -> None:
    honest = calls(stored)
    stranger = AccountMeta(Pubkey.from_string(STRANGER), is_signer=False, is_writable=True)
    accounts = [*honest[-1].accounts, stranger]
    changed = Instruction(honest[-1].program_id, honest[-1].data, accounts)
    assert refusal(stored, message([*honest[:-1], changed])).startswith("It is not what was stored")


def test_a_fee_that_burns_what_pays_for_fees(stored: Transfer) -> None:
    honest = calls(stored)[2:]
    at_most = 50_000_000 * 1_000_000 // UNITS
    assert sign_stored(stored, message([*compute_budget(UNITS, at_most), *honest]))
    dear = message([*compute_budget(UNITS, at_most + 17), *honest])
    assert refusal(stored, dear).endswith("the fee for a place in a block.")
    without_limit = message([compute_budget(UNITS, 40_000_000)[1], *honest])
    assert refusal(stored, without_limit).endswith("the fee for a place in a block.")


def test_bytes_that_are_no_message(stored: Transfer) -> None:
    honest = message(calls(stored))
    legacy = bytes(Message.new_with_blockhash(calls(stored), Pubkey.from_string(SOLANA_ADDRESS), Hash.default()))
    for wanted in (b"", b"\x80", honest + b"\0", honest[:-1], legacy, bytes([0x81]) + honest[1:], bytes(1300)):
        assert refusal(stored, wanted).startswith("It is not what was stored")


def test_every_byte_changed_is_refused_or_moves_nothing(stored: Transfer) -> None:
    """One bit at a time: what is still signed differs in its blockhash, its budget, or in which accounts are
    only read: none of these says what moves.
    """
    honest = message(calls(stored))
    read = MessageV0.from_bytes(honest[1:])
    start = honest.index(bytes(read.recent_blockhash), 1 + 3 + 1 + 32 * len(read.account_keys))
    free = {2, 3, *range(start, start + 32)}
    budget = [bytes(one.data) for one in read.instructions[:2]]
    for content in budget:
        at = honest.index(content, start + 32)
        free |= set(range(at + 1, at + len(content)))
    signed = []
    for place in range(len(honest)):
        wanted = honest[:place] + bytes([honest[place] ^ 1]) + honest[place + 1 :]
        try:
            sign_stored(stored, wanted)
        except SignerUnavailable:
            continue
        signed.append(place)
    assert set(signed) - free == set()
    assert free & set(signed)


def test_a_withdrawn_transfer_is_not_signed(stored: Transfer) -> None:
    Transfer.objects.filter(pk=stored.pk).update(withdrawn_at=now())
    assert refusal(stored, message(calls(stored))).endswith("it is withdrawn.")


def test_caps_are_asked_again(row: SigningAccount, stored: Transfer) -> None:
    SigningAccount.objects.filter(pk=row.pk).update(cap_per_transfer_usd=usd("24"))
    with pytest.raises(BeyondPolicy, match="cap_exceeded"):
        sign_stored(stored, message(calls(stored)))


def test_two_rows_never_share_a_message(row: SigningAccount, stored: Transfer) -> None:
    """The same money to the same recipient, ordered twice: each message carries its own row's id."""
    twin = transfer_of(row, SOLANA)
    assert twin.recipient == stored.recipient == SOLANA_RECIPIENT
    assert refusal(twin, message(calls(stored))).startswith("It is not what was stored")
