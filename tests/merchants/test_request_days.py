"""The days of the request log on PostgreSQL: a table of before moves over, days are made ahead and dropped whole."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction

from core.clock import now
from merchants.models import RequestRecord
from merchants.services import NewMerchant, forget_old_requests, make_request_days
from merchants.services.upkeep import AHEAD_DAYS
from tests.merchants.log_lines import put
from tests.races.lineup import holding
from tests.races.moving import written_meanwhile
from tests.races.reading import Pauses, reading

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

MOVE = import_module("merchants.migrations.0005_request_days")
DAY = timedelta(days=1)
ROLE = "pg_monitor"
"""Any role that every PostgreSQL has stands for that of the programs."""


def ask(question: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return [row[0] for row in cursor.fetchall()] if cursor.description else []


def days() -> list[str]:
    """The partitions, by what their names say beyond the table's."""
    found = ask(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'merchants_requestrecord'::regclass"
    )
    return sorted(name.removeprefix("merchants_requestrecord_") for name in found)


def in_part(name: str) -> int:
    return int(ask(f"SELECT count(*) FROM merchants_requestrecord_{name}")[0])  # noqa: S608 - our own names


def named(moment: datetime) -> str:
    return moment.strftime("%Y%m%d")


def midnight(shift: int = 0) -> datetime:
    """The database's, since days are made by its clock."""
    [today] = ask("SELECT date_trunc('day', now(), 'UTC')")
    assert isinstance(today, datetime)
    return today.astimezone(UTC) + shift * DAY


def lay_as_before() -> None:
    """The table as the releases before had it, empty."""
    ask("DROP TABLE merchants_requestrecord")
    ask("DROP FUNCTION IF EXISTS merchants_make_request_days, merchants_drop_request_days")
    with connection.schema_editor() as editor:
        editor.create_model(RequestRecord)


def move_over() -> None:
    with connection.schema_editor(atomic=False) as editor:
        MOVE.lay_in_days(apps, editor)


@pytest.fixture(autouse=True)
def _as_migrated() -> Iterator[None]:
    """Days of today, whenever the tables were made."""
    yield
    lay_as_before()
    move_over()


@pytest.fixture
def without_before() -> None:
    """As it is a month after the move: the first partition was dropped, and left room for days."""
    lay_as_before()
    move_over()
    for name in days():
        if name != "default":
            ask(f"DROP TABLE merchants_requestrecord_{name}")


def make_day(moment: datetime) -> None:
    part, ends = named(moment), moment + DAY
    ask(
        f"CREATE TABLE merchants_requestrecord_{part} PARTITION OF merchants_requestrecord"
        f" FOR VALUES FROM ('{moment.isoformat()}') TO ('{ends.isoformat()}')"
    )


def indexes(table: str) -> list[Any]:
    """What each index is stored in, which changes when it is made again; that of the key first."""
    mine = f"FROM pg_index WHERE indrelid = '{table}'::regclass ORDER BY NOT indisprimary, indexrelid::regclass::text"
    return ask(f"SELECT pg_relation_filenode(indexrelid) {mine}")  # noqa: S608 - our own names


def test_a_table_of_before_moves_over_as_it_lies(account: NewMerchant) -> None:
    """Its rows and indexes are not written again, numbers go on, and who might use it may use the new one."""
    lay_as_before()
    ask(f"GRANT SELECT, INSERT, DELETE ON merchants_requestrecord TO {ROLE}")
    for age in (400, 40, 1, 0):
        put(account, created_at=now() - age * DAY)
    rows, written = list(RequestRecord.objects.order_by("pk").values()), indexes("merchants_requestrecord")
    move_over()
    before = f"before_{named(midnight(3))}"
    assert days() == [*(named(midnight(ahead)) for ahead in range(3, AHEAD_DAYS)), before, "default"]
    assert list(RequestRecord.objects.order_by("pk").values()) == rows
    assert set(written) - set(indexes(f"merchants_requestrecord_{before}")) == {written[0]}, "only the key's is new"
    assert put(account)[-1].pk > rows[-1]["id"]
    assert (in_part(before), in_part("default")) == (5, 0)
    may = (
        *("has_table_privilege('{}', 'merchants_requestrecord', 'SELECT, INSERT')",),
        *("has_sequence_privilege('{}', 'merchants_requestrecord_number', 'USAGE')",),
        *("has_function_privilege('{}', 'merchants_make_request_days(integer)', 'EXECUTE')",),
        *("has_function_privilege('{}', 'merchants_drop_request_days(timestamptz)', 'EXECUTE')",),
    )
    assert ask("SELECT " + " AND ".join(may).format(*[ROLE] * 4)) == [True]
    assert ask(f"SELECT has_table_privilege('{ROLE}', 'merchants_requestrecord', 'UPDATE')") == [False]
    assert ask("SELECT " + " OR ".join(may[2:]).format(*["pg_read_all_stats"] * 2)) == [False]
    move_over()
    assert make_request_days() == 0
    assert RequestRecord.objects.count() == 5


