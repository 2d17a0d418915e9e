"""Across on Solana: what the program ``svm_spoke`` takes and tells, byte by byte. Pure.

Source: https://github.com/across-protocol/contracts at 8ab0730 (2026-06-11), programs/svm-spoke: lib.rs
(``declare_id``, the parameters), instructions/deposit.rs (accounts, delegate), utils/deposit_utils.rs (id of an unsafe
deposit), utils/delegate_utils.rs (seeds), event.rs (FundsDeposited), broadcast/deployed-addresses.json (the program's
address on the main network, Solana's id in Across: 34268394551451), the accounts' order and the eight-byte names as in
the program's IDL. Anchor names an instruction by the first eight bytes of sha256("global:" + name). Numbers are
little-endian (borsh), but ``output_amount``, which is a word as on EVM chains.
"""

import hashlib
import struct
from dataclasses import dataclass
from enum import StrEnum

from chains.base58 import base58, from_base58
from chains.instructions.exchange import LOCALNET
from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    program_address,
    token_account,
)
from chains.instructions.refusal import Refusal, TransactionRefused

SVM_SPOKE = "DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru"
ACROSS_SOLANA_ID = 34268394551451
"""Solana, as Across numbers chains."""
STATE_SEED = 0
"""Of the program's one state on the main network."""
LOCALNET_DELEGATE = "FWMTF4Y8SjyQFtPELoQEyksbh1Xgc3eXXqwRzSbcn2oi"
"""Who pulls a deposit on a local network, where no program can sign for an address of its own."""
_NAME, _KEY = 8, 32


class DepositKind(StrEnum):
    """The three ways to deposit, by the program's names. Only an unsafe one says its order's id in advance."""

    DEPOSIT = "deposit"
    DEPOSIT_NOW = "deposit_now"
    UNSAFE_DEPOSIT = "unsafe_deposit"


_HEAD = "<32s32s32s32sQ32sQ32s"
_TAILS = {DepositKind.DEPOSIT: "<III", DepositKind.DEPOSIT_NOW: "<II", DepositKind.UNSAFE_DEPOSIT: "<QIII"}
_NAMES = {kind: hashlib.sha256(f"global:{kind}".encode()).digest()[:8] for kind in DepositKind}


@dataclass(frozen=True, kw_only=True, slots=True)
class SvmDeposit:
    """One deposit as an instruction says it. Recipient, output token and relayer are 32 bytes, amounts base units.

    Units: ``quote_timestamp`` and ``fill_deadline`` in Unix seconds, but of ``deposit_now`` the first is absent (0) and
    the second counts from the block's time. ``exclusivity``: up to a year counts from there too. ``nonce``: 0 but for
    an unsafe deposit.
    """

    kind: DepositKind
    depositor: str
    recipient: bytes
    input_token: str
    output_token: bytes
    input_amount: int
    output_amount: int
    destination_chain_id: int
    exclusive_relayer: bytes
    quote_timestamp: int
    fill_deadline: int
    exclusivity: int
    message: bytes
    nonce: int = 0


def read_deposit(content: bytes) -> SvmDeposit:
    """The deposit in an instruction's data. Raises: TransactionRefused for anything but one, whole and alone."""
    kind = next((kind for kind, name in _NAMES.items() if content[:_NAME] == name), None)
    if kind is None:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "spoke pool")
    head = _NAME + struct.calcsize(_HEAD)
    tail = head + struct.calcsize(_TAILS[kind])
    if len(content) < tail:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "deposit")
    *first, exclusive_relayer = struct.unpack(_HEAD, content[_NAME:head])
    depositor, recipient, input_token, output_token, given, promised, destination = first
    numbers = struct.unpack(_TAILS[kind], content[head:tail])
    nonce = numbers[0] if kind is DepositKind.UNSAFE_DEPOSIT else 0
    return SvmDeposit(
        kind=kind,
        depositor=base58(depositor),
        recipient=recipient,
        input_token=base58(input_token),
        output_token=output_token,
        input_amount=given,
        output_amount=int.from_bytes(promised),
        destination_chain_id=destination,
        exclusive_relayer=exclusive_relayer,
        quote_timestamp=0 if kind is DepositKind.DEPOSIT_NOW else numbers[-3],
        fill_deadline=numbers[-2],
        exclusivity=numbers[-1],
        message=read_message(content[tail:]),
        nonce=nonce,
    )


