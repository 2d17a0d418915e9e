"""What an account may send: nothing until somebody says how much, then no more than that, and only where it may."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from chains.blockers import Blocked, Blocker, Failure, Rejected
from chains.models import SigningAccount, Transfer
from chains.registry import EVM_NATIVE_ADDRESS
from chains.signers.policy import check_policy, sent_within_a_day
from core.clock import now
from core.modes import Mode
from core.money import usd
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import OTHER, RECIPIENT, SOLANA, account_of, changed, transfer_of
from tokens.models import Token, TokenPrice
from tokens.services import load_bundled_tokens, record_usd_price

pytestmark = pytest.mark.django_db

Refusal = Failure | Blocker | None
DAY_FULL = Blocker.DAY_CAP_REACHED


@pytest.fixture
def row(account: NewMerchant) -> SigningAccount:
    return account_of(account.merchant.pk)


@pytest.fixture
def coin(db: None) -> Token:
    """The coin of Base, without a price."""
    load_bundled_tokens()
    return Token.objects.get(chain="base", address=EVM_NATIVE_ADDRESS)


def verdict(transfer: Transfer, account: SigningAccount) -> Refusal:
    try:
        check_policy(transfer, account)
    except (Rejected, Blocked) as refusal:
        return refusal.reason
    return None


def coins(row: SigningAccount, dollars: str) -> Transfer:
    """A transfer of a hundredth of a coin whose frozen dollars are these."""
    facts: dict[str, Any] = {"token_address": EVM_NATIVE_ADDRESS, "token_decimals": 18, "base_units": 10**16}
    return transfer_of(row, value_usd=usd(dollars), **facts)


@pytest.mark.spec("Rulings D7.1")
def test_a_new_account_sends_nothing(account: NewMerchant) -> None:
    """Caps are 0 until somebody sets them, and one alone is not enough."""
    row = SigningAccount.objects.create(
        merchant=account.merchant, mode="live", network="simulated", chain="base", address=OTHER
    )
    transfer = transfer_of(row, value_usd=usd("0.000001"))
    assert verdict(transfer, row) is Failure.CAP_EXCEEDED
    changed(row, cap_per_transfer_usd=usd("10"))
    assert verdict(transfer, row) is DAY_FULL
    changed(row, cap_per_day_usd=usd("10"))
    assert verdict(transfer, row) is None


def test_the_cap_per_transfer_to_the_last_digit_and_a_pause(row: SigningAccount) -> None:
    transfer = transfer_of(row)
    assert verdict(transfer, row) is None
    for value, expected in {"100": None, **dict.fromkeys(("100.000001", "0", "-1"), Failure.CAP_EXCEEDED)}.items():
        changed(transfer, value_usd=usd(value))
        assert verdict(transfer, row) is expected, value
    changed(transfer, value_usd=usd("25"))
    changed(row, paused_at=now())
    assert verdict(transfer, row) is Blocker.SIGNER_PAUSED


EARLIER: list[tuple[str, str, float, Refusal]] = [
    ("broadcast", "975", 0, None),
    ("broadcast", "975.000001", 0, DAY_FULL),
    *((status, "1000", 720, DAY_FULL) for status in ("reserved", "signed", "broadcast", "mined")),
    *((status, "1000", 0, None) for status in ("new", "reverted", "failed")),
    ("paid", "1000", 0, DAY_FULL),
    ("paid", "1000", 23.999, DAY_FULL),
    ("paid", "1000", 24.001, None),
]
"""An earlier transfer: its status, its dollars, how many hours ago it was made or paid; and what follows."""


def test_the_cap_per_day_to_the_last_digit_and_what_counts_against_it(row: SigningAccount) -> None:
    """What may land counts however old it is, what was paid for 24 hours; what waits takes nothing from anybody."""
    earlier, transfer = transfer_of(row, nonce=6), transfer_of(row)
    for status, dollars, hours, expected in EARLIER:
        moment = now() - timedelta(hours=hours)
        paid = {"paid_at": moment if status == "paid" else None}
        changed(earlier, status=status, value_usd=usd(dollars), created_at=moment, **paid)
        assert verdict(transfer, row) is expected, (status, dollars, hours)


def test_neither_itself_nor_another_account_counts(account: NewMerchant, row: SigningAccount) -> None:
    other = account_of(account.merchant.pk, SOLANA)
    transfer_of(other, SOLANA, value_usd=usd("1000"), status="broadcast")
    transfer = transfer_of(row, status="signed")
    assert (sent_within_a_day(row), sent_within_a_day(other)) == (usd("25"), usd("1000"))
    assert verdict(transfer, row) is None
    changed(row, cap_per_day_usd=usd("100"))
    assert verdict(transfer, row) is None


def test_the_list_of_destinations(row: SigningAccount) -> None:
    """Nothing is sent to oneself, list or not."""
    transfer = transfer_of(row)
    lists: list[tuple[list[str], Refusal]] = [([], None), ([RECIPIENT], None), ([OTHER, RECIPIENT], None)]
    for allowed, expected in [*lists, ([OTHER], Failure.DESTINATION_BLOCKED)]:
        changed(row, allowed_destinations=allowed)
        assert verdict(transfer, row) is expected, allowed
    changed(row, allowed_destinations=[])
    changed(transfer, recipient=row.address)
    assert verdict(transfer, row) is Failure.DESTINATION_BLOCKED


def test_a_transfer_that_is_not_its_own_is_refused(account: NewMerchant, row: SigningAccount) -> None:
    """Another account's, merchant's, mode's, network's or chain's; a database copied from the main network, say."""
    stranger = create_merchant("Other Shop", "other@shop.example").merchant.pk
    another = account_of(account.merchant.pk, chain="arbitrum")
    elsewhere = {"mode": Mode.TEST, "network": "mainnet", "chain": "arbitrum", "merchant_id": stranger}
    assert verdict(transfer_of(another), row) is Blocker.SIGNER_UNAVAILABLE
    transfer = transfer_of(row)
    for column, value in elsewhere.items():
        honest = getattr(transfer, column)
        changed(transfer, **{column: value})
        assert verdict(transfer, row) is Blocker.SIGNER_UNAVAILABLE, column
        changed(transfer, **{column: honest})
    changed(row, network="mainnet")
    changed(transfer, network="mainnet")
    assert verdict(transfer, row) is Blocker.SIGNER_UNAVAILABLE


