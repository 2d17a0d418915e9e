"""Whether a transfer can be made now, asked before it takes a nonce. What fails here costs nothing."""

from functools import partial

from chains.addresses import parse_address, refuse_unpayable
from chains.blockers import Blocked, Blocker, Failure, Rejected
from chains.clients.evm_preflight import Preflight, read_preflight
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable, InvalidAddress
from chains.models import Transfer
from chains.rails.accounts import note_coins
from chains.rails.evm.calls import account_of, chain_of, marked_call, watched
from chains.rails.evm.fees import Fees, fair_fees
from chains.registry import EVM_NATIVE_ADDRESS


def check_recipient(transfer: Transfer) -> None:
    """Raises: Rejected where money sent there would be lost, or would come back to the account that sends it."""
    known = chain_of(transfer)
    try:
        parsed = parse_address(known, transfer.recipient)
        refuse_unpayable(known, parsed, {transfer.token_address})
    except InvalidAddress:
        raise Rejected(Failure.INVALID_DESTINATION) from None
    if parsed == account_of(transfer).address or parsed != transfer.recipient:
        raise Rejected(Failure.INVALID_DESTINATION)
    if transfer.base_units <= 0:
        raise Rejected(Failure.CHAIN_REJECTED)


def preflight_of(transfer: Transfer) -> Preflight:
    """What the transfer stands on, by one node; that it would fail must be said by two, where there are two.

    Raises: ChainUnavailable, also where they disagree.
    """
    pool = EVM.pool(transfer.chain)
    question = partial(read_preflight, call=marked_call(transfer), watched=watched(transfer))
    preflight, endpoint = pool.ask_one(question)
    note_coins(transfer, preflight.terms.coin_balance)
    if would_fail(transfer, preflight) and pool.has_second:
        other = pool.ask_second(question, endpoint)
        if other is None or not would_fail(transfer, other):
            raise ChainUnavailable(transfer.chain)
    return preflight


def would_fail(transfer: Transfer, preflight: Preflight) -> bool:
    """Whether the chain would refuse the call, or bring the recipient another amount, though the account has enough."""
    if preflight.balance < transfer.base_units:
        return False
    arrived = preflight.simulation.arrived
    brings_other = arrived is not None and arrived != transfer.base_units
    return not preflight.simulation.succeeds or brings_other


def check_funds(transfer: Transfer, preflight: Preflight) -> Fees:
    """The fees to offer.

    Raises: Blocked or Rejected where the transfer cannot be made now, or never; ChainUnavailable.
    """
    if preflight.balance < transfer.base_units:
        raise Blocked(Blocker.INSUFFICIENT_FUNDS)
    if would_fail(transfer, preflight):
        raise Rejected(Failure.CHAIN_REJECTED)
    fees = fair_fees(transfer.chain, preflight.terms.market)
    if fees is None:
        raise Blocked(Blocker.FEE_ABOVE_CAP)
    if preflight.terms.gas is None:
        raise ChainUnavailable(transfer.chain)  # it says that the call works, and that it does not
    value = transfer.base_units if transfer.token_address == EVM_NATIVE_ADDRESS else 0
    if preflight.terms.coin_balance < value + ceiling(preflight.terms.gas) * fees.max_fee:
        raise Blocked(Blocker.INSUFFICIENT_GAS)
    return fees


def ceiling(gas: int) -> int:
    """The limit of gas for an estimate: a quarter more. Why: what it writes may change until it lands. Rounding: up."""
    return -(-gas * 5 // 4)