def deposit_data(deposit: SvmDeposit) -> bytes:
    """The data of the instruction that makes this deposit."""
    return _NAMES[deposit.kind] + _head(deposit) + _tail(deposit, with_nonce=True) + _borsh_bytes(deposit.message)


def deposit_accounts(deposit: SvmDeposit, delegate: str) -> list[str]:
    """The accounts of that instruction, in the program's order.

    They are: signer, state, delegate, the depositor's tokens, the vault, the mint, the token program, the program of
    token accounts, the system, who signs events, and the program itself. The first five but the delegate are written.
    """
    state = program_address(SVM_SPOKE, b"state", STATE_SEED.to_bytes(8, "little"))
    return [
        deposit.depositor,
        state,
        delegate,
        token_account(deposit.depositor, deposit.input_token, TOKEN_PROGRAM),
        token_account(state, deposit.input_token, TOKEN_PROGRAM),
        deposit.input_token,
        TOKEN_PROGRAM,
        ASSOCIATED_TOKEN_PROGRAM,
        SYSTEM_PROGRAM,
        event_authority(),
        SVM_SPOKE,
    ]


WRITTEN_ACCOUNTS = frozenset({0, 1, 3, 4})
"""Of these accounts, the places that the program may write."""


def event_authority() -> str:
    """The address with which the program signs its events."""
    return program_address(SVM_SPOKE, b"__event_authority")


def delegate_of(deposit: SvmDeposit, network_profile: str) -> str:
    """Who may pull exactly this deposit: an address of the program that follows from everything but the nonce."""
    if network_profile == LOCALNET:
        return LOCALNET_DELEGATE
    content = _head(deposit) + _tail(deposit, with_nonce=False) + _borsh_bytes(deposit.message)
    return program_address(SVM_SPOKE, b"delegate", _keccak(content))


def unsafe_deposit_id(deposit: SvmDeposit) -> int:
    """The id of an unsafe deposit that its depositor signs."""
    key = from_base58(deposit.depositor)
    return int.from_bytes(_keccak(key + key + deposit.nonce.to_bytes(8, "little")))


def _head(deposit: SvmDeposit) -> bytes:
    """What all three begin with, and the seeds of the delegate too."""
    return struct.pack(
        _HEAD,
        from_base58(deposit.depositor),
        deposit.recipient,
        from_base58(deposit.input_token),
        deposit.output_token,
        deposit.input_amount,
        deposit.output_amount.to_bytes(_KEY),
        deposit.destination_chain_id,
        deposit.exclusive_relayer,
    )


def _tail(deposit: SvmDeposit, *, with_nonce: bool) -> bytes:
    times = [deposit.fill_deadline, deposit.exclusivity]
    if deposit.kind is not DepositKind.DEPOSIT_NOW:
        times = [deposit.quote_timestamp, *times]
    is_numbered = with_nonce and deposit.kind is DepositKind.UNSAFE_DEPOSIT
    nonce = struct.pack("<Q", deposit.nonce) if is_numbered else b""
    return nonce + struct.pack(f"<{len(times)}I", *times)


def read_message(content: bytes) -> bytes:
    """What ends a deposit and its event.

    Raises: TransactionRefused unless its length is what it says, and nothing stands behind it.
    """
    length = int.from_bytes(content[:4], "little")
    if len(content) != 4 + length:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "message")
    return content[4:]


def _borsh_bytes(content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + content


def _keccak(content: bytes) -> bytes:
    from eth_hash.auto import keccak  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    return bytes(keccak(content))
