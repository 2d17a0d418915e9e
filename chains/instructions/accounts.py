"""Accounts of Solana as a node shows them: token accounts, mints and lookup tables, read from their bytes.

Source: https://github.com/solana-program (the layouts of token, token-2022 and address-lookup-table). Token-2022 keeps
the first form and appends to it.
"""

from dataclasses import dataclass

from chains.instructions.programs import LOOKUP_TABLES, TOKEN_PROGRAMS

TOKEN_ACCOUNT_BYTES, MINT_BYTES = 165, 82
_TABLE_HEAD_BYTES, _ADDRESS_BYTES = 56, 32
_NEVER = 2**64 - 1
_LOOKUP_TABLE = 1
_STATE, _FROZEN = 108, 2
_EXTENDED_TOKEN_ACCOUNT = 2
"""Behind a mint that goes on it is 1, and a mint is no account."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountState:
    """An account as it is: whose program it belongs to, its lamports and its content."""

    program: str
    lamports: int
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenAccount:
    """What a token account says of itself. ``delegate`` and ``closer`` are empty for nobody."""

    mint: str
    owner: str
    base_units: int
    delegate: str
    closer: str


def token_account_of(state: AccountState | None) -> TokenAccount | None:
    """The token account in these bytes; None where there is none."""
    if state is None or state.program not in TOKEN_PROGRAMS or len(state.content) < TOKEN_ACCOUNT_BYTES:
        return None
    raw = state.content
    if len(raw) > TOKEN_ACCOUNT_BYTES and raw[TOKEN_ACCOUNT_BYTES] != _EXTENDED_TOKEN_ACCOUNT:
        return None
    return TokenAccount(
        mint=_address(raw, 0),
        owner=_address(raw, 32),
        base_units=int.from_bytes(raw[64:72], "little"),
        delegate=_optional_address(raw, 72),
        closer=_optional_address(raw, 129),
    )


def is_frozen(state: AccountState | None) -> bool:
    """Whether the token in this account may not be moved, neither in nor out."""
    return token_account_of(state) is not None and state is not None and state.content[_STATE] == _FROZEN


def mint_decimals(state: AccountState | None) -> int | None:
    """The decimals of the mint in these bytes; None where there is no working mint."""
    if state is None or state.program not in TOKEN_PROGRAMS or len(state.content) < MINT_BYTES:
        return None
    return state.content[44] if state.content[45] == 1 else None


def table_addresses(state: AccountState | None) -> tuple[str, ...] | None:
    """The addresses of a lookup table that is in force; None where there is no such table."""
    if state is None or state.program != LOOKUP_TABLES or len(state.content) < _TABLE_HEAD_BYTES:
        return None
    kind, closes_at = int.from_bytes(state.content[:4], "little"), int.from_bytes(state.content[4:12], "little")
    rest = state.content[_TABLE_HEAD_BYTES:]
    if kind != _LOOKUP_TABLE or closes_at != _NEVER or len(rest) % _ADDRESS_BYTES:
        return None
    return tuple(_address(rest, start) for start in range(0, len(rest), _ADDRESS_BYTES))


def _address(raw: bytes, start: int) -> str:
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    return str(Pubkey.from_bytes(raw[start : start + _ADDRESS_BYTES]))


def _optional_address(raw: bytes, start: int) -> str:
    return _address(raw, start + 4) if raw[start] == 1 else ""
