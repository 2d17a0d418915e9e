"""The exact payment: one transaction that exchanges, and pays the merchant the agreed amount to the base unit.

Source: docs/routing.md, Jupiter. What the exchange yields beyond the amount stays with the payer.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chains.base58 import base58
from chains.instructions.exchange import Exchange
from chains.instructions.given import as_instruction
from chains.instructions.programs import token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import unit_price
from chains.instructions.terms import ExchangeTerms
from chains.instructions.transactions import (
    ExactTransfer,
    compute_budget,
    transfer_instructions,
    unsigned_transaction,
)
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.money import BaseUnits

MOST_COMPUTE_UNITS = 1_400_000
MOST_PRIORITY_LAMPORTS = 2_000_000
"""What a payer gives at most for a place in a block."""
UNIT_MARGIN_PERCENT = 120
"""Over what a simulation used. Source: docs/design/chains.md, Compute units on Solana."""
_MICRO = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ExactPayment:
    """Who is to get how much of the exchange's destination, and the tag by which it is found on the chain."""

    terms: ExchangeTerms
    merchant: str
    base_units: BaseUnits
    tag: str

    @property
    def merchant_account(self) -> str:
        """What the transfer credits: the merchant's token account, or the wallet itself where SOL settles."""
        if self.terms.destination.is_native:
            return self.merchant
        return token_account(self.merchant, self.terms.destination.address, self.terms.destination.program)


def units_with_margin(units: int) -> int:
    """The compute limit for what a simulation used, rounded up."""
    return min(-(-units * UNIT_MARGIN_PERCENT // 100), MOST_COMPUTE_UNITS)


def priority_price(exchange: Exchange, units: int) -> int:
    """Micro-lamports for a compute unit: what the aggregator asks for, cut to what a payer gives at most."""
    return min(unit_price(exchange.compute_budget), MOST_PRIORITY_LAMPORTS * _MICRO // max(units, 1))


def priority_lamports(price: int, units: int) -> int:
    """What that costs, rounded up as the chain does."""
    return -(-price * units // _MICRO)


def compose(
    payment: ExactPayment,
    exchange: Exchange,
    tables: Mapping[str, Sequence[str]],
    blockhash: bytes,
    *,
    units: int,
    price: int,
) -> bytes:
    """The unsigned transaction, as a wallet takes it. ``tables`` are lookup tables that the chain confirmed.

    Why the transfer comes last: Solana Pay looks for it there, and the exchange must have paid before.
    Raises: TransactionRefused where it cannot be composed or is too large.
    """
    from solders.address_lookup_table_account import AddressLookupTableAccount  # noqa: PLC0415  (slow import)
    from solders.message import CompileError  # noqa: PLC0415  (slow import)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    found = [
        AddressLookupTableAccount(Pubkey.from_string(key), [Pubkey.from_string(entry) for entry in addresses])
        for key, addresses in tables.items()
    ]
    around = [*exchange.setup, exchange.swap, *exchange.others]
    around += [] if exchange.cleanup is None else [exchange.cleanup]
    calls = [*compute_budget(units, price), *map(as_instruction, around), *transfer_instructions(_transfer(payment))]
    try:
        text = unsigned_transaction(payment.terms.payer, calls, base58(blockhash), found)
    except (ValueError, CompileError) as error:
        raise TransactionRefused(Refusal.TRANSACTION_TOO_LARGE, str(error)) from error
    return base64.b64decode(text)


def _transfer(payment: ExactPayment) -> ExactTransfer:
    token = payment.terms.destination
    return ExactTransfer(
        payer=payment.terms.payer,
        recipient=payment.merchant,
        token_address=SOLANA_NATIVE_ADDRESS if token.is_native else token.address,
        base_units=payment.base_units,
        tag=payment.tag,
        token_program=token.program,
        decimals=token.decimals,
    )
