"""The figures on the home page: exact sums of exact days, beside the days before, and what waits for a person."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client

from core.modes import Mode
from core.money import UsdAmount
from dashboard.payments.chart import bar_chart
from dashboard.payments.figures import Sales, forget_figures, in_flight, last_days
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.factories.refunds import paid_intent, paid_leg
from tests.merchants.people import text_of

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOME = "/dashboard/test/"


@pytest.fixture(autouse=True)
def _noon() -> Any:
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture
def me(account: NewMerchant) -> Principal:
    return Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{account.owner.pk}")


def paid(account: NewMerchant, days_ago: int, amount: int = 25, **fields: Any) -> PaymentIntent:
    """A test payment created and settled so many days ago."""
    at = NOON - timedelta(days=days_ago)
    facts: dict[str, Any] = {"mode": "test", "units": amount * 1_000_000, "created_at": at, "settled_at": at}
    return paid_intent(account.merchant, **facts | {"amount": UsdAmount(Decimal(amount))} | fields)


def over(account: NewMerchant, status: str, days_ago: int, **fields: Any) -> PaymentIntent:
    """A test payment that never settled."""
    intent = paid(account, days_ago, settled_at=None)
    PaymentIntent.objects.filter(pk=intent.pk).update(status=status, **{"received_usd": 0} | fields)
    return intent


def figures_on(page: str) -> dict[str, str]:
    return dict(re.findall(r'<dt>([^<]+)</dt><dd class="figure">([^<]+)</dd>', page))


def dollars(amount: int) -> UsdAmount:
    return UsdAmount(Decimal(amount))


def test_a_period_and_the_one_before(account: NewMerchant, me: Principal) -> None:
    """Days begin at midnight, UTC."""
    for days_ago, amount in [(0, 10), (0, 30), (7, 100), (13, 5), (14, 999)]:
        paid(account, days_ago, amount)
    for moment in (datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 15, 23, 59, 59, 999999, tzinfo=UTC)):
        paid(account, 0, 7, settled_at=moment, created_at=moment)
    week, before = last_days(me, 7)
    assert week.sales == Sales(count=3, volume=dollars(47))
    assert before.sales == Sales(count=3, volume=dollars(112))
    assert [f"{day:%d}" for day, sales in week.by_day if sales.count] == ["16", "22"]
    assert (week.paid, before.paid, len(week.by_day), len(before.by_day)) == (3, 3, 7, 7)
    assert week.sales.average.quantize(Decimal("0.01")) == Decimal("15.67")


def test_the_success_rate_is_of_those_that_ended(account: NewMerchant, me: Principal) -> None:
    paid(account, 1)
    over(account, "refunded", 1)
    for status in ("expired", "failed", "cancelled", "executing", "requires_payment"):
        over(account, status, 2)
    week, before = last_days(me, 7)
    assert (week.ended, week.paid, week.success) == (5, 2, Decimal(40))
    assert before.success is None


def test_what_is_in_flight_and_only_of_ones_own(
    account: NewMerchant, other_account: NewMerchant, me: Principal
) -> None:
    paid(other_account, 0)
    paid(account, 0, mode="live")
    over(other_account, "executing", 0)
    assert (last_days(me, 7)[0].sales, last_days(me, 7)[0].ended, in_flight(me)) == (Sales(), 0, Sales())
    forget_figures()
    for status in ("executing", "partially_filled", "settled", "awaiting_signature"):
        over(account, status, 1)
    assert in_flight(me) == Sales(count=2, volume=dollars(50))


def test_home_shows_them_for_the_days_that_the_address_asks_for(account: NewMerchant, owner: Client) -> None:
    paid(account, 0, 40)
    paid(account, 10, 10)
    assert figures_on(text_of(owner.get(HOME))) == {
        "Settled": "$50.00",
        "Payments settled": "2",
        "Success rate": "100.0 %",
        "Average payment": "$25.00",
        "In flight now": "$0.00",
    }
    week = text_of(owner.get(f"{HOME}?days=7"))
    assert figures_on(week)["Settled"] == "$40.00"
    assert "Up 300 % from $10.00 in the 7 days before" in week
    assert '<a href="?days=7" aria-current="true">7 days</a>' in week


def test_before_the_first_payment_there_is_the_checklist_alone(account: NewMerchant, owner: Client) -> None:
    """Periods that there are not are the usual one."""
    page = text_of(owner.get(HOME))
    assert figures_on(page) == {}
    assert '<details class="checklist" open>' in page
    paid(account, 0)
    assert '<h3>See a payment settle<span class="hidden"> (done)</span></h3>' in text_of(owner.get(HOME))
    for days in ("", "8", "-7", "07", "9" * 99, "\x00", "<b>"):
        assert "Last 30 days" in text_of(owner.get(HOME, {"days": days})), days


def test_what_waits_for_a_person(account: NewMerchant, owner: Client) -> None:
    later = NOON + timedelta(hours=1)
    over(account, "partially_filled", 0, expires_at=later)
    over(account, "partially_filled", 0, expires_at=NOON)
    over(account, "expired", 0, received_usd=25)
    over(account, "expired", 0, received_usd=25, refunded_usd=25)
    unknown = over(account, "executing", 0, in_doubt=True)
    recent = over(account, "executing", 0, in_doubt=True)
    long_ago, just_now = NOON - timedelta(seconds=61), NOON - timedelta(seconds=59)
    paid_leg(unknown, status="in_doubt", typical_seconds=60, submitted_at=long_ago)
    paid_leg(recent, status="in_doubt", typical_seconds=60, submitted_at=just_now)
    page = text_of(owner.get(HOME))
    waiting = re.findall(r'data-tone="(\w+)">(\d+)</span> <span>Payments (\w+)', page)
    assert waiting == [("warn", "1", "paid"), ("bad", "1", "that"), ("bad", "1", "whose")]


def test_a_chart_is_as_high_as_its_highest_day() -> None:
    sold = map(UsdAmount, map(Decimal, ("50", "0.000001", "0", "25")))
    days = [(NOON.date() + timedelta(days=number), amount) for number, amount in enumerate(sold)]
    chart = bar_chart(days)
    assert (chart.top, chart.middle) == (Decimal(50), Decimal(25))
    assert [(bar.height, bar.y + bar.height) for bar in chart.bars] == [(1000, 1000), (1, 1000), (500, 1000)]
    assert chart.bars[0].words == "22 Nov: $50.00"
    assert bar_chart([(NOON.date(), UsdAmount(Decimal(0)))]).bars == ()
