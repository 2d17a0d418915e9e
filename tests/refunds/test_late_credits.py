"""Late money goes back payment by payment: each to who sent it, once, and never more than is there."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import now
from core.locks import Turn
from core.modes import Mode
from core.money import usd
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import Credit, LatePolicy, PaymentIntent, PaymentPolicy
from refunds.models import Refund, RefundPolicy
from refunds.services import late
from refunds.services.late import return_late_credit, send_late_money_back
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_SOLANA, BOBS_EVM, credit
from tests.factories.refunds import paid_intent
from tests.payments.world import World, create, pay, read
from tests.refunds.claiming import paid_by
from tests.refunds.stories import PAYEE, refund, work

pytestmark = pytest.mark.usefixtures("db")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
ELSEWHERE = "0xde709f2102306220921060314615629080e2fb77"


@pytest.fixture(autouse=True)
def policy(merchant: Merchant) -> None:
    for mode in ("live", "test"):
        PaymentPolicy.objects.create(merchant=merchant, mode=mode, late=LatePolicy.REFUND, late_since=LONG_AGO)
        RefundPolicy.objects.create(merchant=merchant, mode=mode, to_paying_wallet=True)


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    """An expired intent over 25 to which 10 came in time."""
    made = paid_intent(merchant, units=10_000_000, target_base_units=25_000_000, status="expired", settled_at=None)
    paid_by(made, PAYEE)
    return made


def arrives_late(intent: PaymentIntent, units: int, wallet: str) -> Credit:
    """A late payment of a wallet's; nobody's where that is empty."""
    value = usd(str(Decimal(units) / 1_000_000))
    made = credit(
        intent, units, block_time=now(), final_at=now(), finalized_at=now(), network="localnet", late=True,
        payer=wallet, payer_proof="sender" if wallet else "", value_usd=value,
    )  # fmt: skip
    intent.refresh_from_db()
    intent.received_usd += value
    intent.save(update_fields=["received_usd"])
    return made


def sent() -> list[tuple[str, int, Decimal, int | None]]:
    rows = Refund.objects.order_by("created_at", "pk")
    return list(rows.values_list("destination", "base_units", "amount_usd", "credit_id"))


@pytest.mark.spec("Rulings B8.1")
def test_each_late_payment_goes_back_to_who_sent_it(intent: PaymentIntent) -> None:
    first, second = arrives_late(intent, 15_000_000, BOBS_EVM), arrives_late(intent, 3_000_000, ELSEWHERE)
    assert send_late_money_back() == 2
    assert sent() == [
        (BOBS_EVM, 15_000_000, usd("15"), first.pk),
        (Refund.objects.get(credit=second).destination, 3_000_000, usd("3"), second.pk),
    ]
    assert Refund.objects.get(credit=second).destination.lower() == ELSEWHERE
    assert send_late_money_back() == 0


def test_what_comes_after_the_first_went_back_is_returned_too(intent: PaymentIntent) -> None:
    arrives_late(intent, 15_000_000, BOBS_EVM)
    assert send_late_money_back() == 1
    PaymentIntent.objects.filter(pk=intent.pk).update(status="refunded", refunded_usd=25)
    Refund.objects.update(status="paid")
    second = arrives_late(intent, 25_000_000, BOBS_EVM)
    assert send_late_money_back() == 1
    assert sent()[1] == (BOBS_EVM, 25_000_000, usd("25"), second.pk)


def test_nobodys_late_money_waits_for_an_address(intent: PaymentIntent) -> None:
    late = arrives_late(intent, 15_000_000, "")
    solana = arrives_late(intent, 2_000_000, ANNS_SOLANA)
    assert send_late_money_back() == 2
    assert sent() == [("", 15_000_000, usd("15"), late.pk), ("", 2_000_000, usd("2"), solana.pk)]
    assert set(Refund.objects.values_list("failure_reason", flat=True)) == {"missing_destination"}


@pytest.mark.parametrize(("amount", "whose", "left"), [(4, BOBS_EVM, 11), (20, ELSEWHERE, 5), (25, ELSEWHERE, 0)])
def test_a_persons_refund_leaves_the_rest_and_never_more_than_the_balance(
    amount: int, whose: str, left: int, intent: PaymentIntent, live_api: ApiClient
) -> None:
    late = arrives_late(intent, 15_000_000, BOBS_EVM)
    refund(live_api, {"id": str(intent.pk)}, amount, destination=whose)
    assert send_late_money_back() == (1 if left else 0)
    assert sent()[1:] == ([(BOBS_EVM, left * 1_000_000, usd(str(left)), late.pk)] if left else [])
    assert send_late_money_back() == 0


@pytest.mark.parametrize("status", ["cancelled", "failed"])
def test_once_for_each_payment_ever(status: str, intent: PaymentIntent) -> None:
    late = arrives_late(intent, 15_000_000, BOBS_EVM)
    assert send_late_money_back() == 1
    Refund.objects.update(status=status)
    assert send_late_money_back() == 0
    sweep = Principal(merchant_id=intent.merchant_id, mode=Mode.LIVE, actor="policy:late")
    assert return_late_credit(sweep, late) is None  # another sweep had found it before its refund was made
    assert Refund.objects.count() == 1


def test_what_does_not_count_stays(intent: PaymentIntent) -> None:
    uncounted: tuple[tuple[str, object], ...] = (
        *(("final_at", None), ("reversed_at", LONG_AGO), ("vanished_at", LONG_AGO), ("purpose", "stray")),
        *(("late", False), ("value_usd", usd("0.009999"))),
    )
    for name, value in uncounted:
        Credit.objects.filter(pk=arrives_late(intent, 15_000_000, BOBS_EVM).pk).update(**{name: value})
        assert send_late_money_back() == 0, name


def test_paid_late_in_test_mode_and_once_more(world: World, api: ApiClient) -> None:
    """The simulated chain names the wallet, so that late money goes back to it by itself; and the second, too."""
    made = create(api)
    pay(api, made, "late")
    world.run(2 * 3600)
    assert read(api, made)["status"] == "expired"
    assert send_late_money_back() == 1
    work(world)
    first = Refund.objects.get()
    assert (first.status, first.destination.lower()) == ("paid", "0x7e57000000000000000000000000000000000a11")
    assert read(api, made)["status"] == "refunded"
    row = PaymentIntent.objects.get()
    arrives_late(row, 25_000_000, first.credit.payer if first.credit else "")
    assert send_late_money_back() == 1
    work(world)
    row.refresh_from_db()
    assert (row.status, row.refunded_usd) == ("refunded", usd("50"))


def test_a_late_payment_that_now_counts_for_another_is_not_returned(merchant: Merchant, intent: PaymentIntent) -> None:
    """As when another worker takes it over between the look and the lock."""
    late = arrives_late(intent, 5_000_000, PAYEE)
    other = paid_intent(merchant)
    Credit.objects.filter(pk=late.pk).update(intent=other)
    principal = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="policy:late")
    assert return_late_credit(principal, late) is None
    assert sent() == []


def test_merchants_are_looked_at_in_turn_so_many_by_one_sweep(
    intent: PaymentIntent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is asked for each of them where nobody is owed anything."""
    with CaptureQueriesContext(connection) as asked:
        assert send_late_money_back() == 0
    assert len([one for one in asked if "payments_paymentpolicy" in one["sql"]]) == 2
    arrives_late(intent, 15_000_000, BOBS_EVM)
    first, last = PaymentPolicy.objects.order_by("pk").values_list("pk", flat=True)
    monkeypatch.setattr(late, "POLICIES", 1)
    monkeypatch.setattr(late, "_last", [first])
    assert (last, PaymentPolicy.objects.get(mode=intent.mode).pk) == (first + 1, first)
    assert [send_late_money_back() for _ in range(4)] == [0, 0, 1, 0]


def test_two_never_look_at_once(intent: PaymentIntent) -> None:
    arrives_late(intent, 15_000_000, BOBS_EVM)
    other = Turn("refunds.late")
    assert other.take()
    assert send_late_money_back() == 0
    other.give_up()
    assert send_late_money_back() == 1
