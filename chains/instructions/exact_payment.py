"""The exact payment: one transaction that exchanges, and pays the merchant the agreed amount to the base unit.

Source: chains, Delivering the exact amount. What the exchange yields beyond the amount stays with the payer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chains.instructions.exchange import Exchange
from chains.instructions.given import GivenInstruction
from chains.instructions.programs import ASSOCIATED_TOKEN, COMPUTE_BUDGET, MEMO, SYSTEM, token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import unit_price
from chains.instructions.terms import ExchangeTerms

if TYPE_CHECKING:
    from solders.instruction import Instruction

MOST_BYTES = 1232
"""Of a transaction. Source: chains, Solana facts."""
MOST_COMPUTE_UNITS = 1_400_000
MOST_PRIORITY_LAMPORTS = 2_000_000
"""What a payer gives at most for a place in a block."""
UNIT_MARGIN_PERCENT = 120
"""Over what a simulation used. Source: chains, Solana facts."""
_MICRO = 1_000_000
_SET_LIMIT, _SET_PRICE, _CREATE_IDEMPOTENT, _SEND_SOL, _TRANSFER_CHECKED = b"\x02", b"\x03", b"\x01", 2, b"\x0c"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExactPayment:
    """Who is to get how much of the exchange's destination, and the marks by which it is found on the chain."""

    terms: ExchangeTerms
    merchant: str
    base_units: int
    reference: str
    memo: str

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

    Raises: TransactionRefused where it cannot be composed or is too large.
    """
    from solders.address_lookup_table_account import AddressLookupTableAccount  # noqa: PLC0415  (slow import)
    from solders.hash import Hash  # noqa: PLC0415  (slow import)
    from solders.message import MessageV0  # noqa: PLC0415  (slow import)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)
    from solders.signature import Signature  # noqa: PLC0415  (slow import)
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import)

    found = [
        AddressLookupTableAccount(Pubkey.from_string(key), [Pubkey.from_string(entry) for entry in addresses])
        for key, addresses in tables.items()
    ]
    try:
        message = MessageV0.try_compile(
            Pubkey.from_string(payment.terms.payer),
            _instructions(payment, exchange, units=units, price=price),
            found,
            Hash.from_bytes(blockhash),
        )
    except Exception as error:  # solders raises bare exceptions of its own
        raise TransactionRefused(Refusal.TRANSACTION_TOO_LARGE, type(error).__name__) from error
    if message.header.num_required_signatures != 1 or message.account_keys[0] != Pubkey.from_string(
        payment.terms.payer
    ):
        raise TransactionRefused(Refusal.FOREIGN_SIGNER)
    raw = bytes(VersionedTransaction.populate(message, [Signature.default()]))
    if len(raw) > MOST_BYTES:
        raise TransactionRefused(Refusal.TRANSACTION_TOO_LARGE, str(len(raw)))
    return raw


def _instructions(payment: ExactPayment, exchange: Exchange, *, units: int, price: int) -> "list[Instruction]":
    budget = [
        _own(COMPUTE_BUDGET, _SET_LIMIT + units.to_bytes(4, "little")),
        _own(COMPUTE_BUDGET, _SET_PRICE + price.to_bytes(8, "little")),
    ]
    cleanup = [] if exchange.cleanup is None else [_given(exchange.cleanup)]
    swap = [_given(one) for one in (*exchange.setup, exchange.swap, *exchange.others)]
    memo = _own(MEMO, payment.memo.encode())
    if payment.terms.destination.is_native:
        return [*budget, *swap, *cleanup, _send_sol(payment), memo]
    return [*budget, _merchant_account(payment), *swap, _send_tokens(payment), memo, *cleanup]


def _merchant_account(payment: ExactPayment) -> "Instruction":
    terms = payment.terms
    return _own(
        ASSOCIATED_TOKEN,
        _CREATE_IDEMPOTENT,
        (terms.payer, True, True),
        (payment.merchant_account, False, True),
        (payment.merchant, False, False),
        (terms.destination.address, False, False),
        (SYSTEM, False, False),
        (terms.destination.program, False, False),
    )


def _send_tokens(payment: ExactPayment) -> "Instruction":
    """Why the reference comes last and read-only: a transfer ignores it, and a search for it finds the transaction."""
    terms = payment.terms
    return _own(
        terms.destination.program,
        _TRANSFER_CHECKED + payment.base_units.to_bytes(8, "little") + bytes([terms.destination.decimals]),
        (terms.destination_account, False, True),
        (terms.destination.address, False, False),
        (payment.merchant_account, False, True),
        (terms.payer, True, False),
        (payment.reference, False, False),
    )


def _send_sol(payment: ExactPayment) -> "Instruction":
    return _own(
        SYSTEM,
        _SEND_SOL.to_bytes(4, "little") + payment.base_units.to_bytes(8, "little"),
        (payment.terms.payer, True, True),
        (payment.merchant, False, True),
        (payment.reference, False, False),
    )


def _own(program: str, data: bytes, *accounts: tuple[str, bool, bool]) -> "Instruction":
    """An instruction of ours; each account with whether it signs and whether it is written."""
    from solders.instruction import AccountMeta, Instruction  # noqa: PLC0415  (slow import)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    metas = [AccountMeta(Pubkey.from_string(key), signs, written) for key, signs, written in accounts]
    return Instruction(Pubkey.from_string(program), data, metas)


def _given(one: GivenInstruction) -> "Instruction":
    entries = ((entry.address, entry.is_signer, entry.is_writable) for entry in one.accounts)
    return _own(one.program, one.data, *entries)
