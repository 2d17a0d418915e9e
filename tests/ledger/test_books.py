"""What is booked of payments, refunds and payouts, told through the doors: each entry balances, each leads back."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction

from core.append_only import AppendOnlyError
from core.modes import Mode
from core.money import BaseUnits, usd
from ledger.accounts import Account, Source
from ledger.models import Opening, Posting
from ledger.services import UnbalancedError, post
from ledger.standing import Amount, Book, Standing
from merchants.models import Merchant
from merchants.principal import Principal
from operations.opening import open_books
from payments.models import Credit
from payouts.models import Payout
from payouts.services.create import create_payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.world import World, create, pay
from tests.payouts.stories import run
from tests.refunds.stories import PAYEE, refund, settled, work

WHOLE = 25_000_000
Balances = dict[str, tuple[int, Decimal]]


@pytest.fixture(autouse=True)
def _books(db: None) -> Iterator[None]:
    """The books are open from the start, and balance at the end."""
    assert open_books()
    yield
    assert violations() == []


def balances() -> Balances:
    """By account: base units and dollars, of those that are not nothing."""
    sums: dict[str, tuple[int, Decimal]] = defaultdict(lambda: (0, Decimal(0)))
    for row in Posting.objects.order_by("pk"):
        units, dollars = sums[row.account]
        sums[row.account] = (units + row.base_units, dollars + row.amount_usd)
    return {account: amount for account, amount in sums.items() if any(amount)}


def both(units: int) -> tuple[int, Decimal]:
    """So many base units of a dollar's coin, and as many dollars."""
    return units, Decimal(units) / 1_000_000


def entries_of(row: Credit | Refund | Payout) -> list[tuple[str, str, int]]:
    """Entry by entry, and in each the debit first."""
    rows = Posting.objects.filter(source=type(row).__name__.lower(), source_id=str(row.pk)).order_by("pk")
    order: dict[UUID, int] = {}
    for one in rows:
        order.setdefault(one.entry, len(order))
    by_entry = sorted(rows, key=lambda one: (order[one.entry], -one.base_units))
    return [(one.kind, one.account, one.base_units) for one in by_entry]


def test_a_payment_is_booked_when_it_counts_and_not_when_it_is_asked_for(world: World, api: ApiClient) -> None:
    intent = create(api)
    assert Posting.objects.count() == 0
    pay(api, intent)
    world.run(6)
    assert balances() == {"received": both(WHOLE), "payments": both(-WHOLE)}
    credit = Credit.objects.get()
    assert entries_of(credit) == [
        ("booked", "expected", WHOLE),
        ("booked", "payments", -WHOLE),
        ("changed", "received", WHOLE),
        ("changed", "expected", -WHOLE),
    ]
    row = Posting.objects.earliest("pk")
    assert (row.source_id, str(row.intent_id)) == (str(credit.pk), intent["id"])
    assert (row.merchant_id, row.mode, row.chain) == (credit.merchant_id, "test", credit.chain)


def test_a_refund_is_reserved_then_gone_and_a_cancelled_one_is_reversed(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    waiting, sent = refund(api, intent, 5), refund(api, intent, 10, destination=PAYEE)
    reserved = {"received": both(10_000_000), "reserved": both(15_000_000), "payments": both(-WHOLE)}
    assert balances() == reserved
    work(world)
    gone = {"reserved": both(5_000_000), "refunded": both(10_000_000)}
    assert balances() == reserved | gone
    assert entries_of(Refund.objects.get(pk=sent["id"])) == [
        ("booked", "reserved", 10_000_000),
        ("booked", "received", -10_000_000),
        ("changed", "refunded", 10_000_000),
        ("changed", "reserved", -10_000_000),
    ]
    assert api.post(f"/refunds/{waiting['id']}/cancel").status == 200
    left = {"received": both(15_000_000), "refunded": both(10_000_000), "payments": both(-WHOLE)}
    assert balances() == left
    kinds = [kind for kind, _, _ in entries_of(Refund.objects.get(pk=waiting["id"]))]
    assert kinds == ["booked"] * 2 + ["reversed"] * 2


def test_a_late_payment_is_booked_apart(world: World, api: ApiClient) -> None:
    settled(world, api, "late")
    assert balances() == {"received": both(WHOLE), "late": both(-WHOLE)}


def test_a_reorganised_payment_is_reversed_and_booked_anew(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "reorg")
    world.run(60)
    kinds = [kind for kind, account, _ in entries_of(Credit.objects.get()) if account != "payments"]
    assert "reversed" in kinds
    assert balances() == {"received": both(WHOLE), "payments": both(-WHOLE)}


def test_a_payout_that_moves_nothing_is_not_booked(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    who = Principal(merchant_id=merchant.pk, mode=Mode.TEST, actor="key:test")
    payout = create_payout(who, UUID(intent["id"]), "k").payout
    run(world)
    expected: Balances = {"payments": both(-WHOLE)}
    expected |= {"received": both(WHOLE)} if payout.rail == "direct" else {"paid_out": both(WHOLE)}
    assert balances() == expected
    assert Payout.objects.get().status == "paid"


def test_nothing_that_does_not_add_up_is_booked(merchant: Merchant) -> None:
    book = Book(merchant.pk, "test", "base", "0x01", Opening.objects.get().after)
    lopsided = {
        Account.RECEIVED: Amount(BaseUnits(5), usd("5")),
        Account.PAYMENTS: Amount(BaseUnits(-5), usd("-4")),
    }
    with pytest.raises(UnbalancedError):
        post(None, Standing(source=Source.CREDIT, source_id="1", book=book, lines=lopsided))
    assert Posting.objects.count() == 0


def test_postings_are_never_changed_or_removed(world: World, api: ApiClient) -> None:
    settled(world, api)
    row: Any = Posting.objects.first()
    for act in (row.save, row.delete, Posting.objects.all().delete):
        with pytest.raises(AppendOnlyError):
            act()
    for statement in ("DELETE FROM ledger_posting", "UPDATE ledger_posting SET amount_usd = 0"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert balances() == {"received": both(WHOLE), "payments": both(-WHOLE)}