def price_again(coin: Token, price: str) -> None:
    """The other source's price. Why the last one goes first: a report of the same millisecond would not count."""
    TokenPrice.objects.filter(token=coin, source="other").delete()
    record_usd_price(coin, Decimal(price), now(), "other")


def test_a_coin_counts_as_what_it_is_worth_today(row: SigningAccount, coin: Token) -> None:
    """Of what it was and is the higher counts; without a fresh price it waits, and an issuer's dollar is a dollar."""
    transfer = coins(row, "25")
    assert verdict(transfer, row) is Blocker.PRICE_MISSING
    record_usd_price(coin, Decimal("2500"), now() - timedelta(minutes=60), "one")
    assert verdict(transfer, row) is Blocker.PRICE_MISSING
    record_usd_price(coin, Decimal(1), now(), "one")
    for price, expected in {"2500": None, "10000": None, "10000.01": Failure.CAP_EXCEEDED, "1": None}.items():
        price_again(coin, price)
        assert verdict(transfer, row) is expected, price
    changed(transfer, value_usd=usd("100.000001"))
    assert verdict(transfer, row) is Failure.CAP_EXCEEDED
    changed(transfer, value_usd=usd("25"))
    earlier = transfer_of(row, value_usd=usd("950"), nonce=6, status="broadcast")
    for price, of_the_day in {"5000": None, "5000.01": DAY_FULL}.items():
        price_again(coin, price)
        assert verdict(transfer, row) is of_the_day, price
    earlier.delete()
    dollar = Token.objects.get(chain="base", symbol="USDC")
    record_usd_price(dollar, Decimal("1.005"), now(), "one")
    assert verdict(transfer_of(row, token_address=dollar.address, value_usd=usd("100"), nonce=8), row) is None
