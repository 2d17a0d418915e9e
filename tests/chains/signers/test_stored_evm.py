"""Only what is stored is signed, on EVM chains: every field that differs, one at a time, is refused."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from eth_account import Account
from pytest_django import Settings

from chains.models import SigningAccount, Transfer
from chains.registry import EVM_NATIVE_ADDRESS
from chains.signers.base import SignerUnavailable
from chains.signers.policy import sign_stored
from chains.signers.refusal import BeyondPolicy, NotStored, SignerPaused
from core.clock import now
from core.money import BaseUnits, usd
from core.secrets import Sealed
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import EVM_ADDRESS, EVM_KEY, RECIPIENT, USDC_ON_BASE, account_of, payment_of, transfer_of

pytestmark = pytest.mark.django_db

OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
TO_SELF: dict[str, Any] = {"to": EVM_ADDRESS, "value": 0, "data": b""}


@pytest.fixture
def row(account: NewMerchant, settings: Settings) -> SigningAccount:
    """An account whose key is given as a variable: the quickest to open."""
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM_KEY.hex().encode())}
    return account_of(account.merchant.pk, backend="secret")


@pytest.fixture
def stored(row: SigningAccount) -> Transfer:
    """Twenty-five dollars of USDC with nonce 7."""
    return transfer_of(row)


def refusal(transfer: Transfer, **changes: Any) -> str:
    """Why a transaction that differs so is not signed."""
    with pytest.raises(SignerUnavailable) as refused:
        sign_stored(transfer, payment_of(transfer, **changes))
    return str(refused.value)


def changed(row: SigningAccount | Transfer, **columns: Any) -> None:
    """Write columns past every rule."""
    for name, value in columns.items():
        setattr(row, name, value)
    row.save(update_fields=list(columns))


def call(recipient: str, amount: int, selector: str = "a9059cbb", rest: bytes = b"") -> bytes:
    """The call of a token."""
    return bytes.fromhex(selector) + int(recipient, 16).to_bytes(32) + amount.to_bytes(32) + rest


def test_the_stored_transfer_is_signed(stored: Transfer) -> None:
    signed = sign_stored(stored, payment_of(stored))
    assert Account.recover_transaction(signed.raw) == EVM_ADDRESS


@pytest.mark.usefixtures("priced_coins")
def test_the_coin_is_signed(row: SigningAccount) -> None:
    coin = transfer_of(row, token_address=EVM_NATIVE_ADDRESS, token_decimals=18, base_units=BaseUnits(10**16))
    signed = sign_stored(coin, payment_of(coin, to=RECIPIENT, value=10**16, data=b""))
    assert Account.recover_transaction(signed.raw) == EVM_ADDRESS
    for change in ({"value": 10**16 + 1}, {"data": b"\0"}, {"to": OTHER}, {"value": 0}):
        with pytest.raises(NotStored):
            sign_stored(coin, payment_of(coin, **{"to": RECIPIENT, "value": 10**16, "data": b""} | change))


def test_the_letters_of_an_address_do_not_matter(stored: Transfer) -> None:
    wanted = payment_of(stored)
    changed(stored, token_address=USDC_ON_BASE.lower(), recipient=RECIPIENT.lower())
    assert sign_stored(stored, wanted).raw.startswith("0x02")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"chain_id": 1}, "chain"),
        ({"nonce": 6}, "nonce"),
        ({"nonce": 8}, "nonce"),
        ({"to": OTHER}, "token, recipient or amount"),
        ({"to": RECIPIENT}, "token, recipient or amount"),
        ({"value": 1}, "token, recipient or amount"),
        ({"data": b""}, "token, recipient or amount"),
        ({"data": call(OTHER, 25_000_000)}, "token, recipient or amount"),
        ({"data": call(RECIPIENT, 25_000_001)}, "token, recipient or amount"),
        ({"data": call(RECIPIENT, 24_999_999)}, "token, recipient or amount"),
        ({"data": call(RECIPIENT, 25_000_000, "095ea7b3")}, "token, recipient or amount"),
        ({"data": call(RECIPIENT, 25_000_000, rest=b"\0")}, "token, recipient or amount"),
        ({"data": call(RECIPIENT, 25_000_000)[:-1]}, "token, recipient or amount"),
        ({"gas_limit": 5_000_001}, "gas or fees"),
        ({"gas_limit": 0}, "gas or fees"),
        ({"priority_fee": 2_000_000_001}, "gas or fees"),
        ({"priority_fee": -1}, "gas or fees"),
        (TO_SELF | {"value": 1}, "token, recipient or amount"),
        (TO_SELF | {"data": b"\0"}, "token, recipient or amount"),
        (TO_SELF | {"nonce": 8}, "nonce"),
        (TO_SELF | {"chain_id": 10}, "chain"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_one_field_that_differs(change: dict[str, Any], where: str, stored: Transfer) -> None:
    if "data" in change and change["data"]:
        change = change | {"data": change["data"] + stored.pk.bytes}
    assert refusal(stored, **change) == f"It is not what was stored, and stays unsigned: {where}."


def test_the_mark_is_the_rows_own(stored: Transfer) -> None:
    """By it the transfer is known on the chain, so no call serves two rows, and none goes without."""
    sent = call(RECIPIENT, 25_000_000)
    for mark in (b"", uuid4().bytes, stored.pk.bytes + b"\0", stored.pk.bytes[:-1], stored.purpose_id.bytes):
        assert refusal(stored, data=sent + mark).endswith("token, recipient or amount.")
    assert sign_stored(stored, payment_of(stored, data=sent + stored.pk.bytes)).raw.startswith("0x02")


def test_the_row_is_read_again(stored: Transfer) -> None:
    """What the caller holds in its hands may be old, or made up."""
    before = payment_of(stored)
    changed(stored, base_units=BaseUnits(1))
    with pytest.raises(NotStored, match="amount"):
        sign_stored(stored, before)
    stored.recipient = OTHER
    with pytest.raises(NotStored, match="recipient"):
        sign_stored(stored, payment_of(stored))


def test_a_transfer_without_a_nonce_is_not_signed(stored: Transfer) -> None:
    changed(stored, nonce=None)
    assert refusal(stored).endswith("nonce.")


@pytest.mark.parametrize("status", ["paid", "reverted", "failed"])
def test_what_is_over_is_not_signed(status: str, stored: Transfer) -> None:
    changed(stored, status=status)
    assert refusal(stored).endswith(f"it is {status}.")
    assert refusal(stored, **TO_SELF).endswith(f"it is {status}.")


@pytest.mark.parametrize("status", ["reserved", "signed", "broadcast"])
def test_a_nonce_can_be_used_up_with_nothing(status: str, stored: Transfer) -> None:
    changed(stored, status=status)
    assert sign_stored(stored, payment_of(stored, **TO_SELF)).raw.startswith("0x02")


def test_a_withdrawn_transfer_is_only_used_up(stored: Transfer) -> None:
    changed(stored, withdrawn_at=now())
    assert refusal(stored).endswith("it is withdrawn.")
    assert sign_stored(stored, payment_of(stored, **TO_SELF)).raw.startswith("0x02")


def test_a_paused_account_signs_nothing_at_all(row: SigningAccount, stored: Transfer) -> None:
    changed(row, paused_at=now())
    for change in ({}, TO_SELF):
        with pytest.raises(SignerPaused):
            sign_stored(stored, payment_of(stored, **change))


def test_caps_are_asked_again_before_the_first_signature(row: SigningAccount, stored: Transfer) -> None:
    """No rail can forget them; what is signed already may be signed again with another fee."""
    changed(row, cap_per_transfer_usd=usd("24"))
    with pytest.raises(BeyondPolicy, match="cap_exceeded"):
        sign_stored(stored, payment_of(stored))
    assert sign_stored(stored, payment_of(stored, **TO_SELF)).raw.startswith("0x02")
    changed(stored, status="broadcast")
    assert sign_stored(stored, payment_of(stored)).raw.startswith("0x02")


def test_the_day_is_asked_again_too(row: SigningAccount, stored: Transfer) -> None:
    changed(row, cap_per_day_usd=usd("24"))
    with pytest.raises(BeyondPolicy, match="day_cap_reached"):
        sign_stored(stored, payment_of(stored))
    changed(row, cap_per_day_usd=usd("25"), allowed_destinations=[OTHER])
    with pytest.raises(BeyondPolicy, match="destination_blocked"):
        sign_stored(stored, payment_of(stored))


@pytest.mark.parametrize(
    ("change", "what"),
    [({"mode": "test"}, "mode"), ({"network": "mainnet"}, "network"), ({"chain": "arbitrum"}, "chain")],
    ids=["mode", "network", "chain"],
)
def test_a_transfer_of_elsewhere_is_not_signed(change: dict[str, str], what: str, stored: Transfer) -> None:
    changed(stored, **change)
    assert refusal(stored).endswith(f"another {what}.")


def test_another_merchants_transfer_is_not_signed(stored: Transfer) -> None:
    changed(stored, merchant_id=create_merchant("Other Shop", "other@shop.example").merchant.pk)
    assert refusal(stored).endswith("another merchant.")


def test_another_network_profile_signs_nothing(stored: Transfer, settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"
    assert refusal(stored).endswith("another network profile.")


def test_a_transfer_of_nobody_is_not_signed(stored: Transfer) -> None:
    changed(stored, account=None)
    assert refusal(stored).endswith("no account signs for it.")


@pytest.mark.spec("Rulings D6.1")
@pytest.mark.django_db(transaction=True)
def test_nothing_is_signed_inside_a_transaction(stored: Transfer) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        sign_stored(stored, payment_of(stored))
