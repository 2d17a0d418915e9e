"""The transactions that pay on Solana: what is issued, and what is taken back from a wallet."""

import base64
import random
import re
from collections.abc import Callable

import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from spl.token.instructions import get_associated_token_address

from chains.instructions.programs import TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token_account
from chains.instructions.transactions import (
    ExactTransfer,
    compute_budget,
    read_transaction,
    reference_of,
    transfer_instructions,
    unsigned_transaction,
    validated_signature,
)
from core.money import BaseUnits

TAG = "0190a2b4-7e57-7000-8000-000000000001"
PAYER, STRANGER = Keypair.from_seed(bytes([1]) * 32), Keypair.from_seed(bytes([2]) * 32)
MERCHANT = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
BLOCKHASH = str(Hash(bytes([3]) * 32))


def transfer(units: int = 25_000_000, tag: str = TAG) -> ExactTransfer:
    parties = {"payer": str(PAYER.pubkey()), "recipient": MERCHANT, "token_address": USDC}
    return ExactTransfer(base_units=BaseUnits(units), tag=tag, decimals=6, **parties)


def issued(units: int = 25_000_000, price: int = 1_000) -> str:
    instructions = [*compute_budget(120_000, price), *transfer_instructions(transfer(units))]
    return unsigned_transaction(str(PAYER.pubkey()), instructions, BLOCKHASH)


def signed_by(keys: Keypair, unsigned: str) -> VersionedTransaction:
    message = read_transaction(unsigned).message
    assert isinstance(message, MessageV0)
    return VersionedTransaction.populate(message, [keys.sign_message(bytes([0x80]) + bytes(message))])


def text_of(transaction: VersionedTransaction) -> str:
    return base64.b64encode(bytes(transaction)).decode()


def test_the_reference_follows_from_the_leg_nobody_can_sign_for_it_and_accounts_are_where_programs_put_them() -> None:
    reference = reference_of(TAG)
    assert reference == reference_of(TAG.upper())
    assert reference != reference_of("0190a2b4-7e57-7000-8000-000000000002")
    keys = [reference_of(f"0190a2b4-7e57-7000-8000-{number:012}") for number in range(100)]
    assert not any(Pubkey.from_string(key).is_on_curve() for key in keys)
    for program in (TOKEN_PROGRAM, TOKEN_2022_PROGRAM):
        found = get_associated_token_address(*map(Pubkey.from_string, (MERCHANT, USDC, program)))
        assert token_account(MERCHANT, USDC, program) == str(found)


def refusal(returned: str) -> str:
    try:
        validated_signature(returned, issued())
    except ValueError as error:
        return str(error)
    return ""


REFUSED: dict[str, Callable[[], str]] = {
    "nothing": lambda: "",
    "no base64": lambda: "not base64!",
    "no transaction": lambda: base64.b64encode(bytes(100)).decode(),
    "not signed": issued,
    "signed by somebody else": lambda: text_of(signed_by(STRANGER, issued())),
    "another amount": lambda: text_of(signed_by(PAYER, issued(24_999_999))),
    "a higher priority": lambda: text_of(signed_by(PAYER, issued(price=2_000))),
    "something behind it": lambda: base64.b64encode(bytes(signed_by(PAYER, issued())) + b"\0").decode(),
    "too long": lambda: base64.b64encode(bytes(2_000)).decode(),
    "two signatures": lambda: text_of(
        VersionedTransaction.populate(
            read_transaction(issued()).message, [signed_by(PAYER, issued()).signatures[0], Signature.default()]
        )
    ),
}


@pytest.mark.spec("Rulings C14.1")
def test_what_is_signed_as_it_was_issued_is_taken_and_nothing_else() -> None:
    signed = signed_by(PAYER, issued())
    assert signed.verify_with_results() == [True]
    assert validated_signature(text_of(signed), issued()) == str(signed.signatures[0])
    for name, made in REFUSED.items():
        assert re.search(r"^not |^too |^signed|issued", refusal(made())), name


@pytest.mark.slow
def test_no_change_of_a_few_bytes_gets_through() -> None:
    chance, raw = random.Random(7), bytes(signed_by(PAYER, issued()))  # noqa: S311 - no secret, only a choice that can be repeated
    for _ in range(3_000):
        changed = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(raw))] = chance.randrange(256)
        if bytes(changed) == raw:
            continue
        assert "not" in refusal(base64.b64encode(bytes(changed)).decode())


def test_what_is_too_long_or_somebody_elses_to_sign_is_not_issued() -> None:
    with pytest.raises(ValueError, match="somebody else"):
        unsigned_transaction(str(STRANGER.pubkey()), transfer_instructions(transfer()), BLOCKHASH)
    legs = [f"0190a2b4-7e57-7000-8000-{number:012}" for number in range(12)]
    many = [one for tag in legs for one in transfer_instructions(transfer(tag=tag))]
    with pytest.raises(ValueError, match="bytes"):
        unsigned_transaction(str(PAYER.pubkey()), many, BLOCKHASH)
