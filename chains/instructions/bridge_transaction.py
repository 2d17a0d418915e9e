"""A transaction that deposits into Across on Solana: a stranger's is taken apart here, our own is made of what it says.

Nothing but these instructions is accepted: what it may cost to compute, opening the payer's own account of the input
token, letting the deposit's own delegate take exactly the input, and the deposit. Every account is worked out anew.
Who is paid what by when is for the caller to judge. Source: docs/routing.md, LI.FI.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from chains.instructions.given import GivenAccount, GivenInstruction, as_instruction
from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    COMPUTE_BUDGET_PROGRAM,
    MEMO_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import MOST_PRICE_MICRO_LAMPORTS
from chains.instructions.svm_spoke import (
    SVM_SPOKE,
    WRITTEN_ACCOUNTS,
    DepositKind,
    SvmDeposit,
    delegate_of,
    deposit_accounts,
    deposit_data,
    read_deposit,
)
from chains.instructions.transactions import read_transaction, reference_of

if TYPE_CHECKING:
    from solders.instruction import Instruction
    from solders.message import MessageHeader

DEPOSIT_UNITS = 200_000
"""Of computing: what a deposit takes at most, rounded up."""
_APPROVE, _APPROVE_CHECKED = 4, 13
_APPROVE_BYTES, _APPROVE_CHECKED_BYTES = 9, 10
_CREATE_IDEMPOTENT = b"\x01"
_LIMIT, _PRICE = 2, 3
_BUDGET_BYTES = {_LIMIT: 5, _PRICE: 9}
_NO_BLOCKHASH = bytes(32)


@dataclass(frozen=True, kw_only=True, slots=True)
class BridgePayer:
    """Who is to sign, with which token of the classic token program, and on which network."""

    address: str
    token_address: str
    decimals: int
    network_profile: str


def read_bridge_transaction(text: str, payer: BridgePayer) -> SvmDeposit:
    """The deposit that an offered transaction makes, all around it being in order. Raises: TransactionRefused."""
    given = _instructions(text, payer.address)
    deposits = [one for one in given if one.program == SVM_SPOKE]
    if len(deposits) != 1 or given[-1] is not deposits[0]:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "not one deposit at the end")
    deposit = read_deposit(deposits[0].content)
    if deposit.depositor != payer.address:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "depositor")
    if deposit.input_token != payer.token_address:
        raise TransactionRefused(Refusal.TOKEN_DIFFERS, "input token")
    delegate = delegate_of(deposit, payer.network_profile)
    if [entry.address for entry in deposits[0].accounts] != deposit_accounts(deposit, delegate):
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "deposit")
    _check_around(given[:-1], deposit, delegate, payer)
    return deposit


def own_nonce(deposit: SvmDeposit, tag: str) -> SvmDeposit:
    """The same deposit under a number that follows from the leg's id.

    Why: an order's id follows from it, and a number that this payer used before would make the order an old one.
    """
    if deposit.kind is not DepositKind.UNSAFE_DEPOSIT:
        return deposit
    digest = hashlib.sha256(b"causeway deposit" + UUID(tag).bytes).digest()
    return replace(deposit, nonce=int.from_bytes(digest[:8]))


def bridge_instructions(deposit: SvmDeposit, tag: str, payer: BridgePayer) -> list["Instruction"]:
    """What the payer signs: a memo with the leg's id, the approval with the leg's reference, and the deposit.

    Why the reference stands behind the approval: the token program ignores accounts behind the owner's, while a memo
    may name nobody who does not sign.
    """
    delegate = delegate_of(deposit, payer.network_profile)
    source = token_account(payer.address, payer.token_address, TOKEN_PROGRAM)
    approval = bytes([_APPROVE_CHECKED]) + deposit.input_amount.to_bytes(8, "little") + bytes([payer.decimals])
    entries = [
        _entry(source, is_written=True),
        *(_entry(key) for key in (payer.token_address, delegate)),
        _entry(payer.address, signs=True),
        _entry(reference_of(tag)),
    ]
    named = [
        _entry(key, signs=place == 0, is_written=place in WRITTEN_ACCOUNTS)
        for place, key in enumerate(deposit_accounts(deposit, delegate))
    ]
    calls = [
        GivenInstruction(program=MEMO_PROGRAM, accounts=(), content=str(UUID(tag)).encode()),
        GivenInstruction(program=TOKEN_PROGRAM, accounts=tuple(entries), content=approval),
        GivenInstruction(program=SVM_SPOKE, accounts=tuple(named), content=deposit_data(deposit)),
    ]
    return [as_instruction(one) for one in calls]


def given_instructions(text: str) -> list[GivenInstruction]:
    """The instructions of a transaction in base64 that uses no lookup tables. Raises: TransactionRefused."""
    try:
        message = read_transaction(text).message
    except ValueError as error:
        raise TransactionRefused(Refusal.MALFORMED_ANSWER, str(error)) from None
    if getattr(message, "address_table_lookups", []):
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "lookup tables")
    keys, header = [str(key) for key in message.account_keys], message.header
    places = [place for one in message.instructions for place in (one.program_id_index, *one.accounts)]
    if max(places, default=0) >= len(keys):
        raise TransactionRefused(Refusal.MALFORMED_ANSWER, "places of accounts")
    return [
        GivenInstruction(
            program=keys[one.program_id_index],
            accounts=tuple(
                _entry(
                    keys[place],
                    signs=place < header.num_required_signatures,
                    is_written=_is_written(header, place, len(keys)),
                )
                for place in one.accounts
            ),
            content=bytes(one.data),
        )
        for one in message.instructions
    ]


def _instructions(text: str, payer: str) -> list[GivenInstruction]:
    """The instructions of a transaction that nobody but the payer signs, and that somebody dated."""
    given = given_instructions(text)
    message = read_transaction(text).message
    if message.header.num_required_signatures != 1 or str(message.account_keys[0]) != payer:
        raise TransactionRefused(Refusal.FOREIGN_SIGNER, "transaction")
    if bytes(message.recent_blockhash) == _NO_BLOCKHASH:
        raise TransactionRefused(Refusal.BLOCKHASH_EXPIRED, "none")
    if not given:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "no instruction")
    return given


def _check_around(given: Sequence[GivenInstruction], deposit: SvmDeposit, delegate: str, payer: BridgePayer) -> None:
    """Refuse all that is not needed for the deposit: each at most once, and the approval exactly once."""
    seen: list[str] = []
    for one in given:
        if one.program == COMPUTE_BUDGET_PROGRAM:
            seen.append(_budget(one))
        elif one.program == ASSOCIATED_TOKEN_PROGRAM:
            seen.append(_account(one, payer))
        elif one.program == TOKEN_PROGRAM:
            seen.append(_approval(one, deposit, delegate, payer))
        else:
            raise TransactionRefused(Refusal.FOREIGN_PROGRAM, one.program)
    if len(set(seen)) != len(seen) or "approval" not in seen:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "twice, or no approval")


def _budget(one: GivenInstruction) -> str:
    kind = one.content[0] if one.content else 0
    if one.accounts or len(one.content) != _BUDGET_BYTES.get(kind):
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "compute budget")
    if kind == _PRICE and int.from_bytes(one.content[1:], "little") > MOST_PRICE_MICRO_LAMPORTS:
        raise TransactionRefused(Refusal.NETWORK_FEE_TOO_HIGH)
    return f"budget {kind}"


def _account(one: GivenInstruction, payer: BridgePayer) -> str:
    """CreateIdempotent of the payer's own account: funder, account, owner, mint, system, token program."""
    own = token_account(payer.address, payer.token_address, TOKEN_PROGRAM)
    needed = [payer.address, own, payer.address, payer.token_address, SYSTEM_PROGRAM, TOKEN_PROGRAM]
    if one.content != _CREATE_IDEMPOTENT:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "create")
    if [entry.address for entry in one.accounts] != needed:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "create")
    return "account"


