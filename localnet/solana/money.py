"""Play money: coins and tokens at the real tokens' addresses, written into the ledger's accounts."""

import struct

from solders.account import Account
from solders.pubkey import Pubkey
from solders.token.state import Mint, TokenAccount, TokenAccountState

from chains.instructions.programs import TOKEN_PROGRAM, token_account
from localnet.solana.runtime import Ledger

USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
USDT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
ONE_SOL = 10**9
SYSTEM_PROGRAM = Pubkey.default()
LOOKUP_TABLE_PROGRAM = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
MINT_BYTES, TOKEN_ACCOUNT_BYTES = 82, 165
_NEVER = 2**64 - 1
_AUTHORITY = Pubkey(b"\x07" * 32)


def fund(ledger: Ledger, address: str, lamports: int = ONE_SOL) -> None:
    """Let an address hold exactly so many lamports."""
    ledger.svm.set_account(Pubkey.from_string(address), Account(lamports, b"", SYSTEM_PROGRAM))


def place_token(ledger: Ledger, token: str, decimals: int = 6, program: str = TOKEN_PROGRAM) -> None:
    """Put a token at an address, unless one is there."""
    if ledger.svm.get_account(Pubkey.from_string(token)) is None:
        _write(ledger, token, bytes(Mint(_AUTHORITY, 0, decimals, is_initialized=True)), program)


def mint(ledger: Ledger, token: str, owner: str, units: int, frozen: bool = False) -> str:  # noqa: FBT001, FBT002
    """Give a wallet so much more of a token in its associated account; that account."""
    state = ledger.svm.get_account(Pubkey.from_string(token))
    assert state is not None, f"no token at {token}"
    program, account = str(state.owner), account_of(ledger, token, owner)
    supply = Mint.from_bytes(state.data[:MINT_BYTES])
    grown = Mint(supply.mint_authority, supply.supply + units, supply.decimals, is_initialized=True)
    _write(ledger, token, bytes(grown) + state.data[MINT_BYTES:], program)
    mine = TokenAccount(
        mint=Pubkey.from_string(token),
        owner=Pubkey.from_string(owner),
        amount=held(ledger, account) + units,
        delegate=None,
        state=TokenAccountState.Frozen if frozen else TokenAccountState.Initialized,
        is_native=None,
        delegated_amount=0,
    )
    _write(ledger, account, bytes(mine), program)
    return account


def account_of(ledger: Ledger, token: str, owner: str) -> str:
    """The associated account in which a wallet holds a token."""
    state = ledger.svm.get_account(Pubkey.from_string(token))
    assert state is not None, f"no token at {token}"
    return token_account(owner, token, str(state.owner))


def held(ledger: Ledger, account: str) -> int:
    """What a token account holds; nothing where there is none."""
    state = ledger.svm.get_account(Pubkey.from_string(account))
    return 0 if state is None else int(TokenAccount.from_bytes(state.data[:TOKEN_ACCOUNT_BYTES]).amount)


def place_lookup_table(ledger: Ledger, table: str, addresses: list[str]) -> None:
    """Put a table of addresses on the chain, for transactions that would be too long without."""
    header = struct.pack("<IQQBB32sH", 1, _NEVER, 0, 0, 0, bytes(32), 0)
    raw = header + b"".join(bytes(Pubkey.from_string(address)) for address in addresses)
    _write(ledger, table, raw, str(LOOKUP_TABLE_PROGRAM))


def _write(ledger: Ledger, address: str, content: bytes, program: str) -> None:
    lamports = ledger.svm.minimum_balance_for_rent_exemption(len(content))
    ledger.svm.set_account(Pubkey.from_string(address), Account(lamports, content, Pubkey.from_string(program)))
