"""What stands around an exchange: making the payer's own token accounts, wrapping and unwrapping the payer's own SOL.

Everything else is refused, above all whatever could approve, hand over or send.
"""

from collections.abc import Sequence

from chains.instructions.given import GivenInstruction
from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_PROGRAMS,
    WRAPPED_SOL,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.terms import ExchangeTerms

MOST_NEW_ACCOUNTS = 4
"""Token accounts that the payer may be asked to make on the way: each locks about 0.002 SOL."""
MOST_PRICE_MICRO_LAMPORTS = 5_000_000
"""For one compute unit: at 200,000 units this is 0.001 SOL. Why a limit: the price comes from outside."""
_CREATE = (b"", b"\x00", b"\x01")
_TRANSFER, _SYNC_NATIVE, _CLOSE_ACCOUNT, _SET_PRICE = (2).to_bytes(4, "little"), b"\x11", b"\x09", b"\x03"
_CREATE_ACCOUNTS, _CLOSE_ACCOUNTS, _TRANSFER_BYTES, _PRICE_BYTES = 6, 3, 12, 9


def unit_price(given: Sequence[GivenInstruction]) -> int:
    """The price of a compute unit in micro-lamports that these instructions set; 0 without one.

    Raises: TransactionRefused for anything but one such instruction, or a price beyond reason.
    """
    if not given:
        return 0
    only = given[0]
    if len(given) > 1 or only.program != COMPUTE_BUDGET_PROGRAM or only.accounts:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "compute budget")
    if len(only.content) != _PRICE_BYTES or only.content[:1] != _SET_PRICE:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "compute budget")
    price = int.from_bytes(only.content[1:], "little")
    if price > MOST_PRICE_MICRO_LAMPORTS:
        raise TransactionRefused(Refusal.NETWORK_FEE_TOO_HIGH)
    return price


def check_setup(given: Sequence[GivenInstruction], terms: ExchangeTerms) -> None:
    """Refuse a preparation that does more than make and fill the payer's own accounts. Raises: TransactionRefused."""
    created, wrapped, synced = 0, 0, 0
    for one in given:
        if one.program == ASSOCIATED_TOKEN_PROGRAM:
            _check_create(one, terms)
            created += 1
        elif one.program == SYSTEM_PROGRAM:
            wrapped += _wrapped(one, terms)
        elif one.program == TOKEN_PROGRAM:
            _check_sync(one, terms, wrapped)
            synced += 1
        else:
            raise TransactionRefused(Refusal.FOREIGN_PROGRAM, one.program)
    if created > MOST_NEW_ACCOUNTS or synced > 1:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "setup")
    if wrapped != (terms.input_base_units if terms.source.is_native else 0) or bool(synced) != bool(wrapped):
        raise TransactionRefused(Refusal.INPUT_TOO_HIGH, "wrapped SOL")


def check_cleanup(given: GivenInstruction | None, terms: ExchangeTerms) -> None:
    """Refuse a cleanup that does more than unwrap the payer's own SOL. Raises: TransactionRefused."""
    if given is None:
        if terms.touches_native:
            raise TransactionRefused(Refusal.ANSWER_DIFFERS, "SOL is not unwrapped")
        return
    if given.program != TOKEN_PROGRAM:
        raise TransactionRefused(Refusal.FOREIGN_PROGRAM, given.program)
    if not terms.touches_native or given.content != _CLOSE_ACCOUNT or len(given.accounts) != _CLOSE_ACCOUNTS:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "cleanup")
    check_signers(given, terms.payer)
    if [entry.address for entry in given.accounts] != [terms.wrapped_account, terms.payer, terms.payer]:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "cleanup")


def check_signers(given: GivenInstruction, payer: str) -> None:
    """Refuse an instruction that somebody else has to sign. Raises: TransactionRefused."""
    if any(entry.is_signer and entry.address != payer for entry in given.accounts):
        raise TransactionRefused(Refusal.FOREIGN_SIGNER)


def _check_create(one: GivenInstruction, terms: ExchangeTerms) -> None:
    """Associated token program, Create and CreateIdempotent: funder, account, owner, mint, system, token program."""
    if one.content not in _CREATE or len(one.accounts) != _CREATE_ACCOUNTS:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "create")
    check_signers(one, terms.payer)
    funder, account, owner, mint, system, program = (entry.address for entry in one.accounts)
    if funder != terms.payer or owner != terms.payer or system != SYSTEM_PROGRAM or program not in TOKEN_PROGRAMS:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "create")
    if account != token_account(terms.payer, mint, program):
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "create")


def _wrapped(one: GivenInstruction, terms: ExchangeTerms) -> int:
    """The lamports that a transfer moves from the payer into the payer's own wrapped SOL."""
    if len(one.content) != _TRANSFER_BYTES or one.content[:4] != _TRANSFER or not terms.source.is_native:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "system")
    check_signers(one, terms.payer)
    if [entry.address for entry in one.accounts] != [terms.payer, terms.wrapped_account]:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "system")
    return int.from_bytes(one.content[4:], "little")


def _check_sync(one: GivenInstruction, terms: ExchangeTerms, wrapped: int) -> None:
    if one.content != _SYNC_NATIVE or not wrapped:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "token")
    check_signers(one, terms.payer)
    if [entry.address for entry in one.accounts] != [token_account(terms.payer, WRAPPED_SOL, TOKEN_PROGRAM)]:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "token")
