"""What an account may send: nothing until somebody says how much, then no more than that, and only where it may."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from chains.models import SigningAccount, Transfer
from chains.rails.base import Failure, Hindered, Hindrance, Rejected
from chains.signers.policy import check_policy, sent_within_a_day
from core.clock import now
from core.modes import Mode
from core.money import usd
from merchants.services import NewMerchant, create_merchant
from tests.chains.signers.rows import RECIPIENT, SOLANA, account_of, transfer_of
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price

pytestmark = pytest.mark.django_db

OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"


@pytest.fixture
def row(account: NewMerchant) -> SigningAccount:
    """An account with room for 100 dollars a transfer and 1,000 a day."""
    return account_of(account.merchant.pk)


def verdict(transfer: Transfer, account: SigningAccount) -> Failure | Hindrance | None:
    """Why it may not be sent; None where it may."""
    try:
        check_policy(transfer, account)
    except (Rejected, Hindered) as refusal:
        return refusal.reason
    return None


def sent(account: SigningAccount, dollars: str, nonce: int, **changes: Any) -> Transfer:
    """Another transfer of the account."""
    return transfer_of(account, value_usd=usd(dollars), nonce=nonce, **changes)


def limited(account: SigningAccount, **columns: Any) -> SigningAccount:
    """The account with other columns."""
    for name, value in columns.items():
        setattr(account, name, value)
    account.save()
    return account


def test_within_the_caps_it_may(row: SigningAccount) -> None:
    assert verdict(transfer_of(row), row) is None


@pytest.mark.spec("Rulings D7.1")
def test_a_new_account_sends_nothing(account: NewMerchant) -> None:
    """Caps are 0 until somebody sets them, and one alone is not enough."""
    row = SigningAccount.objects.create(
        merchant=account.merchant, mode="live", network="simulated", chain="base", address=OTHER
    )
    transfer = transfer_of(row, value_usd=usd("0.000001"))
    assert verdict(transfer, row) is Failure.CAP_EXCEEDED
    assert verdict(transfer, limited(row, cap_per_transfer_usd=usd("10"))) is Hindrance.DAY_CAP_REACHED
    assert verdict(transfer, limited(row, cap_per_day_usd=usd("10"))) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("100", None), ("100.000001", Failure.CAP_EXCEEDED), ("0", Failure.CAP_EXCEEDED), ("-1", Failure.CAP_EXCEEDED)],
)
def test_the_cap_per_transfer_to_the_last_digit(value: str, expected: Failure | None, row: SigningAccount) -> None:
    assert verdict(transfer_of(row, value_usd=usd(value)), row) is expected


@pytest.mark.parametrize(("before", "expected"), [("975", None), ("975.000001", Hindrance.DAY_CAP_REACHED)])
def test_the_cap_per_day_to_the_last_digit(before: str, expected: Hindrance | None, row: SigningAccount) -> None:
    sent(row, before, 6, status="broadcast")
    assert verdict(transfer_of(row), row) is expected


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("new", False),
        ("reserved", True),
        ("signed", True),
        ("broadcast", True),
        ("mined", True),
        ("paid", True),
        ("reverted", False),
        ("failed", False),
    ],
)
def test_what_counts_against_the_day(status: str, counts: bool, row: SigningAccount) -> None:
    """What may land counts however old it is; what waits takes nothing from anybody."""
    long_ago = now() - timedelta(days=30)
    sent(row, "1000", 6, status=status, paid_at=now() if status == "paid" else None, created_at=long_ago)
    assert verdict(transfer_of(row), row) is (Hindrance.DAY_CAP_REACHED if counts else None)


@pytest.mark.parametrize(("hours", "counts"), [(23.999, True), (24.001, False)])
def test_a_day_is_24_hours_after_it_was_paid(hours: float, counts: bool, row: SigningAccount) -> None:
    sent(row, "1000", 6, status="paid", paid_at=now() - timedelta(hours=hours))
    assert verdict(transfer_of(row), row) is (Hindrance.DAY_CAP_REACHED if counts else None)


def test_a_transfer_does_not_count_against_itself(row: SigningAccount) -> None:
    transfer = transfer_of(row, status="signed")
    assert sent_within_a_day(row) == usd("25")
    assert verdict(transfer, limited(row, cap_per_day_usd=usd("100"))) is None


def test_other_accounts_do_not_count(account: NewMerchant, row: SigningAccount) -> None:
    other = account_of(account.merchant.pk, SOLANA)
    transfer_of(other, SOLANA, value_usd=usd("1000"), status="broadcast")
    assert verdict(transfer_of(row), row) is None
    assert sent_within_a_day(other) == usd("1000")


def test_a_paused_account_waits(row: SigningAccount) -> None:
    assert verdict(transfer_of(row), limited(row, paused_at=now())) is Hindrance.SIGNER_PAUSED


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [([], None), ([RECIPIENT], None), ([OTHER], Failure.DESTINATION_BLOCKED), ([OTHER, RECIPIENT], None)],
    ids=["no_list", "listed", "another", "among_others"],
)
def test_the_list_of_destinations(allowed: list[str], expected: Failure | None, row: SigningAccount) -> None:
    assert verdict(transfer_of(row), limited(row, allowed_destinations=allowed)) is expected


def test_nothing_is_sent_to_oneself(row: SigningAccount) -> None:
    assert verdict(transfer_of(row, recipient=row.address), row) is Failure.DESTINATION_BLOCKED


@pytest.mark.parametrize(
    "change", [{"mode": Mode.TEST}, {"network": "mainnet"}, {"chain": "arbitrum"}], ids=["mode", "network", "chain"]
)
def test_a_transfer_that_is_not_its_own_is_refused(change: dict[str, Any], row: SigningAccount) -> None:
    assert verdict(transfer_of(row, **change), row) is Hindrance.SIGNER_UNAVAILABLE


def test_another_merchants_transfer_is_refused(row: SigningAccount) -> None:
    other = create_merchant("Other Shop", "other@shop.example").merchant
    assert verdict(transfer_of(row, merchant_id=other.pk), row) is Hindrance.SIGNER_UNAVAILABLE


def test_another_accounts_transfer_is_refused(account: NewMerchant, row: SigningAccount) -> None:
    other = account_of(account.merchant.pk, chain="arbitrum")
    assert verdict(transfer_of(other), row) is Hindrance.SIGNER_UNAVAILABLE


def test_an_account_of_another_network_profile_is_refused(account: NewMerchant) -> None:
    """A database that was copied from the main network, say."""
    row = account_of(account.merchant.pk, network="mainnet")
    assert verdict(transfer_of(row), row) is Hindrance.SIGNER_UNAVAILABLE


COIN = "0x0000000000000000000000000000000000000000"


@pytest.fixture
def coin(db: None) -> Token:
    """The coin of Base, without a price."""
    load_bundled_tokens()
    return Token.objects.get(chain="base", address=COIN)


def coins(row: SigningAccount, dollars: str) -> Transfer:
    """A transfer of a hundredth of a coin whose frozen dollars are these."""
    return transfer_of(row, token_address=COIN, token_decimals=18, base_units=10**16, value_usd=usd(dollars))


@pytest.mark.parametrize(
    ("price", "expected"), [("2500", None), ("10000", None), ("10000.01", Failure.CAP_EXCEEDED), ("1", None)]
)
def test_a_coin_counts_as_what_it_is_worth_today(
    price: str, expected: Failure | None, row: SigningAccount, coin: Token
) -> None:
    record_usd_price(coin, Decimal("1"), now(), "one")
    record_usd_price(coin, Decimal(price), now(), "other")
    assert verdict(coins(row, "25"), row) is expected


def test_of_what_it_was_and_is_the_higher_counts(row: SigningAccount, coin: Token) -> None:
    record_usd_price(coin, Decimal("1"), now(), "one")
    assert verdict(coins(row, "100.000001"), row) is Failure.CAP_EXCEEDED


def test_todays_price_counts_against_the_day(row: SigningAccount, coin: Token) -> None:
    sent(row, "950", 6, status="broadcast")
    transfer = coins(row, "25")
    record_usd_price(coin, Decimal("5000"), now(), "one")
    assert verdict(transfer, row) is None
    record_usd_price(coin, Decimal("5000.01"), now(), "one")
    assert verdict(transfer, row) is Hindrance.DAY_CAP_REACHED


@pytest.mark.parametrize("minutes", [None, 60])
def test_a_coin_without_a_fresh_price_waits(row: SigningAccount, coin: Token, minutes: int | None) -> None:
    if minutes is not None:
        record_usd_price(coin, Decimal("2500"), now() - timedelta(minutes=minutes), "one")
    transfer = coins(row, "25")
    assert verdict(transfer, row) is Hindrance.PRICE_MISSING
    record_usd_price(coin, Decimal("2500"), now(), "one")
    assert verdict(transfer, row) is None


def test_an_issuers_dollar_counts_as_it_was_frozen(row: SigningAccount, coin: Token) -> None:
    dollar = Token.objects.get(chain="base", symbol="USDC")
    record_usd_price(dollar, Decimal("1.005"), now(), "one")
    assert verdict(transfer_of(row, token_address=dollar.address, value_usd=usd("100")), row) is None
