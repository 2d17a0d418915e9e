"""Reads and checks addresses offline: their form, their checksum, and whether money sent there would be lost.

It knows no tokens: the caller says which addresses are token contracts.
Why imports inside functions: the checksum and curve libraries cost 0.2 s of start-up, and most processes
never need them.
"""

import re
from collections.abc import Set as AbstractSet

from chains.errors import InvalidAddress, UnpayableAddress
from chains.registry import Chain, Family

_EVM_FORM = re.compile(r"0x[0-9a-fA-F]{40}")
_BASE58_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")

# Why: nobody holds a key below 2^16: there live the zero address, 0x…dEaD, precompiles, system contracts.
_FIRST_ORDINARY_ADDRESS = 1 << 16
_OP_STACK_SYSTEM_PREFIX = "0x420000000000000000000000000000000000"
_EVM_CONTRACTS = frozenset(
    {
        "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",  # another spelling of the native coin
        "0xcA11bde05977b3631167028862bE2a173976CA11",  # Multicall3
        "0x000000000022D473030F116dDEE9F6B43aC78BA3",  # Permit2
        "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE",  # LI.FI Diamond
    }
)
_SOLANA_PROGRAMS = frozenset(
    {
        "11111111111111111111111111111111",
        "ComputeBudget111111111111111111111111111111",
        "Stake11111111111111111111111111111111111111",
        "Vote111111111111111111111111111111111111111",
        "BPFLoaderUpgradeab1e11111111111111111111111",
        "AddressLookupTab1e1111111111111111111111111",
        "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
        "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
        "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
        "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4",
        "SysvarC1ock11111111111111111111111111111111",
        "SysvarRecentB1ockHashes11111111111111111111",
        "SysvarRent111111111111111111111111111111111",
        "SysvarRewards111111111111111111111111111111",
        "SysvarStakeHistory1111111111111111111111111",
        "SysvarEpochSchedu1e111111111111111111111111",
        "Sysvar1nstructions1111111111111111111111111",
        "SysvarS1otHashes111111111111111111111111111",
    }
)


def parse_address(chain: Chain, text: str) -> str:
    """The one spelling under which this address is stored: EIP-55 on EVM chains, base58 on Solana.

    Raises: InvalidAddress with reason ``format``, ``checksum`` or ``length``.
    Source: EIP-55. One letter case throughout carries no checksum and is accepted.
    """
    return _parse_evm(text) if chain.family is Family.EVM else _parse_solana(text)


def family_of_address(text: str) -> Family | None:
    """The family whose addresses look like that; None of what is no address, as on chains that only test mode knows."""
    if _EVM_FORM.fullmatch(text):
        return Family.EVM
    return Family.SOLANA if _BASE58_FORM.fullmatch(text) else None


def same_address(one: str, other: str) -> bool:
    """Whether two spellings are one address. Why letter case counts on Solana: there it is part of the address."""
    return one == other or (family_of_address(one) is Family.EVM and one.lower() == other.lower())


def refuse_unpayable(chain: Chain, address: str, known_tokens: AbstractSet[str]) -> None:
    """Refuse a parsed address that no person or wallet can own, without asking the chain.

    ``known_tokens`` holds token contracts or mints in their stored spelling.
    Raises: UnpayableAddress with reason ``token``, ``contract``, ``reserved``, ``program`` or ``off_curve``.
    Source: docs/guides/tokens.md, Addresses that are refused.
    """
    if address != chain.native_address and address in known_tokens:
        raise _unpayable(chain, "token", "This is a token's own address, not a wallet: money sent there is lost.")
    if chain.family is Family.EVM:
        _refuse_evm(chain, address)
    else:
        _refuse_solana(chain, address)


def _parse_evm(text: str) -> str:
    if not _EVM_FORM.fullmatch(text):
        raise InvalidAddress(
            "An address on this chain is 0x followed by 40 hexadecimal digits.",
            chain_family=Family.EVM,
            reason="format",
        )
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  (slow import, see module)

    checksummed = str(to_checksum_address(text))
    digits = text[2:]
    if digits not in {checksummed[2:], digits.lower(), digits.upper()}:
        raise InvalidAddress(
            "The letter case of this address does not match its checksum: a character is wrong.",
            chain_family=Family.EVM,
            reason="checksum",
        )
    return checksummed


def _parse_solana(text: str) -> str:
    if not _BASE58_FORM.fullmatch(text):
        raise InvalidAddress(
            "A Solana address is 32 to 44 base58 characters.", chain_family=Family.SOLANA, reason="format"
        )
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)

    try:
        return str(Pubkey.from_string(text))
    except ValueError:
        raise InvalidAddress(
            "A Solana address stands for exactly 32 bytes.", chain_family=Family.SOLANA, reason="length"
        ) from None


def _refuse_evm(chain: Chain, address: str) -> None:
    system = address.startswith(_OP_STACK_SYSTEM_PREFIX)
    if system or int(address, 16) < _FIRST_ORDINARY_ADDRESS:
        raise _unpayable(chain, "reserved", "This address is reserved by the chain: money sent there is lost.")
    if address in _EVM_CONTRACTS:
        raise _unpayable(chain, "contract", "This is a public contract, not a wallet: money sent there is lost.")


def _refuse_solana(chain: Chain, address: str) -> None:
    if address in _SOLANA_PROGRAMS:
        raise _unpayable(chain, "program", "This is a Solana program, not a wallet: money sent there is lost.")
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)

    if not Pubkey.from_string(address).is_on_curve():
        raise _unpayable(
            chain,
            "off_curve",
            "This is a token account or program address; give the wallet's own address instead.",
        )


def _unpayable(chain: Chain, reason: str, message: str) -> UnpayableAddress:
    return UnpayableAddress(message, chain_family=chain.family, reason=reason)
