"""The wallets of histories. Why with keys, which no model asks for: on a real node they sign what they send."""

from functools import cache
from hashlib import sha256

from eth_account import Account
from eth_account.signers.local import LocalAccount

_BY_ADDRESS: dict[str, LocalAccount] = {}


@cache
def wallet(name: str) -> str:
    """The address of the wallet of this name."""
    made: LocalAccount = Account.from_key(sha256(f"wallet of {name}".encode()).digest())
    _BY_ADDRESS[made.address] = made
    return str(made.address)


def keeper_of(address: str) -> LocalAccount:
    """Whoever signs for a wallet."""
    return _BY_ADDRESS[address]
