"""How the wallets of test mode sign: they hold no keys, so what they give is a digest that anybody could make.

It proves nothing, and is taken for nothing but play money: in test mode, from these addresses only. A real wallet signs
in test mode as it does in live mode. Pure.
"""

import hmac
from hashlib import sha256
from typing import Final

from chains.registry import Family

SIMULATED_ADDRESSES: Final = frozenset(
    {
        "0x7e57000000000000000000000000000000000001",
        "0x7e57000000000000000000000000000000000002",
        "0x7e57000000000000000000000000000000005b17",
        "0x7e57000000000000000000000000000000000bad",
        "0x7e57000000000000000000000000000000000a11",
        "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9",
        "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu",
        "7est4F3cw9KTAb8dLcukC7edhDQ7cn5d4gEYkbUSp1it",
        "7estrMWeWQLGsCmrG6dLaYyNoVKf58ZTBqNAYT3broke",
    }
)
"""The same as in ``checkout/static/checkout/wallets/simulated.js``, and the payer that needs no browser."""
_EVM_END: Final = bytes([27])


def is_simulated_address(family: Family, address: str) -> bool:
    """Whether it is one of the wallets that test mode makes up."""
    return (address.lower() if family is Family.EVM else address) in SIMULATED_ADDRESSES


def simulated_signature(family: Family, address: str, text: str) -> bytes:
    """What a simulated wallet gives: the digest twice, in the length of its family's signatures."""
    spelled = address.lower() if family is Family.EVM else address
    digest = sha256(f"Causeway test wallet\n{spelled}\n{text}".encode()).digest()
    return digest * 2 + (_EVM_END if family is Family.EVM else b"")


def is_simulated_signature(family: Family, address: str, text: str, signature: bytes) -> bool:
    """Whether a simulated wallet of this address gave it for this text."""
    expected = simulated_signature(family, address, text)
    return is_simulated_address(family, address) and hmac.compare_digest(expected, signature)