def test_no_line_is_lost_while_the_log_moves(account: NewMerchant) -> None:
    lay_as_before()
    [first] = put(account)
    written = written_meanwhile(move_over, lambda: put(account), RequestRecord.objects.filter(pk=first.pk))
    assert in_part(f"before_{named(midnight(3))}") == RequestRecord.objects.count() == written + 1


def test_who_reads_the_log_holds_up_the_move_and_nobody_else(
    account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_as_before()
    put(account)
    with reading("merchants_requestrecord") as ends:
        pauses = Pauses(3, ends, lambda: put(account)).planted(monkeypatch)
        move_over()
    assert pauses.seconds == [2, 2, 2]
    assert in_part(f"before_{named(midnight(3))}") == 4


def test_a_move_that_was_interrupted_refuses_nothing_later(
    account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_as_before()
    with monkeypatch.context() as patch:
        patch.setattr(MOVE, "_swap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            move_over()
    put(account, created_at=midnight(4))
    assert RequestRecord.objects.count() == 1


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def test_a_missing_day_refuses_nothing_and_takes_its_lines_once_it_is_made(
    account: NewMerchant, without_before: None
) -> None:
    rows = [put(account, created_at=midnight(shift))[-1] for shift in (0, 1, 40)]
    assert (days(), in_part("default")) == (["default"], 3)
    assert make_request_days() == AHEAD_DAYS
    assert days() == [*(named(midnight(ahead)) for ahead in range(AHEAD_DAYS)), "default"]
    assert [in_part(named(midnight(0))), in_part(named(midnight(1))), in_part("default")] == [1, 1, 1]
    assert list(RequestRecord.objects.order_by("pk")) == rows
    assert make_request_days() == 0


def test_a_day_is_dropped_whole_when_all_of_it_ended(account: NewMerchant, without_before: None) -> None:
    for age in (31, 30, 1):
        make_day(midnight(-age))
        put(account, 2, created_at=midnight(-age))
    put(account, created_at=midnight(-60))
    assert forget_old_requests() == 0
    assert days() == [named(midnight(-30)), named(midnight(-1)), "default"]
    assert [in_part(name) for name in days()] == [2, 2, 0]


def test_nobody_makes_the_log_forget_the_last_day(account: NewMerchant, without_before: None) -> None:
    make_day(midnight(-1))
    make_day(midnight(-3))
    put(account, created_at=midnight(-1))
    assert ask("SELECT merchants_drop_request_days(now() + interval '10 years')") == [1]
    assert days() == [named(midnight(-1)), "default"]


def test_days_that_somebody_reads_wait_for_the_next_hour(
    account: NewMerchant, without_before: None, caplog: pytest.LogCaptureFixture
) -> None:
    make_day(midnight(-31))
    put(account, created_at=midnight(-31))
    with holding(RequestRecord.objects.all()) as reader:
        reader.enter(lambda: put(account) and forget_old_requests())
        [ending] = reader.endings()
        assert ending.result == 0
    assert "merchants_drop_request_days: partitions stay as they are for an hour" in caplog.text
    assert days() == [named(midnight(-31)), "default"]
    with transaction.atomic():
        assert forget_old_requests() == 0
    assert days() == ["default"]
