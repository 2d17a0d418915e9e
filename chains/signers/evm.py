"""Signatures on EVM chains: EIP-1559 transactions, signed here or put together from a signature made elsewhere.

Why imports inside functions: eth_account takes seconds to load, and the web process never needs it. Why the limit is
put back: it raises the recursion limit so far that a deep answer would end the process.
"""

import sys
from typing import TYPE_CHECKING, Any

from chains.signers.base import EvmTransaction, SignedEvm, SignerUnavailable
from chains.signers.quiet import kept_quiet
from core.secrets import Sealed

if TYPE_CHECKING:
    from eth_account import Account
    from eth_account.signers.local import LocalAccount

CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Of secp256k1. Source: https://www.secg.org/sec2-v2.pdf, 2.4.1."""
NOT_SOLANA = "An account on an EVM chain does not sign messages of Solana."


class LocalEvmSigner:
    """Signs with a key that is in this process."""

    def __init__(self, key: Sealed) -> None:
        self._key = key
        self.address = str(self._account().address)

    def __repr__(self) -> str:
        """The address."""
        return f"<LocalEvmSigner {self.address}>"

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        """Sign. Raises: SignerUnavailable."""
        signed = kept_quiet(lambda: self._signed(transaction))
        if signed is None:
            raise SignerUnavailable("The transaction could not be signed.")
        return signed

    def sign_solana(self, message: bytes) -> bytes:
        """Refuse. Raises: SignerUnavailable."""
        raise SignerUnavailable(NOT_SOLANA)

    def _signed(self, transaction: EvmTransaction) -> SignedEvm:
        signed = self._account().sign_transaction(as_dictionary(transaction))
        return _checked(bytes(signed.raw_transaction), self.address)

    def _account(self) -> "LocalAccount":
        account: LocalAccount = eth_account().from_key(self._key.reveal())
        return account


def as_dictionary(transaction: EvmTransaction) -> dict[str, Any]:
    """The transaction in the words of Ethereum's own interface, which the library takes."""
    return {
        "type": 2,
        "chainId": transaction.chain_id,
        "nonce": transaction.nonce,
        "to": transaction.to,
        "value": transaction.value,
        "data": transaction.data,
        "gas": transaction.gas_limit,
        "maxFeePerGas": transaction.max_fee,
        "maxPriorityFeePerGas": transaction.priority_fee,
    }


def digest_of(transaction: EvmTransaction) -> bytes:
    """The 32 bytes that are signed. Source: EIP-1559."""
    eth_account()
    from eth_account.typed_transactions.typed_transaction import TypedTransaction  # noqa: PLC0415  (slow import)

    return bytes(TypedTransaction.from_dict(as_dictionary(transaction)).hash())


def put_together(transaction: EvmTransaction, r: int, s: int, address: str) -> SignedEvm:
    """The signed transaction from a signature that somebody else made over its digest.

    Why s is lowered: nodes refuse the upper half, and a key service returns either. Source: EIP-2.
    Raises: ValueError where it is not a signature of this address.
    """
    eth_account()
    from eth_account.typed_transactions.typed_transaction import TypedTransaction  # noqa: PLC0415  (slow import)
    from hexbytes import HexBytes  # noqa: PLC0415  (slow import)

    low = min(s, CURVE_ORDER - s)
    parity = _parity(digest_of(transaction), r, low, address)
    signed = as_dictionary(transaction) | {"v": parity, "r": r, "s": low}
    return _checked(bytes(HexBytes(TypedTransaction.from_dict(signed).encode())), address)


def checksummed(public_key: bytes) -> str:
    """The address of an uncompressed public key of 64 bytes."""
    from eth_keys.datatypes import PublicKey  # noqa: PLC0415  (slow import)

    return str(PublicKey(public_key).to_checksum_address())


def eth_account() -> "type[Account]":
    """The library, loaded without what it does to the process."""
    limit = sys.getrecursionlimit()
    from eth_account import Account  # noqa: PLC0415  (slow import, see module)

    sys.setrecursionlimit(limit)
    return Account


def _parity(digest: bytes, r: int, s: int, address: str) -> int:
    """Which of the two points of the curve was meant. Raises: ValueError where neither is this address's."""
    for parity in (0, 1):
        if _recovered(digest, (parity, r, s)) == address:
            return parity
    raise ValueError("signed by another key")


def _recovered(digest: bytes, signature: tuple[int, int, int]) -> str:
    """Whose signature it is; empty where it is nobody's. Why so broad a catch: the numbers come from outside."""
    from eth_keys.datatypes import Signature  # noqa: PLC0415  (slow import)

    try:
        return str(Signature(vrs=signature).recover_public_key_from_msg_hash(digest).to_checksum_address())
    except Exception:
        return ""


def _checked(raw: bytes, address: str) -> SignedEvm:
    """What is sent, once its signature was seen to be this address's. Raises: ValueError."""
    from eth_hash.auto import keccak  # noqa: PLC0415  (slow import)

    if eth_account().recover_transaction(raw) != address:
        raise ValueError("signed by another key")
    return SignedEvm(raw="0x" + raw.hex(), tx_hash="0x" + keccak(raw).hex())
