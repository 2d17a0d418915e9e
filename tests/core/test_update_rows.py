"""Columns of several rows in one statement, each row's own values."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from chains.models import WatchedAddress
from core.bulk import update_rows
from core.clock import now

COLUMNS = ("address", "cursor", "final_at", "read_to")


def watched(most: int) -> list[WatchedAddress]:
    return [
        WatchedAddress.objects.create(network="live", chain="base", token_address="0xt", address=f"0x{number}")
        for number in range(most)
    ]


def written() -> list[tuple[Any, ...]]:
    return list(WatchedAddress.objects.order_by("pk").values_list(*COLUMNS))


@pytest.mark.django_db
def test_each_row_has_its_own_values_and_others_keep_theirs() -> None:
    moment = now()
    rows = watched(4)
    rows[0].cursor, rows[0].final_at, rows[0].read_to = {"most": 2, "at": "a'b%s"}, moment, 2**40
    rows[1].cursor, rows[1].final_at, rows[1].read_to = {}, None, None
    rows[2].cursor, rows[2].final_at, rows[2].read_to = {"most": 1}, moment + timedelta(seconds=1), 7
    rows[2].address = "changed here alone"
    update_rows(rows[:3], ["cursor", "final_at", "read_to"])
    assert written() == [
        ("0x0", {"most": 2, "at": "a'b%s"}, moment, 2**40),
        ("0x1", {}, None, None),
        ("0x2", {"most": 1}, moment + timedelta(seconds=1), 7),
        ("0x3", {}, None, None),
    ]
    rows[0].read_to = rows[1].read_to = None
    update_rows(rows[:2], ["read_to"])
    assert [row[3] for row in written()] == [None, None, 7, None]
    update_rows([], ["read_to"])


@pytest.mark.postgres
@pytest.mark.django_db
def test_any_number_of_rows_is_one_statement() -> None:
    """Else the driver keeps one for each number of them, in every connection."""
    rows, statements = watched(3), []

    def listen(execute: Any, sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(listen):
        for most in (1, 2, 3):
            update_rows(rows[:most], ["cursor", "final_at"])
    assert (len(statements), len(set(statements))) == (3, 1)
