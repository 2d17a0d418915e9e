"""Several questions in one statement: each answer is what its question alone would get."""

import pytest

from core.asking import any_of_each, count_each
from merchants.models import Merchant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _three() -> None:
    for name in ("A", "B", "100 %s"):
        Merchant.objects.create(name=name)


def test_each_is_counted() -> None:
    mine = Merchant.objects.order_by("name", "pk")
    asked = [mine, mine.none(), mine.filter(name="100 %s"), mine.exclude(name="A"), mine.filter(name__in=[])]
    assert count_each(asked) == [len(rows) for rows in asked] == [3, 0, 1, 2, 0]
    assert count_each([mine, mine.none()], 2) == [2, 0]
    assert any_of_each(asked) == [True, False, True, True, False]
    assert any_of_each([mine.filter(name="C")]) == [False]


def test_nothing_asks_nothing() -> None:
    assert (count_each([]), any_of_each([])) == ([], [])
