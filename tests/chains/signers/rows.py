"""Accounts and transfers for the tests of signing, with keys that only these tests know."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from chains.models import SigningAccount, Transfer
from chains.registry import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS, Family
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.keystore import store_key
from core.money import BaseUnits, usd
from core.secrets import Sealed

EVM_KEY = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
EVM_ADDRESS = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"
"""The key and address of web3.js' own examples."""
SOLANA_KEY = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
SOLANA_ADDRESS = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
"""The first key of RFC 8032, section 7.1."""
PASSPHRASE = "a passphrase of the tests"
RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
SOLANA_RECIPIENT = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_ON_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
NETWORK = "simulated"
"""What the suite's own settings call the network profile."""


@dataclass(frozen=True)
class Given:
    family: Family
    chain: str
    key: bytes
    address: str
    recipient: str
    token: str
    native: str


EVM = Given(Family.EVM, "base", EVM_KEY, EVM_ADDRESS, RECIPIENT, USDC_ON_BASE, EVM_NATIVE_ADDRESS)
SOLANA = Given(
    Family.SOLANA, "solana", SOLANA_KEY, SOLANA_ADDRESS, SOLANA_RECIPIENT, USDC_ON_SOLANA, SOLANA_NATIVE_ADDRESS
)


def account_of(merchant_id: int, given: Given = EVM, **changes: Any) -> SigningAccount:
    """An account with room for a hundred dollars a transfer and a thousand a day, whose key is called ``shop``."""
    place = {"mode": "live", "network": NETWORK, "chain": given.chain, "address": given.address}
    key = {"backend": "keystore", "key_reference": "shop"}
    columns = {**place, **key, "cap_per_transfer_usd": usd("100"), "cap_per_day_usd": usd("1000"), **changes}
    return SigningAccount.objects.create(merchant_id=merchant_id, **columns)


def transfer_of(account: SigningAccount, given: Given = EVM, **changes: Any) -> Transfer:
    """Twenty-five dollars of USDC, with the nonce reserved where there are nonces."""
    owner = {"merchant_id": account.merchant_id, "mode": account.mode, "network": account.network, "account": account}
    purpose = {"purpose": "refund", "purpose_id": uuid4(), "rail": given.family.value, "chain": given.chain}
    token = {"token_address": given.token, "token_decimals": 6, "recipient": given.recipient}
    is_evm = given.family is Family.EVM
    state = {"status": "reserved" if is_evm else "new", "nonce": 7 if is_evm else None}
    amount = {"base_units": BaseUnits(25_000_000), "value_usd": usd("25")}
    return Transfer.objects.create(**owner | purpose | token | state | amount | changes)


def payment_of(transfer: Transfer, **changes: Any) -> EvmTransaction:
    """The EVM transaction that makes a transfer of a token, marked with its id."""
    call = bytes.fromhex("a9059cbb") + bytes(12) + bytes.fromhex(transfer.recipient[2:])
    data = call + int(transfer.base_units).to_bytes(32) + transfer.pk.bytes
    fees = {"gas_limit": 65_000, "max_fee": 2_000_000_000, "priority_fee": 1_000_000}
    columns: dict[str, Any] = {"nonce": transfer.nonce, "to": transfer.token_address, "value": 0, "data": data}
    return EvmTransaction(**{"chain_id": 8453, **columns, **fees, **changes})


def coin_payment(nonce: int = 0, **changes: Any) -> EvmTransaction:
    fees = {"gas_limit": 21_000, "max_fee": 10, "priority_fee": 1}
    columns: dict[str, Any] = {"chain_id": 8453, "nonce": nonce, "to": RECIPIENT, "value": 1, "data": b""}
    return EvmTransaction(**columns | fees | changes)


def store(given: Given, name: str = "shop") -> Path:
    return store_key(name, given.family, Sealed(given.key))


def changed(row: SigningAccount | Transfer, **columns: Any) -> SigningAccount | Transfer:
    """The row with columns that are written past every rule."""
    for name, value in columns.items():
        setattr(row, name, value)
    row.save(update_fields=list(columns))
    return row


def leak(secret: str) -> NoReturn:
    """A planted leak, for the test of the tests: fail while a secret is in reach, in a frame of another file."""
    raise SignerUnavailable(f"a sentence of {len(secret)} letters")