def _approval(one: GivenInstruction, deposit: SvmDeposit, delegate: str, payer: BridgePayer) -> str:
    """Approve (source, delegate, owner) or ApproveChecked (source, mint, delegate, owner) of exactly the input."""
    kind = one.content[0] if one.content else 0
    sizes = {_APPROVE: _APPROVE_BYTES, _APPROVE_CHECKED: _APPROVE_CHECKED_BYTES}
    if len(one.content) != sizes.get(kind):
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "token")
    source = token_account(payer.address, payer.token_address, TOKEN_PROGRAM)
    mint = [payer.token_address] if kind == _APPROVE_CHECKED else []
    if [entry.address for entry in one.accounts] != [source, *mint, delegate, payer.address]:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "approval")
    if int.from_bytes(one.content[1:9], "little") != deposit.input_amount:
        raise TransactionRefused(Refusal.INPUT_TOO_HIGH, "approval")
    if kind == _APPROVE_CHECKED and one.content[9] != payer.decimals:
        raise TransactionRefused(Refusal.TOKEN_DIFFERS, "decimals")
    return "approval"


def _is_written(header: "MessageHeader", place: int, keys: int) -> bool:
    signers = header.num_required_signatures
    last = (
        signers - header.num_readonly_signed_accounts
        if place < signers
        else keys - header.num_readonly_unsigned_accounts
    )
    return place < last


def _entry(address: str, *, signs: bool = False, is_written: bool = False) -> GivenAccount:
    return GivenAccount(address=address, is_signer=signs, is_writable=is_written)
