"""What an account may send: nothing until somebody says how much, then no more than that, and only where it may."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from chains.models import SigningAccount, Transfer
from chains.rails.base import Failure, Hindered, Hindrance, Rejected
from chains.registry import EVM_NATIVE_ADDRESS
from chains.signers.policy import check_policy, sent_within_a_day
from core.clock import now
from core.modes import Mode
from core.money import usd
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import OTHER, RECIPIENT, SOLANA, account_of, changed, transfer_of
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price

pytestmark = pytest.mark.django_db

Refusal = Failure | Hindrance | None
DAY_FULL = Hindrance.DAY_CAP_REACHED


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
    except (Rejected, Hindered) as refusal:
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


def test_the_cap_per_transfer_to_the_last_digit(row: SigningAccount) -> None:
    transfer = transfer_of(row)
    assert verdict(transfer, row) is None
    for value, expected in {"100": None, **dict.fromkeys(("100.000001", "0", "-1"), Failure.CAP_EXCEEDED)}.items():
        changed(transfer, value_usd=usd(value))
        assert verdict(transfer, row) is expected, value


def test_the_cap_per_day_to_the_last_digit(row: SigningAccount) -> None:
    earlier, transfer = transfer_of(row, nonce=6, status="broadcast"), transfer_of(row)
    for before, expected in {"975": None, "975.000001": DAY_FULL}.items():
        changed(earlier, value_usd=usd(before))
        assert verdict(transfer, row) is expected, before


def test_what_counts_against_the_day(row: SigningAccount) -> None:
    """What may land counts however old it is; what waits takes nothing from anybody."""
    earlier = transfer_of(row, value_usd=usd("1000"), nonce=6, created_at=now() - timedelta(days=30))
    transfer = transfer_of(row)
    counting = dict.fromkeys(("reserved", "signed", "broadcast", "mined", "paid"), DAY_FULL)
    for status, expected in {**counting, **dict.fromkeys(("new", "reverted", "failed"))}.items():
        changed(earlier, status=status, paid_at=now() if status == "paid" else None)
        assert verdict(transfer, row) is expected, status


def test_a_day_is_24_hours_after_it_was_paid(row: SigningAccount) -> None:
    earlier, transfer = transfer_of(row, value_usd=usd("1000"), nonce=6, status="paid"), transfer_of(row)
    for hours, expected in {23.999: DAY_FULL, 24.001: None}.items():
        changed(earlier, paid_at=now() - timedelta(hours=hours))
        assert verdict(transfer, row) is expected, hours


def test_neither_itself_nor_another_account_counts(account: NewMerchant, row: SigningAccount) -> None:
    other = account_of(account.merchant.pk, SOLANA)
    transfer_of(other, SOLANA, value_usd=usd("1000"), status="broadcast")
    transfer = transfer_of(row, status="signed")
    assert (sent_within_a_day(row), sent_within_a_day(other)) == (usd("25"), usd("1000"))
    assert verdict(transfer, row) is None
    changed(row, cap_per_day_usd=usd("100"))
    assert verdict(transfer, row) is None


def test_a_paused_account_waits(row: SigningAccount) -> None:
    transfer = transfer_of(row)
    changed(row, paused_at=now())
    assert verdict(transfer, row) is Hindrance.SIGNER_PAUSED


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
    assert verdict(transfer_of(another), row) is Hindrance.SIGNER_UNAVAILABLE
    transfer = transfer_of(row)
    for column, value in elsewhere.items():
        honest = getattr(transfer, column)
        changed(transfer, **{column: value})
        assert verdict(transfer, row) is Hindrance.SIGNER_UNAVAILABLE, column
        changed(transfer, **{column: honest})
    changed(row, network="mainnet")
    changed(transfer, network="mainnet")
    assert verdict(transfer, row) is Hindrance.SIGNER_UNAVAILABLE


def test_a_coin_counts_as_what_it_is_worth_today(row: SigningAccount, coin: Token) -> None:
    """Of what it was and is the higher counts."""
    transfer = coins(row, "25")
    record_usd_price(coin, Decimal(1), now(), "one")
    for price, expected in {"2500": None, "10000": None, "10000.01": Failure.CAP_EXCEEDED, "1": None}.items():
        record_usd_price(coin, Decimal(price), now(), "other")
        assert verdict(transfer, row) is expected, price
    changed(transfer, value_usd=usd("100.000001"))
    assert verdict(transfer, row) is Failure.CAP_EXCEEDED


def test_todays_price_counts_against_the_day(row: SigningAccount, coin: Token) -> None:
    transfer_of(row, value_usd=usd("950"), nonce=6, status="broadcast")
    transfer = coins(row, "25")
    for price, expected in {"5000": None, "5000.01": DAY_FULL}.items():
        record_usd_price(coin, Decimal(price), now(), "one")
        assert verdict(transfer, row) is expected, price


def test_a_coin_without_a_fresh_price_waits(row: SigningAccount, coin: Token) -> None:
    transfer = coins(row, "25")
    assert verdict(transfer, row) is Hindrance.PRICE_MISSING
    record_usd_price(coin, Decimal("2500"), now() - timedelta(minutes=60), "one")
    assert verdict(transfer, row) is Hindrance.PRICE_MISSING
    record_usd_price(coin, Decimal("2500"), now(), "one")
    assert verdict(transfer, row) is None


def test_an_issuers_dollar_counts_as_it_was_frozen(row: SigningAccount, coin: Token) -> None:
    dollar = Token.objects.get(chain="base", symbol="USDC")
    record_usd_price(dollar, Decimal("1.005"), now(), "one")
    assert verdict(transfer_of(row, token_address=dollar.address, value_usd=usd("100")), row) is None
