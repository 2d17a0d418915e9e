"""Whether a transfer would arrive, decided before anything is signed. Pure.

Source: docs/money-out.md, On Solana.
"""

from typing import Any

from chains.addresses import parse_address, refuse_unpayable
from chains.blockers import Blocked, Blocker, Failure, Rejected
from chains.clients.solana_issue import SIGNATURE_LAMPORTS
from chains.clients.solana_reads import custom_error
from chains.errors import InvalidAddress
from chains.instructions.accounts import AccountState, is_frozen, mint_decimals, token_account_of
from chains.instructions.mints import hazard_of
from chains.instructions.programs import SYSTEM_PROGRAM, TOKEN_PROGRAM
from chains.models import Transfer
from chains.rails.solana.facts import Facts
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.registry import chain as chain_named

MOST_UNITS = 200_000
"""Of computing, for the trial and for the fee that must be there: more than any such transfer takes."""
_MICRO = 1_000_000
_LACKS_COINS = ("AccountNotFound", "InsufficientFundsForFee")
_LACKS_FUNDS = 1
"""Of the system program and of both token programs."""


def check_recipient(transfer: Transfer) -> None:
    """A wallet's address, as far as can be said without asking the chain. Raises: Rejected.

    Why: money for a token's own address, a token account or a program is lost, or not where it should be.
    """
    known = chain_named(transfer.chain)
    if known is None or transfer.recipient == transfer.sender:
        raise Rejected(Failure.INVALID_DESTINATION)
    try:
        refuse_unpayable(known, parse_address(known, transfer.recipient), frozenset({transfer.token_address}))
    except InvalidAddress as error:
        raise Rejected(Failure.INVALID_DESTINATION) from error


def check_transfer(transfer: Transfer, facts: Facts, unit_price: int) -> str:
    """The program that keeps the token, once everything is in place. Raises: Rejected, Blocked.

    The recipient is unused, or the system program's with nothing in it: a wallet, and no program's account.
    """
    found = facts.recipient
    if found is not None and (found.program != SYSTEM_PROGRAM or found.content):
        raise Rejected(Failure.INVALID_DESTINATION)
    fee = SIGNATURE_LAMPORTS - (-unit_price * MOST_UNITS // _MICRO)
    if transfer.token_address == SOLANA_NATIVE_ADDRESS:
        _check_coins(transfer, facts, fee)
        return TOKEN_PROGRAM
    mint = facts.mint
    # There is no such token, it counts otherwise, or it does not arrive as it was sent.
    if mint is None or mint_decimals(mint) != transfer.token_decimals or hazard_of(mint):
        raise Rejected(Failure.CHAIN_REJECTED)
    program = mint.program
    _check_target(transfer, facts.targets[program])
    source = facts.sources[program]
    held = token_account_of(source)
    if held is None or is_frozen(source) or held.base_units < transfer.base_units:
        raise Blocked(Blocker.INSUFFICIENT_FUNDS)
    rent = facts.account_rent if token_account_of(facts.targets[program]) is None else 0
    if _lamports(facts.sender) < fee + rent + facts.least:
        raise Blocked(Blocker.INSUFFICIENT_GAS)
    return program


def check_trial(outcome: tuple[Any, int]) -> int:
    """The computing that a trial used, unless it failed. Raises: Rejected, Blocked.

    Why a lack is told apart once more: another transfer may have spent the balance since it was read.
    """
    failure, units = outcome
    if failure is None:
        return units
    if failure in _LACKS_COINS or (isinstance(failure, dict) and "InsufficientFundsForRent" in failure):
        raise Blocked(Blocker.INSUFFICIENT_GAS)
    if custom_error(failure) == _LACKS_FUNDS:
        raise Blocked(Blocker.INSUFFICIENT_FUNDS)
    raise Rejected(Failure.CHAIN_REJECTED)


def _check_coins(transfer: Transfer, facts: Facts, fee: int) -> None:
    """The native coin: both wallets must stay above what an account must hold, or the chain refuses."""
    if _lamports(facts.recipient) + transfer.base_units < facts.least:
        raise Rejected(Failure.CHAIN_REJECTED)
    left = _lamports(facts.sender) - transfer.base_units
    if left < 0:
        raise Blocked(Blocker.INSUFFICIENT_FUNDS)
    if left < fee + facts.least:
        raise Blocked(Blocker.INSUFFICIENT_GAS)


def _check_target(transfer: Transfer, target: AccountState | None) -> None:
    """The recipient's token account, if there is one: still the recipient's own, and able to receive."""
    if target is None or target.program == SYSTEM_PROGRAM:
        return
    held = token_account_of(target)
    if held is None or (held.owner, held.mint) != (transfer.recipient, transfer.token_address):
        raise Rejected(Failure.INVALID_DESTINATION)
    if is_frozen(target):
        raise Rejected(Failure.DESTINATION_BLOCKED)


def _lamports(account: AccountState | None) -> int:
    return 0 if account is None else account.lamports
