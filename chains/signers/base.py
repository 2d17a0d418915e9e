"""What every signer can do, wherever its key is kept: sign one EVM transaction, or one Solana message.

Nobody calls a signer but ``chains.signers.policy.sign_stored``, which first holds what is to be signed against a
stored transfer.
"""

from dataclasses import dataclass
from typing import Protocol

from chains.blockers import Blocker


@dataclass(frozen=True, kw_only=True)
class EvmTransaction:
    """An EIP-1559 transaction to be signed. ``to`` is checksummed. Units: wei for ``value`` and both fees."""

    chain_id: int
    nonce: int
    to: str
    value: int
    data: bytes
    gas_limit: int
    max_fee: int
    priority_fee: int


@dataclass(frozen=True)
class SignedEvm:
    """A signed transaction: what is sent, and the hash under which it will land. Both in hexadecimal, with 0x."""

    raw: str
    tx_hash: str


class SignerUnavailable(Exception):
    """No signature can be had now; asking again later may work. ``blocker``: what its transfer then waits for.

    Its sentence is for the operator's log. It never holds a key, a passphrase, or what a library said about one.
    """

    blocker = Blocker.SIGNER_UNAVAILABLE


class Signer(Protocol):
    """One key. What it shows of itself, in a log or a traceback, is its address only."""

    address: str

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        """Sign an EIP-1559 transaction. Raises: SignerUnavailable. Locks: none is held, a remote one is slow."""

    def sign_solana(self, message: bytes) -> bytes:
        """The 64-byte signature over a version 0 message. Raises: SignerUnavailable. Locks: none is held."""
