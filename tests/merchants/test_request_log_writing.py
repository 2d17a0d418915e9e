"""The request log is written in batches: nothing that could be written is lost, and nothing is tried for ever."""

import logging
from datetime import timedelta

import pytest
import time_machine
from django.db import connection

from merchants.models import RequestRecord
from merchants.request_log import MOST_WAITING, RequestLog
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
