"""Whether a transfer can be made now, asked before it takes a nonce. What fails here costs nothing."""

from functools import partial

from chains.addresses import parse_address, refuse_unpayable
from chains.clients.evm_footing import Footing, read_footing
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable, InvalidAddress
from chains.models import Transfer
from chains.rails.base import Failure, Hindered, Hindrance, Rejected
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


def footing_of(transfer: Transfer) -> Footing:
    """What the transfer stands on, by one node; that it would fail must be said by two, where there are two.

    Raises: ChainUnavailable, also where they disagree.
    """
    pool = EVM.pool(transfer.chain)
    question = partial(read_footing, call=marked_call(transfer), watched=watched(transfer))
    footing, endpoint = pool.ask_one(question)
    if would_fail(transfer, footing) and pool.has_second:
        other = pool.ask_second(question, endpoint)
        if other is None or not would_fail(transfer, other):
            raise ChainUnavailable(transfer.chain)
    return footing


def would_fail(transfer: Transfer, footing: Footing) -> bool:
    """Whether the chain would refuse the call, or bring the recipient another amount, though the account has enough."""
    if footing.balance < transfer.base_units:
        return False
    arrived = footing.simulation.arrived
    brings_other = arrived is not None and arrived != transfer.base_units
    return not footing.simulation.succeeds or brings_other


def check_funds(transfer: Transfer, footing: Footing) -> Fees:
    """The fees to offer.

    Raises: Hindered or Rejected where the transfer cannot be made now, or never; ChainUnavailable.
    """
    if footing.balance < transfer.base_units:
        raise Hindered(Hindrance.INSUFFICIENT_FUNDS)
    if would_fail(transfer, footing):
        raise Rejected(Failure.CHAIN_REJECTED)
    fees = fair_fees(transfer.chain, footing.terms.market)
    if fees is None:
        raise Hindered(Hindrance.FEE_ABOVE_CAP)
    if footing.terms.gas is None:
        raise ChainUnavailable(transfer.chain)  # it says that the call works, and that it does not
    value = transfer.base_units if transfer.token_address == EVM_NATIVE_ADDRESS else 0
    if footing.terms.coin_balance < value + ceiling(footing.terms.gas) * fees.max_fee:
        raise Hindered(Hindrance.INSUFFICIENT_GAS)
    return fees


def ceiling(gas: int) -> int:
    """The limit of gas for an estimate: a quarter more. Why: what it writes may change until it lands. Rounding: up."""
    return -(-gas * 5 // 4)
