"""What a simulated payment did to the accounts it writes, held against what was agreed.

Why after every instruction was read: the route inside a swap names further programs, and only their effect can be seen.
"""

from collections.abc import Mapping

from chains.instructions.accounts import AccountState, TokenAccount, token_account_of
from chains.instructions.exact_payment import ExactPayment
from chains.instructions.programs import SYSTEM_PROGRAM
from chains.instructions.refusal import Refusal, TransactionRefused

States = Mapping[str, AccountState | None]
"""Accounts by address; None for one that does not exist."""


def writable_accounts(transaction: bytes, tables: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Every account that a transaction may change, those it takes from lookup tables included."""
    from solders.message import MessageV0  # noqa: PLC0415  (slow import)
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import)

    message = VersionedTransaction.from_bytes(transaction).message
    if not isinstance(message, MessageV0):
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "message")
    found = [str(key) for index, key in enumerate(message.account_keys) if message.is_maybe_writable(index)]
    for used in message.address_table_lookups:
        addresses = tables[str(used.account_key)]
        found += [addresses[index] for index in bytes(used.writable_indexes)]
    return found


def check_outcome(payment: ExactPayment, before: States, after: States, network_fee: int) -> None:
    """Refuse a transaction that pays the merchant another amount, or costs the payer more than was agreed.

    ``network_fee`` is in lamports. Raises: TransactionRefused.
    """
    _check_merchant(payment, before, after)
    _check_sol(payment, before, after, network_fee)
    for address, state in after.items():
        _check_tokens(payment, address, token_account_of(before.get(address)), token_account_of(state))


def _check_merchant(payment: ExactPayment, before: States, after: States) -> None:
    account = payment.merchant_account
    if payment.terms.destination.is_native:
        gained = _lamports(after, account) - _lamports(before, account)
    else:
        held, holds = token_account_of(before.get(account)), token_account_of(after.get(account))
        if holds is None or (holds.owner, holds.mint) != (payment.merchant, payment.terms.destination.address):
            raise TransactionRefused(Refusal.SIMULATION_DIFFERS, "merchant account")
        gained = holds.base_units - (0 if held is None else held.base_units)
    if gained != payment.base_units:
        raise TransactionRefused(Refusal.SIMULATION_DIFFERS, f"merchant gets {gained}")


def _check_sol(payment: ExactPayment, before: States, after: States, network_fee: int) -> None:
    """The payer's SOL: no more than the fee, the rent of token accounts that were made, and the input if it is SOL."""
    payer, terms = payment.terms.payer, payment.terms
    wallet = after.get(payer)
    if wallet is None or wallet.program != SYSTEM_PROGRAM or wallet.content:
        raise TransactionRefused(Refusal.SIMULATION_DIFFERS, "the payer's wallet changes hands")
    rent = sum(
        state.lamports
        for address, state in after.items()
        if state is not None and before.get(address) is None
        if (opened := token_account_of(state)) is not None and opened.owner in {payer, payment.merchant}
    )
    agreed = network_fee + rent + (terms.input_base_units if terms.source.is_native else 0)
    if _lamports(before, payer) - _lamports(after, payer) > agreed:
        raise TransactionRefused(Refusal.SIMULATION_DIFFERS, "payer's SOL")


def _check_tokens(payment: ExactPayment, address: str, held: TokenAccount | None, holds: TokenAccount | None) -> None:
    """One token account of the payer: nothing leaves it but the input, and nobody else gets a say over it."""
    terms = payment.terms
    if held is None:
        if holds is not None and holds.owner == terms.payer and (holds.delegate or holds.closer):
            raise TransactionRefused(Refusal.SIMULATION_DIFFERS, f"{address} has a delegate")
        return
    if held.owner != terms.payer:
        return
    if holds is None:
        if address != terms.wrapped_account or not terms.touches_native:
            raise TransactionRefused(Refusal.SIMULATION_DIFFERS, f"{address} is closed")
        return
    if (holds.owner, holds.mint, holds.delegate, holds.closer) != (held.owner, held.mint, held.delegate, held.closer):
        raise TransactionRefused(Refusal.SIMULATION_DIFFERS, f"{address} changes hands")
    is_source = address == terms.source_account and not terms.source.is_native
    if held.base_units - holds.base_units > (terms.input_base_units if is_source else 0):
        raise TransactionRefused(Refusal.SIMULATION_DIFFERS, f"{address} loses {held.base_units - holds.base_units}")


def _lamports(states: States, address: str) -> int:
    state = states.get(address)
    return 0 if state is None else state.lamports
