"""The request log is written in batches: nothing that could be written is lost, and nothing is tried for ever."""

import logging
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import OperationalError, connection

from merchants import request_log as request_log_module
from merchants.models import RequestRecord
from merchants.request_log import MOST_WAITING, Line, RequestLog
from tests.merchants.log_lines import line


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_writer_keeps_its_connection_and_goes_on_after_it_broke() -> None:
    own, held = RequestLog(), []
    for count in (1, 0, 1):
        for _ in range(count):
            own.note(line())
        own.take_turn()
        held.append(connection.connection)
    assert held[0] is held[1] is held[2] is not None
    connection.connection.close()
    for _ in range(2):
        own.note(line())
        own.take_turn()
    assert RequestRecord.objects.count() == 4


def test_what_does_not_fit_is_dropped_and_counted(db: None, caplog: pytest.LogCaptureFixture) -> None:
    own = RequestLog()
    for _ in range(MOST_WAITING + 3):
        own.note(line())
    with caplog.at_level(logging.WARNING):
        own.flush()
    assert "3 requests are missing from the log: more came than could be written" in caplog.text
    assert RequestRecord.objects.count() == MOST_WAITING


def test_a_row_that_no_column_takes_is_not_tried_for_ever(db: None, caplog: pytest.LogCaptureFixture) -> None:
    own = RequestLog()
    own.note(line(status=None))
    with caplog.at_level(logging.WARNING):
        own.flush()
    assert "1 requests are missing from the log" in caplog.text
    own.note(line())
    own.flush()
    assert RequestRecord.objects.count() == 1


MIXED = "a\tb\\n\\.\\N \N{SNOWMAN}\u2028'"
BAD: tuple[dict[str, Any], ...] = ({"status": None}, {"user_agent": "\ud800"}, {"duration_ms": 2**80})
BAD_FOR_POSTGRESQL: tuple[dict[str, Any], ...] = (
    *({"object_id": "none"}, {"path": "x" * 201}, {"user_agent": "a\0b"}, {"duration_ms": -1}, {"status": 2**15}),
)


def one_bad_line_loses_no_other(bad: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    own = RequestLog()
    for number in range(7):
        own.note(line(key_id=number, user_agent=MIXED, body="\\N"))
        if number == 4:
            own.note(line(**bad))
    with caplog.at_level(logging.WARNING):
        own.flush()
    assert "1 requests are missing from the log" in caplog.text
    rows = list(RequestRecord.objects.order_by("pk").values_list("key_id", "user_agent", "body", "object_id"))
    assert rows == [(number, MIXED, "\\N", None) for number in range(7)]
    assert not own.waits


@pytest.mark.parametrize("bad", BAD)
def test_one_bad_line_loses_no_other(db: None, bad: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    one_bad_line_loses_no_other(bad, caplog)


@pytest.mark.postgres
@pytest.mark.parametrize("bad", BAD + BAD_FOR_POSTGRESQL)
def test_one_bad_line_of_a_copy_loses_no_other(db: None, bad: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    one_bad_line_loses_no_other(bad, caplog)


def test_many_bad_lines_are_looked_for_so_often_and_no_more(
    db: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merchants.request_log.MOST_TRIES", 3)
    own = RequestLog()
    for status in (None, None, 200, 200, 200, None, 200, 200):
        own.note(line(status=status))
    with caplog.at_level(logging.WARNING):
        own.flush()
    assert "8 requests are missing from the log" in caplog.text
    assert (RequestRecord.objects.count(), own.waits) == (0, False)


def test_a_database_that_goes_away_meanwhile_takes_all_of_it_later(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first half of a batch with a bad line is not written twice."""
    own, tries = RequestLog(), iter([True, True, True, False])
    for status in (200, 201, 202, None):
        own.note(line(status=status))

    def goes_away(lines: list[Line]) -> None:
        if not next(tries):
            raise OperationalError("the connection is closed")
        write(lines)

    write = request_log_module._write
    with monkeypatch.context() as patch:
        patch.setattr(request_log_module, "_write", goes_away)
        own.flush()
    assert (RequestRecord.objects.count(), own.waits) == (0, True)
    own.flush()
    assert list(RequestRecord.objects.order_by("pk").values_list("status", flat=True)) == [200, 201, 202]
    assert not own.waits


def test_it_is_due_a_second_after_the_first_one(db: None) -> None:
    with time_machine.travel("2026-05-04T12:00:00Z", tick=False) as clock:
        own = RequestLog()
        said = [own.is_due()]
        own.note(line())
        said.append(own.is_due())
        clock.shift(timedelta(seconds=1))
        said.append(own.is_due())
        own.flush()
        clock.shift(timedelta(seconds=1))
        said.append(own.is_due())
    assert said == [False, False, True, False]
    assert RequestRecord.objects.count() == 1
