"""When a failed delivery is tried again."""

from datetime import UTC, datetime, timedelta

import pytest

from webhooks.schedule import RETRY_DELAYS, asked_wait, wait_after

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WAITS = (30, 120, 480, 1920, 7680, 30720, 43200)
"""Eight attempts have seven waits between them. Written out, not read from the code: a receiver plans with them."""


@pytest.mark.spec("Limits: webhook retries, 8 attempts, 30 s to 12 h backoff")
def test_there_are_eight_attempts_from_thirty_seconds_to_twelve_hours() -> None:
    assert RETRY_DELAYS.attempts == 8
    assert RETRY_DELAYS.delays_seconds == WAITS
    assert wait_after(8) is None


@pytest.mark.spec("Contract 11.4")
@pytest.mark.parametrize(("attempt", "seconds"), [*enumerate(WAITS, start=1)])
def test_jitter_stays_within_a_tenth_and_inside_the_bounds(attempt: int, seconds: int) -> None:
    planned = timedelta(seconds=seconds)
    waits = [wait_after(attempt) for _ in range(300)]
    assert all(wait is not None and abs(wait - planned) <= planned / 10 for wait in waits)
    assert all(wait is not None and timedelta(seconds=30) <= wait <= timedelta(hours=12) for wait in waits)
    assert len(set(waits)) > 50


@pytest.mark.spec("Contract 11.3")
@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [
        (429, "120", 120),
        (503, " 120 ", 120),
        (429, "1", 30),
        (503, "0", 30),
        (429, "999999999999999999999", 43200),
        (503, "Fri, 20 Nov 2026 12:10:00 GMT", 600),
        (503, "Fri, 20 Nov 2026 11:00:00 GMT", 30),
        (503, "Fri, 20 Nov 2099 11:00:00 GMT", 43200),
    ],
)
def test_retry_after_is_honoured_within_bounds(status: int, header: str, seconds: int) -> None:
    assert asked_wait(status, header, AT) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("status", "header"),
    [(429, None), (503, ""), (429, "soon"), (503, "-5"), (429, "1.5"), (500, "120"), (200, "120"), (429, "٣٠")],
)
def test_other_answers_keep_the_schedule(status: int, header: str | None) -> None:
    assert asked_wait(status, header, AT) is None
