"""Holds a message of Solana against the stored transfer that it is to make: the same money, and nothing else.

Read here byte by byte, and not by the code that builds messages: a fault there must not be signed.
Why imports inside functions: see ``chains.signers.solana``.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    COMPUTE_BUDGET_PROGRAM,
    MEMO_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAMS,
    token_account,
)
from chains.instructions.transactions import reference_of
from chains.models import SigningAccount, Transfer
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.signers.refusal import NotStored

if TYPE_CHECKING:
    from solders.message import MessageV0

MOST_PRIORITY_LAMPORTS = 50_000_000
"""0.05 SOL for a place in a block. Why a limit: a wrong price burns what pays for fees."""
_MOST_UNITS, _MICRO = 1_400_000, 1_000_000
_LIMIT, _LIMIT_BYTES, _PRICE, _PRICE_BYTES = 2, 5, 3, 9
_TRANSFER_CHECKED, _COIN_TRANSFER, _CREATE_IDEMPOTENT = b"\x0c", (2).to_bytes(4, "little"), b"\x01"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """One instruction, with its accounts by address."""

    program: str
    accounts: list[str]
    content: bytes


def refuse_other_message(message: bytes, transfer: Transfer, account: SigningAccount) -> None:
    """Refuse all but one transfer of the stored amount from the account's wallet to the recipient's. Raises: NotStored.

    Around it: the fee for a place in a block, the recipient's token account, and the transfer's id as a memo, so that
    no message can be signed for two rows.
    """
    if transfer.withdrawn_at is not None:
        raise NotStored("it is withdrawn")
    calls = _calls(_read(message), account)
    kinds = Counter(_checked(call, transfer, account) for call in calls)
    if kinds["transfer"] != 1 or kinds["memo"] != 1 or kinds.most_common(1)[0][1] != 1:
        raise NotStored("an instruction is missing, or there twice")
    _refuse_high_fee(calls)


def _read(message: bytes) -> "MessageV0":
    from solders.message import MessageV0, from_bytes_versioned, to_bytes_versioned  # noqa: PLC0415  (slow import)

    try:
        read = from_bytes_versioned(message)
    except Exception:
        raise NotStored("no message of Solana") from None
    if not isinstance(read, MessageV0) or to_bytes_versioned(read) != message:
        raise NotStored("no message of version 0 in its only form")
    return read


def _calls(message: "MessageV0", account: SigningAccount) -> list[_Call]:
    keys = [str(key) for key in message.account_keys]
    if message.header.num_required_signatures != 1 or keys[0] != account.address or message.address_table_lookups:
        raise NotStored("who signs")
    try:
        return [
            _Call(
                program=keys[one.program_id_index], accounts=[keys[index] for index in one.accounts], content=one.data
            )
            for one in message.instructions
        ]
    except IndexError:
        raise NotStored("accounts") from None


def _checked(call: _Call, transfer: Transfer, account: SigningAccount) -> str:
    """What an instruction does, once it was seen to be as it must. Raises: NotStored."""
    if call.program == COMPUTE_BUDGET_PROGRAM:
        return _budget(call)
    for programs, kind, is_right in _CALLS:
        if call.program in programs and is_right(call, transfer, account):
            return kind
    raise NotStored("token, recipient, amount, or another program")


def _budget(call: _Call) -> str:
    kind, size = call.content[:1], len(call.content)
    if (kind, size) == (bytes([_LIMIT]), _LIMIT_BYTES):
        return "limit"
    if (kind, size) == (bytes([_PRICE]), _PRICE_BYTES):
        return "price"
    raise NotStored("compute budget")


def _is_memo(call: _Call, transfer: Transfer, account: SigningAccount) -> bool:
    return not call.accounts and call.content == str(transfer.pk).encode()


def _is_new_account(call: _Call, transfer: Transfer, account: SigningAccount) -> bool:
    program = call.accounts[-1] if call.accounts else ""
    if call.content != _CREATE_IDEMPOTENT or program not in TOKEN_PROGRAMS:
        return False
    mint = transfer.token_address
    made = token_account(transfer.recipient, mint, program)
    return call.accounts == [account.address, made, transfer.recipient, mint, SYSTEM_PROGRAM, program]


def _is_token_transfer(call: _Call, transfer: Transfer, account: SigningAccount) -> bool:
    mint, program = transfer.token_address, call.program
    amount = int(transfer.base_units).to_bytes(8, "little")
    if mint == SOLANA_NATIVE_ADDRESS or call.content != _TRANSFER_CHECKED + amount + bytes([transfer.token_decimals]):
        return False
    source, made = token_account(account.address, mint, program), token_account(transfer.recipient, mint, program)
    return _are_accounts(call, [source, mint, made, account.address], transfer)


def _is_coin_transfer(call: _Call, transfer: Transfer, account: SigningAccount) -> bool:
    is_coin = transfer.token_address == SOLANA_NATIVE_ADDRESS
    amount = int(transfer.base_units).to_bytes(8, "little")
    right = is_coin and call.content == _COIN_TRANSFER + amount
    return right and _are_accounts(call, [account.address, transfer.recipient], transfer)


def _are_accounts(call: _Call, expected: list[str], transfer: Transfer) -> bool:
    """Whether these are the accounts, with at most the reference behind them by which the transfer is found."""
    return call.accounts in (expected, [*expected, reference_of(str(transfer.pk))])


def _refuse_high_fee(calls: list[_Call]) -> None:
    given = {
        call.content[0]: int.from_bytes(call.content[1:], "little")
        for call in calls
        if call.program == COMPUTE_BUDGET_PROGRAM
    }
    if given.get(_PRICE, 0) * given.get(_LIMIT, _MOST_UNITS) > MOST_PRIORITY_LAMPORTS * _MICRO:
        raise NotStored("the fee for a place in a block")


_CALLS: tuple[tuple[tuple[str, ...], str, Callable[[_Call, Transfer, SigningAccount], bool]], ...] = (
    ((MEMO_PROGRAM,), "memo", _is_memo),
    ((ASSOCIATED_TOKEN_PROGRAM,), "account", _is_new_account),
    (TOKEN_PROGRAMS, "transfer", _is_token_transfer),
    ((SYSTEM_PROGRAM,), "transfer", _is_coin_transfer),
)
