"""Only what is stored is signed, on EVM chains: every field that differs, one at a time, is refused."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from eth_account import Account
from pytest_django import Settings

from chains.blockers import Blocker
from chains.models import SigningAccount, Transfer
from chains.registry import EVM_NATIVE_ADDRESS
from chains.signers.base import SignerUnavailable
from chains.signers.policy import sign_stored
from chains.signers.refusal import BeyondPolicy, NotStored, SignerPaused, SigningPaused
from core.clock import now
from core.money import BaseUnits, usd
from core.pauses import Paused, pause, resume
from core.secrets import Sealed
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import EVM, OTHER, account_of, changed, payment_of, transfer_of

pytestmark = pytest.mark.django_db

TO_SELF: dict[str, Any] = {"to": EVM.address, "value": 0, "data": b""}


@pytest.fixture
def row(account: NewMerchant, settings: Settings) -> SigningAccount:
    """An account whose key is given as a variable: the quickest to open."""
    settings.SIGNER_SECRETS = {"shop": Sealed(EVM.key.hex().encode())}
    return account_of(account.merchant.pk, backend="secret")


@pytest.fixture
def stored(row: SigningAccount) -> Transfer:
    return transfer_of(row)


def is_signed(transfer: Transfer, **changes: Any) -> bool:
    signed = sign_stored(transfer, payment_of(transfer, **changes))
    return signed.raw.startswith("0x02") and Account.recover_transaction(signed.raw) == EVM.address


def refusal(transfer: Transfer, **changes: Any) -> str:
    with pytest.raises(SignerUnavailable) as refused:
        sign_stored(transfer, payment_of(transfer, **changes))
    return str(refused.value)


def call(recipient: str, amount: int, selector: str = "a9059cbb", rest: bytes = b"") -> bytes:
    return bytes.fromhex(selector) + int(recipient, 16).to_bytes(32) + amount.to_bytes(32) + rest


@pytest.mark.usefixtures("priced_coins")
def test_the_coin_is_signed(row: SigningAccount) -> None:
    coin = transfer_of(row, token_address=EVM_NATIVE_ADDRESS, token_decimals=18, base_units=BaseUnits(10**16))
    honest = {"to": EVM.recipient, "value": 10**16, "data": b""}
    assert is_signed(coin, **honest)
    for change in ({"value": 10**16 + 1}, {"data": b"\0"}, {"to": OTHER}, {"value": 0}):
        with pytest.raises(NotStored):
            sign_stored(coin, payment_of(coin, **honest | change))


def test_the_stored_transfer_is_signed_and_the_letters_of_an_address_do_not_matter(stored: Transfer) -> None:
    assert is_signed(stored)
    wanted = payment_of(stored)
    changed(stored, token_address=EVM.token.lower(), recipient=EVM.recipient.lower())
    assert sign_stored(stored, wanted).raw.startswith("0x02")


CALLS = [
    *(b"", call(OTHER, 25_000_000), call(EVM.recipient, 25_000_001), call(EVM.recipient, 24_999_999)),
    *(
        call(EVM.recipient, 25_000_000, "095ea7b3"),
        call(EVM.recipient, 25_000_000, rest=b"\0"),
        call(EVM.recipient, 25_000_000)[:-1],
    ),
]
DIFFERENT: dict[str, list[dict[str, Any]]] = {
    "chain": [{"chain_id": 1}, TO_SELF | {"chain_id": 10}],
    "nonce": [{"nonce": 6}, {"nonce": 8}, TO_SELF | {"nonce": 8}],
    "token, recipient or amount": [
        *({"to": OTHER}, {"to": EVM.recipient}, {"value": 1}, TO_SELF | {"value": 1}, TO_SELF | {"data": b"\0"}),
        *({"data": data} for data in CALLS),
    ],
    "gas or fees": [{"gas_limit": 5_000_001}, {"gas_limit": 0}, {"priority_fee": 2_000_000_001}, {"priority_fee": -1}],
}


def test_one_field_that_differs(stored: Transfer) -> None:
    for where, changes in DIFFERENT.items():
        for change in changes:
            marked = change | ({"data": change["data"] + stored.pk.bytes} if change.get("data") else {})
            sentence = f"It is not what was stored, and stays unsigned: {where}."
            assert refusal(stored, **marked) == sentence, change
    changed(stored, nonce=None)
    assert refusal(stored).endswith("nonce.")


def test_the_mark_is_the_rows_own(stored: Transfer) -> None:
    """By it the transfer is known on the chain, so no call serves two rows, and none goes without."""
    sent = call(EVM.recipient, 25_000_000)
    for mark in (b"", uuid4().bytes, stored.pk.bytes + b"\0", stored.pk.bytes[:-1], stored.purpose_id.bytes):
        assert refusal(stored, data=sent + mark).endswith("token, recipient or amount.")
    assert is_signed(stored, data=sent + stored.pk.bytes)


def test_the_row_is_read_again(stored: Transfer) -> None:
    """What the caller holds in its hands may be old, or made up."""
    before = payment_of(stored)
    changed(stored, base_units=BaseUnits(1))
    with pytest.raises(NotStored, match="amount"):
        sign_stored(stored, before)
    stored.recipient = OTHER
    with pytest.raises(NotStored, match="recipient"):
        sign_stored(stored, payment_of(stored))


def test_a_nonce_can_be_used_up_with_nothing_until_it_is_over_or_paused(row: SigningAccount, stored: Transfer) -> None:
    for status in ("reserved", "signed", "broadcast"):
        changed(stored, status=status)
        assert is_signed(stored, **TO_SELF)
    for status in ("paid", "reverted", "failed"):
        changed(stored, status=status)
        assert refusal(stored).endswith(f"it is {status}.")
        assert refusal(stored, **TO_SELF).endswith(f"it is {status}.")
    changed(stored, status="reserved", withdrawn_at=now())
    assert refusal(stored).endswith("it is withdrawn.")
    assert is_signed(stored, **TO_SELF)
    changed(row, paused_at=now())
    for change in ({}, TO_SELF):
        with pytest.raises(SignerPaused):
            sign_stored(stored, payment_of(stored, **change))


def test_caps_are_asked_again_before_the_first_signature(row: SigningAccount, stored: Transfer) -> None:
    """No rail can forget them; what is signed already may be signed again with another fee."""
    changed(row, cap_per_day_usd=usd("24"))
    with pytest.raises(BeyondPolicy, match="day_cap_reached"):
        sign_stored(stored, payment_of(stored))
    changed(row, cap_per_day_usd=usd("25"), allowed_destinations=[OTHER])
    with pytest.raises(BeyondPolicy, match="destination_blocked"):
        sign_stored(stored, payment_of(stored))
    changed(row, cap_per_transfer_usd=usd("24"), allowed_destinations=[])
    with pytest.raises(BeyondPolicy, match="cap_exceeded"):
        sign_stored(stored, payment_of(stored))
    assert is_signed(stored, **TO_SELF)
    changed(stored, status="broadcast")
    assert is_signed(stored)


def test_a_transfer_of_elsewhere_is_not_signed(stored: Transfer, settings: Settings) -> None:
    stranger = create_merchant("Other Shop", "other@shop.example").merchant.pk
    for column, value, why in (
        ("mode", "test", "another mode."),
        ("network", "mainnet", "another network."),
        ("chain", "arbitrum", "another chain."),
        ("merchant_id", stranger, "another merchant."),
        ("account_id", None, "no account signs for it."),
    ):
        honest = getattr(stored, column)
        changed(stored, **{column: value})
        assert refusal(stored).endswith(why)
        changed(stored, **{column: honest})
    settings.NETWORK_PROFILE = "localnet"
    assert refusal(stored).endswith("another network profile.")


@pytest.mark.spec("Rulings D6.1")
@pytest.mark.django_db(transaction=True)
def test_nothing_is_signed_inside_a_transaction(stored: Transfer) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        sign_stored(stored, payment_of(stored))


def test_a_pause_of_all_signing_holds_up_to_the_signature_and_for_no_longer(stored: Transfer) -> None:
    """Both for what pays and for what only uses a nonce up: a key that may be lost signs nothing."""
    pause(Paused.SIGNING, reason="a key may have leaked", by="root")
    for changes in ({}, TO_SELF):
        with pytest.raises(SigningPaused) as refused:
            sign_stored(stored, payment_of(stored, **changes))
        assert refused.value.blocker is Blocker.SIGNING_PAUSED
    resume(Paused.SIGNING, by="root")
    assert is_signed(stored)
