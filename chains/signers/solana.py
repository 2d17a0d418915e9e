"""Signatures on Solana: Ed25519 over the bytes of a message.

Why imports inside functions: solders takes a tenth of a second to load, and the web process never needs it.
"""

from typing import TYPE_CHECKING

from chains.signers.base import EvmTransaction, SignedEvm, SignerUnavailable
from chains.signers.quiet import kept_quiet
from core.secrets import Sealed

if TYPE_CHECKING:
    from solders.keypair import Keypair

NOT_EVM = "An account on Solana does not sign transactions of EVM chains."


class LocalSolanaSigner:
    """Signs with a key that is in this process."""

    def __init__(self, key: Sealed) -> None:
        self._key = key
        self.address = str(self._pair().pubkey())

    def __repr__(self) -> str:
        """The address."""
        return f"<LocalSolanaSigner {self.address}>"

    def sign_evm(self, transaction: EvmTransaction) -> SignedEvm:
        """Refuse. Raises: SignerUnavailable."""
        raise SignerUnavailable(NOT_EVM)

    def sign_solana(self, message: bytes) -> bytes:
        """Sign. Raises: SignerUnavailable."""
        signature = kept_quiet(lambda: verified(bytes(self._pair().sign_message(message)), message, self.address))
        if signature is None:
            raise SignerUnavailable("The message could not be signed.")
        return signature

    def _pair(self) -> "Keypair":
        from solders.keypair import Keypair  # noqa: PLC0415  (slow import, see module)

        return Keypair.from_seed(self._key.reveal())


def verified(signature: bytes, message: bytes, address: str) -> bytes:
    """The signature, once it was seen to be this address's. Raises: ValueError."""
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)
    from solders.signature import Signature  # noqa: PLC0415  (slow import, see module)

    if not Signature.from_bytes(signature).verify(Pubkey.from_string(address), message):
        raise ValueError("signed by another key")
    return signature
