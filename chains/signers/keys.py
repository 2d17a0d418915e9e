"""Keys as people and other programs write them down, and the address that follows from each. Nothing here is logged.

A key is 32 secret bytes in both families. Why imports inside functions: see ``chains.signers.evm``.
"""

from collections.abc import Callable

from chains.registry import Family
from chains.signers.evm import LocalEvmSigner
from chains.signers.quiet import kept_quiet
from chains.signers.solana import LocalSolanaSigner
from core.secrets import Sealed

LocalSigner = LocalEvmSigner | LocalSolanaSigner
_EVM_DIGITS = 64


def signer_for(family: Family, key: Sealed) -> LocalSigner | None:
    """What signs with this key; None where it is no key of that family."""
    make: Callable[[Sealed], LocalSigner] = LocalEvmSigner if family is Family.EVM else LocalSolanaSigner
    return kept_quiet(lambda: make(key))


def read_plain(family: Family, text: Sealed) -> Sealed | None:
    """A key as it is written down in clear; None where it is not one.

    EVM: 64 hexadecimal digits, with or without 0x. Solana: the command line's list of 64 numbers, or the base58 text
    of 64 bytes that wallets export; both hold the public key too, which must be the right one.
    """
    return kept_quiet(lambda: _evm(text) if family is Family.EVM else _solana(text))


def _evm(text: Sealed) -> Sealed:
    digits = text.reveal().decode("ascii").strip().removeprefix("0x")
    if len(digits) != _EVM_DIGITS:
        raise ValueError
    return Sealed(bytes.fromhex(digits))


def _solana(text: Sealed) -> Sealed:
    from solders.keypair import Keypair  # noqa: PLC0415  (slow import)

    written = text.reveal().decode("ascii").strip()
    pair = Keypair.from_json(written) if written.startswith("[") else Keypair.from_base58_string(written)
    return Sealed(bytes(pair.secret()))
