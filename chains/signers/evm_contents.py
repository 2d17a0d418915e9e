"""Holds an EVM transaction against the stored transfer that it is to make: the same money, and nothing else.

Read here byte by byte, and not by the code that builds transactions: a fault there must not be signed.
"""

from chains.models import SigningAccount, Transfer
from chains.registry import EVM_NATIVE_ADDRESS, chain
from chains.signers.base import EvmTransaction
from chains.signers.refusal import NotStored

MOST_GAS = 5_000_000
"""More than any transfer needs on any chain of the table. Why a limit: a wrong one burns what pays for gas."""
_TRANSFER = bytes.fromhex("a9059cbb")
"""Selector of ``transfer(address,uint256)``."""
_WORD = 32


def refuse_other_transaction(transaction: EvmTransaction, transfer: Transfer, account: SigningAccount) -> None:
    """Refuse all but the transfer itself at its own nonce, or nothing sent to oneself in its place. Raises: NotStored.

    Once the transfer is withdrawn, only the latter is left.
    """
    _refuse_other_slot(transaction, transfer)
    if sends_nothing(transaction, account):
        return
    if transfer.withdrawn_at is not None:
        raise NotStored("it is withdrawn")
    if (transaction.to.lower(), transaction.value, transaction.data) != _expected(transfer):
        raise NotStored("token, recipient or amount")


def sends_nothing(transaction: EvmTransaction, account: SigningAccount) -> bool:
    """Whether it only uses its nonce up: nothing, from the account to itself."""
    return (transaction.to, transaction.value, transaction.data) == (account.address, 0, b"")


def _refuse_other_slot(transaction: EvmTransaction, transfer: Transfer) -> None:
    known = chain(transfer.chain)
    if known is None or known.chain_id is None or transaction.chain_id != known.chain_id:
        raise NotStored("chain")
    if transfer.nonce is None or transaction.nonce != transfer.nonce:
        raise NotStored("nonce")
    if not 0 < transaction.gas_limit <= MOST_GAS or not 0 <= transaction.priority_fee <= transaction.max_fee:
        raise NotStored("gas or fees")


def _expected(transfer: Transfer) -> tuple[str, int, bytes]:
    if transfer.token_address == EVM_NATIVE_ADDRESS:
        return transfer.recipient.lower(), int(transfer.base_units), b""
    words = int(transfer.recipient, 16).to_bytes(_WORD) + int(transfer.base_units).to_bytes(_WORD)
    return transfer.token_address.lower(), 0, _TRANSFER + words + transfer.pk.bytes
