"""Answers in the shape that Jupiter's public API gives, with its real program. Source: jup-ag/docs, swap/v2."""

import base64
import hashlib
from dataclasses import dataclass, replace
from typing import Any

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chains.instructions.given import GivenInstruction, instruction
from chains.instructions.jupiter import EVENT_AUTHORITY
from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    JUPITER_V6,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    WRAPPED_SOL,
    token_account,
)
from chains.instructions.terms import NATIVE_SOL, ExchangeTerms, Mint
from localnet.solana.money import USDC, USDT

PAYER = str(Keypair.from_seed(bytes(range(32))).pubkey())
MERCHANT = str(Keypair.from_seed(bytes(range(1, 33))).pubkey())
STRANGER = str(Keypair.from_seed(bytes(range(2, 34))).pubkey())
PAID, QUOTED, TARGET, SLIPPAGE = 25_200_000, 25_150_000, 25_000_000, 50
TERMS = ExchangeTerms(
    payer=PAYER,
    source=Mint(address=USDT, program=TOKEN_PROGRAM, decimals=6),
    destination=Mint(address=USDC, program=TOKEN_PROGRAM, decimals=6),
    input_base_units=PAID,
    least_output=TARGET,
    most_slippage_bps=SLIPPAGE,
)
STRANGERS_USDT = token_account(STRANGER, USDT, TOKEN_PROGRAM)
FROM_SOL = replace(TERMS, source=NATIVE_SOL)
TO_SOL = replace(TERMS, destination=NATIVE_SOL)
Accounts = list[tuple[str, bool, bool]]


@dataclass(frozen=True, kw_only=True)
class Head:
    """The figures at the head of a swap's data."""

    paid: int = PAID
    quoted: int = QUOTED
    slippage: int = SLIPPAGE
    fee: int = 0
    positive_slippage: int = 0

    def raw(self) -> bytes:
        wide = self.paid.to_bytes(8, "little") + self.quoted.to_bytes(8, "little")
        return wide + b"".join(one.to_bytes(2, "little") for one in (self.slippage, self.fee, self.positive_slippage))


PLAN = (1).to_bytes(4, "little") + bytes([47, 0]) + (10_000).to_bytes(2, "little") + bytes([0, 1])
"""A route plan of one step."""


def key(name: str) -> str:
    """An address that means nothing but itself."""
    return str(Pubkey(hashlib.sha256(name.encode()).digest()))


def call(program: str, content: bytes, accounts: Accounts) -> dict[str, Any]:
    metas = [{"pubkey": address, "isSigner": signs, "isWritable": written} for address, signs, written in accounts]
    return {"programId": program, "accounts": metas, "data": base64.b64encode(content).decode()}


def given(program: str, content: bytes, accounts: Accounts) -> GivenInstruction:
    return instruction(call(program, content, accounts))


def _read_only(*addresses: str) -> Accounts:
    return [(address, False, False) for address in addresses]


def _written(*addresses: str) -> Accounts:
    return [(address, False, True) for address in addresses]


def _mints(terms: ExchangeTerms) -> Accounts:
    source, destination = terms.source, terms.destination
    return _read_only(source.address, destination.address, source.program, destination.program)


def route_v2(terms: ExchangeTerms = TERMS, head: Head | None = None) -> dict[str, Any]:
    """The direct form."""
    fixed = [(terms.payer, True, False), *_written(terms.source_account, terms.destination_account), *_mints(terms)]
    fixed += _read_only(JUPITER_V6, EVENT_AUTHORITY, JUPITER_V6)
    content = bytes.fromhex("bb64facc31c4af14") + (head or Head()).raw() + PLAN
    return call(JUPITER_V6, content, fixed + _market())


def shared_accounts_route_v2(terms: ExchangeTerms = TERMS, head: Head | None = None) -> dict[str, Any]:
    """The form that goes through the program's own accounts."""
    fixed = [*_read_only(key("program authority")), (terms.payer, True, False), *_written(terms.source_account)]
    fixed += _written(key("program source"), key("program destination"), terms.destination_account)
    fixed += [*_mints(terms), *_read_only(EVENT_AUTHORITY, JUPITER_V6)]
    content = bytes.fromhex("d19853937cfed8e9") + b"\x07" + (head or Head()).raw() + PLAN
    return call(JUPITER_V6, content, fixed + _market())


def create_account(owner: str, mint: str, content: bytes = b"\x01") -> GivenInstruction:
    account = token_account(owner, mint, TOKEN_PROGRAM)
    others = _read_only(owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM)
    return given(ASSOCIATED_TOKEN_PROGRAM, content, [(PAYER, True, True), *_written(account), *others])


def wrap(lamports: int = PAID, to: str = "") -> GivenInstruction:
    content = (2).to_bytes(4, "little") + lamports.to_bytes(8, "little")
    return given(SYSTEM_PROGRAM, content, [(PAYER, True, True), (to or FROM_SOL.wrapped_account, False, True)])


def sync(account: str = "") -> GivenInstruction:
    return given(TOKEN_PROGRAM, b"\x11", [(account or FROM_SOL.wrapped_account, False, True)])


def close(account: str = "", to: str = PAYER) -> GivenInstruction:
    wrapped = account or token_account(PAYER, WRAPPED_SOL, TOKEN_PROGRAM)
    return given(TOKEN_PROGRAM, b"\x09", [*_written(wrapped, to), (PAYER, True, False)])


def _market() -> Accounts:
    """What the route itself names."""
    return [*_read_only(key("market program")), *_written(key("market"), key("vault"))]
