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
from solders.system_program import TransferParams
from solders.system_program import transfer as coin_transfer

from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.instructions.transactions import ExactTransfer, compute_budget, transfer_instructions
from chains.models import SigningAccount, Transfer
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.signers.base import SignerUnavailable
from chains.signers.policy import sign_stored
from chains.signers.refusal import BeyondPolicy, NotStored
from core.clock import now
from core.money import BaseUnits, usd
from core.secrets import Sealed
from merchants.services import NewMerchant
from tests.chains.signers.rows import SOLANA, SOLANA_ADDRESS, SOLANA_KEY, USDC_ON_SOLANA, account_of, transfer_of

pytestmark = pytest.mark.django_db

MINE, STRANGER = Pubkey.from_string(SOLANA_ADDRESS), "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
UNITS, PRICE = 60_000, 1_000


@pytest.fixture
def row(account: NewMerchant, settings: Settings) -> SigningAccount:
    """An account whose key is given as a variable: the quickest to open."""
    settings.SIGNER_SECRETS = {"shop": Sealed(str(Keypair.from_seed(SOLANA_KEY)).encode())}
    return account_of(account.merchant.pk, SOLANA, backend="secret")


@pytest.fixture
def stored(row: SigningAccount) -> Transfer:
    return transfer_of(row, SOLANA)


def calls(transfer: Transfer, **changes: Any) -> list[Instruction]:
    """The instructions that the rail makes, or others: budget, price, account, note, transfer."""
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
    made = MessageV0.try_compile(Pubkey.from_string(payer), instructions, [], Hash.default())
    return bytes(to_bytes_versioned(made))


def refusal(transfer: Transfer, wanted: bytes) -> str:
    with pytest.raises(SignerUnavailable) as refused:
        sign_stored(transfer, wanted)
    return str(refused.value)


def is_not_stored(transfer: Transfer, wanted: bytes) -> bool:
    return refusal(transfer, wanted).startswith("It is not what was stored")


def is_signed(transfer: Transfer, wanted: bytes) -> bool:
    return bool(Signature.from_bytes(sign_stored(transfer, wanted)).verify(MINE, wanted))


def test_the_stored_transfer_is_signed(stored: Transfer) -> None:
    """Of either program. The recipient's account may be there already, and nobody must pay for a place."""
    for program in (TOKEN_PROGRAM, TOKEN_2022_PROGRAM):
        assert is_signed(stored, message(calls(stored, token_program=program)))
    assert is_signed(stored, message(calls(stored)[3:]))


@pytest.mark.usefixtures("priced_coins")
def test_the_coin_is_signed(row: SigningAccount) -> None:
    coin = transfer_of(row, SOLANA, token_address=SOLANA_NATIVE_ADDRESS, token_decimals=9, base_units=BaseUnits(10**8))
    assert is_signed(coin, message(calls(coin)))
    for change in ({"base_units": BaseUnits(10**8 + 1)}, {"recipient": STRANGER}, {"token_address": USDC_ON_SOLANA}):
        with pytest.raises(NotStored):
            sign_stored(coin, message(calls(coin, **change)))


def test_one_thing_that_differs(stored: Transfer) -> None:
    differences: list[dict[str, Any]] = [
        *({"recipient": STRANGER}, {"base_units": BaseUnits(25_000_001)}, {"base_units": BaseUnits(24_999_999)}),
        {"token_address": "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"},
        *({"token_address": SOLANA_NATIVE_ADDRESS}, {"decimals": 9}, {"tag": "00000000-0000-0000-0000-000000000001"}),
        *({"payer": STRANGER}, {"token_program": SOLANA_NATIVE_ADDRESS}),
    ]
    for change in differences:
        wanted = message(calls(stored, **change), change.get("payer", SOLANA_ADDRESS))
        assert is_not_stored(stored, wanted), change


