"""What a transfer calls, and what takes its nonce when it shall not be made. Pure."""

from chains.calldata.erc20 import transfer_call
from chains.clients.evm_calls import token_transfer
from chains.clients.evm_observation import Sought
from chains.clients.evm_simulation import TriedCall, Watched
from chains.models import SigningAccount, Transfer
from chains.models.transfers import AttemptKind
from chains.registry import EVM_NATIVE_ADDRESS, Chain
from chains.registry import chain as chain_named

NO_CALLDATA = "0x"


def account_of(transfer: Transfer) -> SigningAccount:
    """The account that signs. Raises: ValueError for a transfer ordered without one."""
    if transfer.account is None:
        raise ValueError(f"transfer {transfer.pk} has no signing account")
    return transfer.account


def chain_of(transfer: Transfer) -> Chain:
    """The chain it is sent on. Raises: ValueError for one that nobody knows."""
    known = chain_named(transfer.chain)
    if known is None:
        raise ValueError(f"transfer {transfer.pk} is on no known chain")
    return known


def marked_call(transfer: Transfer) -> TriedCall:
    """The call that pays, with the transfer's id behind it, by which it is known on the chain.

    Why native coin goes without any data: a recipient's contract may refuse it with some.
    """
    if transfer.token_address == EVM_NATIVE_ADDRESS:
        return unmarked_call(transfer)
    calldata = token_transfer(transfer.recipient, transfer.base_units, str(transfer.pk))
    return TriedCall(sender=account_of(transfer).address, to=transfer.token_address, value=0, data=calldata)


def unmarked_call(transfer: Transfer) -> TriedCall:
    """The same without the id: as it was sent before there were marks, or by other programs."""
    sender = account_of(transfer).address
    if transfer.token_address == EVM_NATIVE_ADDRESS:
        return TriedCall(sender=sender, to=transfer.recipient, value=transfer.base_units, data=NO_CALLDATA)
    calldata = transfer_call(transfer.recipient, transfer.base_units)
    return TriedCall(sender=sender, to=transfer.token_address, value=0, data=calldata)


def idle_call(transfer: Transfer) -> TriedCall:
    """The call that moves nothing: to oneself, without value."""
    sender = account_of(transfer).address
    return TriedCall(sender=sender, to=sender, value=0, data=NO_CALLDATA)


def call_of(transfer: Transfer, kind: str) -> TriedCall:
    """The call of an attempt of this kind."""
    return marked_call(transfer) if kind == AttemptKind.PAY else idle_call(transfer)


def watched(transfer: Transfer) -> Watched:
    """Whose balance the transfer is about."""
    return Watched(token=transfer.token_address, recipient=transfer.recipient)


def sought(transfer: Transfer) -> Sought:
    """What is looked for on the chain: every transaction that was ever signed for it."""
    return Sought(
        sender=account_of(transfer).address,
        recipient=transfer.recipient,
        token=transfer.token_address,
        base_units=transfer.base_units,
        hashes=tuple(transfer.attempts.order_by("sequence").values_list("tx_hash", flat=True)),
    )
