"""Whose key signed a text, told offline: wallets' signatures under messages that people read.

Contracts that call themselves wallets (EIP-1271) would have to be asked on their chain, and are not known here.
Why imports inside functions: the curves' libraries load slowly, and most processes never need them.
"""

from typing import Final

from chains.registry import Family

EVM_SIGNATURE_BYTES: Final = 65
SOLANA_SIGNATURE_BYTES: Final = 64
_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Of secp256k1. Source: https://www.secg.org/sec2-v2.pdf, 2.4.1."""
_RECOVERY: Final = {27: 0, 28: 1}


def signed_text(family: Family, address: str, text: str, signature: bytes) -> bool:
    """Whether the key of this address signed exactly this text. ``address`` in its stored spelling."""
    if family is Family.SOLANA:
        return _solana_key_signed(address, text.encode(), signature)
    return evm_signer(text, signature) == address


def evm_signer(text: str, signature: bytes) -> str:
    """The address whose key signed a text as a personal message; empty where the signature is none in its one form.

    Source: EIP-191, version 0x45.
    """
    return signer_of_digest(personal_digest(text), signature)


def signer_of_digest(digest: bytes, signature: bytes) -> str:
    """The address whose key signed these 32 bytes; empty where the signature is none in its one form.

    Source: EIP-2 (low s, so that nobody can write the same signature in another way).
    """
    if len(signature) != EVM_SIGNATURE_BYTES or signature[64] not in _RECOVERY:
        return ""
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    if not (0 < r < _ORDER and 0 < s <= _ORDER // 2):
        return ""
    from eth_keys.datatypes import Signature  # noqa: PLC0415  (slow import, see module)
    from eth_keys.exceptions import BadSignature  # noqa: PLC0415  (as above)
    from eth_utils.exceptions import ValidationError  # noqa: PLC0415  (as above)

    try:
        given = Signature(vrs=(_RECOVERY[signature[64]], r, s))
        return str(given.recover_public_key_from_msg_hash(digest).to_checksum_address())
    except (BadSignature, ValidationError):
        return ""


def personal_digest(text: str) -> bytes:
    """What a wallet signs for a personal message. Source: EIP-191, version 0x45."""
    from eth_hash.auto import keccak  # noqa: PLC0415  (slow import, see module)

    message = text.encode()
    return bytes(keccak(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message))


def _solana_key_signed(address: str, message: bytes, signature: bytes) -> bool:
    if len(signature) != SOLANA_SIGNATURE_BYTES:
        return False
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)
    from solders.signature import Signature  # noqa: PLC0415  (as above)

    return bool(Signature(signature).verify(Pubkey.from_string(address), message))