def test_one_instruction_more_or_less(stored: Transfer) -> None:
    honest = calls(stored)
    note = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
    coin = TransferParams(from_pubkey=MINE, to_pubkey=Pubkey.from_string(STRANGER), lamports=1)
    more = {
        "coin": coin_transfer(coin),
        "memo": Instruction(note, b"a second note", []),
        "twice": honest[-1],
        "other program": Instruction(Pubkey.from_string(TOKEN_PROGRAM), b"\x04" + bytes(8), []),
        "budget": Instruction(honest[0].program_id, b"\x01" + bytes(4), []),
        "second price": honest[1],
    }
    for name, added in more.items():
        for place in (0, len(honest)):
            assert is_not_stored(stored, message([*honest[:place], added, *honest[place:]])), (name, place)
    for missing in (3, 4):
        less = message(honest[:missing] + honest[missing + 1 :])
        assert refusal(stored, less).endswith("is missing, or there twice."), missing


def test_each_account(stored: Transfer) -> None:
    """Source, mint, destination and authority of the transfer; payer, made, owner, mint, system and program of what is
    created; and none more than a reference.
    """
    honest = calls(stored)
    elsewhere = token_account(STRANGER, USDC_ON_SOLANA, TOKEN_PROGRAM)
    more = AccountMeta(Pubkey.from_string(STRANGER), is_signer=False, is_writable=True)
    lies = [(4, [*honest[4].accounts, more])]
    for call, places, key in ((4, 4, elsewhere), (2, 6, STRANGER)):
        for place in range(places):
            accounts = list(honest[call].accounts)
            signs, is_written = call == 4 and accounts[place].is_signer, accounts[place].is_writable
            accounts[place] = AccountMeta(Pubkey.from_string(key), signs, is_written)
            lies.append((call, accounts))
    for call, accounts in lies:
        lied = Instruction(honest[call].program_id, honest[call].data, accounts)
        assert is_not_stored(stored, message([*honest[:call], lied, *honest[call + 1 :]])), (call, accounts)


def test_a_fee_that_burns_what_pays_for_fees(stored: Transfer) -> None:
    honest = calls(stored)[2:]
    at_most = 50_000_000 * 1_000_000 // UNITS
    assert sign_stored(stored, message([*compute_budget(UNITS, at_most), *honest]))
    dear = message([*compute_budget(UNITS, at_most + 17), *honest])
    without_limit = message([compute_budget(UNITS, 40_000_000)[1], *honest])
    for wanted in (dear, without_limit):
        assert refusal(stored, wanted).endswith("the fee for a place in a block.")


def test_bytes_that_are_no_message(stored: Transfer) -> None:
    honest = message(calls(stored))
    legacy = bytes(Message.new_with_blockhash(calls(stored), MINE, Hash.default()))
    for wanted in (b"", b"\x80", honest + b"\0", honest[:-1], legacy, bytes([0x81]) + honest[1:], bytes(1300)):
        assert is_not_stored(stored, wanted)


def test_every_byte_changed_is_refused_or_moves_nothing(stored: Transfer) -> None:
    """One bit at a time: what is still signed differs in its blockhash, its budget, or in which accounts are
    only read: none of these says what moves.
    """
    honest = message(calls(stored))
    read = MessageV0.from_bytes(honest[1:])
    start = honest.index(bytes(read.recent_blockhash), 1 + 3 + 1 + 32 * len(read.account_keys))
    free = {2, 3, *range(start, start + 32)}
    for one in read.instructions[:2]:
        content = bytes(one.data)
        at = honest.index(content, start + 32)
        free |= set(range(at + 1, at + len(content)))
    signed = []
    for place in range(len(honest)):
        try:
            sign_stored(stored, honest[:place] + bytes([honest[place] ^ 1]) + honest[place + 1 :])
        except SignerUnavailable:
            continue
        signed.append(place)
    assert set(signed) - free == set()
    assert free & set(signed)


def test_the_row_and_its_account_are_asked_again(row: SigningAccount, stored: Transfer) -> None:
    """The same money to the same recipient, ordered twice: each message carries its own row's id."""
    twin = transfer_of(row, SOLANA)
    assert twin.recipient == stored.recipient == SOLANA.recipient
    assert is_not_stored(twin, message(calls(stored)))
    SigningAccount.objects.filter(pk=row.pk).update(cap_per_transfer_usd=usd("24"))
    with pytest.raises(BeyondPolicy, match="cap_exceeded"):
        sign_stored(stored, message(calls(stored)))
    Transfer.objects.filter(pk=stored.pk).update(withdrawn_at=now())
    assert refusal(stored, message(calls(stored))).endswith("it is withdrawn.")
