"""From an offered exchange to a transaction a payer may sign: checked, composed, and tried on a node.

Nothing in it is believed that a node can tell: mints, lookup tables, the lifetime, and what the whole would do.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chains.clients.solana_issue import SIGNATURE_LAMPORTS
from chains.instructions.accounts import AccountState, mint_decimals, table_addresses
from chains.instructions.exact_payment import (
    MOST_COMPUTE_UNITS,
    ExactPayment,
    compose,
    priority_lamports,
    priority_price,
    units_with_margin,
)
from chains.instructions.exchange import Exchange, check_exchange
from chains.instructions.outcome import check_outcome, writable_accounts
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.terms import NATIVE_SOL, Mint
from chains.registry import SOLANA_NATIVE_ADDRESS

MOST_LIFETIME_BLOCKS = 300
"""The longest that may be asked of Jupiter; a height further away is a lie."""
TOKEN_ACCOUNT_LAMPORTS = 2_039_280
"""What a token account of the classic program locks; Token-2022 needs somewhat more."""
TRIES = 3
"""Why several: other people's payments may change the merchant's balance between the look and the simulation."""
_LOGGER = logging.getLogger("causeway.chains")

Tables = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """What a transaction would do now; ``error`` is empty where it would succeed. Accounts as they were asked for."""

    error: str
    program_error: int | None
    units: int
    accounts: list[AccountState | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifetime:
    """A recent blockhash, the last block height at which it counts, and the height now."""

    blockhash: bytes
    last_valid_block_height: int
    block_height: int


class ExchangeReads(Protocol):
    """What a node of Solana tells. Raises: ChainUnavailable from each; called outside any database transaction."""

    def accounts(self, addresses: Sequence[str]) -> list[AccountState | None]:
        """These accounts now, in this order; None for one that does not exist."""

    def simulate(self, transaction: bytes, watched: Sequence[str]) -> Simulated:
        """What an unsigned transaction would do now."""

    def lifetime(self) -> Lifetime:
        """How long a transaction made now may land."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assembled:
    """An unsigned transaction that passed every gate, and which of the accounts it writes exist already."""

    transaction: bytes
    last_valid_block_height: int
    existing: frozenset[str]


def read_mint(reads: ExchangeReads, token_address: str, decimals: int) -> Mint:
    """A token as the chain says it is. Raises: TransactionRefused where its decimals are not those of the list."""
    if token_address == SOLANA_NATIVE_ADDRESS:
        return NATIVE_SOL
    [state] = reads.accounts([token_address])
    if state is None or mint_decimals(state) != decimals:
        raise TransactionRefused(Refusal.TOKEN_DIFFERS, token_address)
    return Mint(address=token_address, program=state.program, decimals=decimals)


def assemble(reads: ExchangeReads, exchange: Exchange, payment: ExactPayment, network_profile: str) -> Assembled:
    """Check an exchange, make the payment of it, and try it. Raises: TransactionRefused, ChainUnavailable."""
    check_exchange(exchange, payment.terms, network_profile)
    lifetime, tables = reads.lifetime(), _tables(reads, exchange)
    # Why its own blockhash is not used: by its last height a payment is later called dead. No stranger may say that.
    left = exchange.last_valid_block_height - lifetime.block_height
    if not 0 < left <= MOST_LIFETIME_BLOCKS:
        raise TransactionRefused(Refusal.BLOCKHASH_EXPIRED, str(left))
    draft = compose(payment, exchange, tables, lifetime.blockhash, units=MOST_COMPUTE_UNITS, price=0)
    tried = reads.simulate(draft, ())
    _refuse_error(tried)
    units = units_with_margin(tried.units)
    price = priority_price(exchange, units)
    final = compose(payment, exchange, tables, lifetime.blockhash, units=units, price=price)
    network_fee = SIGNATURE_LAMPORTS + priority_lamports(price, units)
    existing = _check_simulated(reads, payment, final, tables, network_fee)
    return Assembled(transaction=final, last_valid_block_height=lifetime.last_valid_block_height, existing=existing)


def _tables(reads: ExchangeReads, exchange: Exchange) -> Tables:
    """The lookup tables as they are told, once the chain says the same.

    Why: what a wallet signs names accounts by their place in a table, so a false table would swap them for others.
    A table may have grown since; what is told must then be its beginning.
    """
    keys = list(exchange.lookup_tables)
    if not keys:
        return {}
    for key, state in zip(keys, reads.accounts(keys), strict=True):
        claimed, real = exchange.lookup_tables[key], table_addresses(state)
        if real is None or real[: len(claimed)] != claimed:
            raise TransactionRefused(Refusal.LOOKUP_TABLE_DIFFERS, key)
    return exchange.lookup_tables


def _check_simulated(
    reads: ExchangeReads, payment: ExactPayment, transaction: bytes, tables: Tables, network_fee: int
) -> frozenset[str]:
    """The accounts that exist before, of those that are written. Raises: TransactionRefused, ChainUnavailable."""
    watched = writable_accounts(transaction, tables)
    for turn in range(TRIES):
        before = dict(zip(watched, reads.accounts(watched), strict=True))
        tried = reads.simulate(transaction, watched)
        _refuse_error(tried)
        after = dict(zip(watched, tried.accounts, strict=True))
        try:
            check_outcome(payment, before, after, network_fee)
        except TransactionRefused as refused:
            _LOGGER.warning("simulated payment refused, try %d: %s", turn + 1, refused)
            last = refused
        else:
            return frozenset(address for address, state in before.items() if state is not None)
    raise last


def _refuse_error(tried: Simulated) -> None:
    if tried.error:
        raise TransactionRefused(Refusal.SIMULATION_FAILED, tried.error, tried.program_error)
