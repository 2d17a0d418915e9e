"""Rows that stand or fall together: several inserts at once, and several questions in one statement."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.asking import any_of_each, count_each
from core.bulk import insert_together
from core.clock import now
from core.models import Heartbeat
from merchants.models import IdempotencyRecord, Merchant
from merchants.services import NewMerchant


def record(key: str, **more: Any) -> IdempotencyRecord:
    return IdempotencyRecord(scope="s", key=key, fingerprint="f", http_status=1, answer=b"x", expires_at=now(), **more)


@pytest.mark.django_db
def test_rows_of_several_tables_are_inserted(account: NewMerchant) -> None:
    insert_together([])
    assert IdempotencyRecord.objects.count() == 0
    rows = [record("a"), Merchant(name="One'; DROP TABLE"), record("b"), Heartbeat(name="x", at=now())]
    insert_together(rows)
    insert_together([record("only")])
    assert {row.key for row in IdempotencyRecord.objects.all()} == {"a", "b", "only"}
    assert Merchant.objects.filter(name="One'; DROP TABLE").count() == 1
    assert not any(row._state.adding for row in rows)


@pytest.mark.spec("Rulings B4.1; Contract 2.18")
@pytest.mark.django_db
def test_none_is_stored_if_one_cannot_be() -> None:
    record("taken").save()
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_together([Merchant(name="first"), record("free"), record("taken"), Merchant(name="last")])
    assert not Merchant.objects.exists()
    assert [row.key for row in IdempotencyRecord.objects.all()] == ["taken"]


@pytest.mark.postgres
@pytest.mark.django_db
def test_several_rows_cost_one_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        insert_together([Merchant(name="a"), record("a"), record("b"), Heartbeat(name="x", at=now())])
    assert connection.vendor == "postgresql"


@pytest.mark.django_db
def test_several_questions_in_one_statement_are_each_answered_as_alone() -> None:
    for name in ("A", "B", "100 %s"):
        Merchant.objects.create(name=name)
    mine = Merchant.objects.order_by("name", "pk")
    asked = [mine, mine.none(), mine.filter(name="100 %s"), mine.exclude(name="A"), mine.filter(name__in=[])]
    assert count_each(asked) == [len(rows) for rows in asked] == [3, 0, 1, 2, 0]
    assert count_each([mine, mine.none()], 2) == [2, 0]
    assert any_of_each(asked) == [True, False, True, True, False]
    assert any_of_each([mine.filter(name="C")]) == [False]
    assert (count_each([]), any_of_each([])) == ([], [])
