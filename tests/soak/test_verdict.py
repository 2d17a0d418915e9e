"""What the soak calls growth: each kind is planted once in a run in which nothing grows. The run is ``make soak``."""

from dataclasses import replace
from typing import Any

import pytest

from scripts.soak.sample import Program, Sample
from scripts.soak.verdict import judge, left, trend

BOUNDED = {"core_heartbeat"}


def sample(minute: int, **more: Any) -> Sample:
    """A minute of a healthy run: what a payment leaves grows with the payments, all else comes and goes."""
    flat = Sample(
        at=float(minute),
        made=180 * minute,
        programs={
            "web": Program(processes=3, own=200 + minute % 2, pss=260 + minute, files=80, threads=30 + minute % 3),
            "beat": Program(processes=1, own=60, pss=70, files=12, threads=2),
        },
        rows={"payments_paymentintent": 180 * minute, "core_heartbeat": 6},
        bytes={"payments_paymentintent": 200_000 * minute, "core_heartbeat": 65_536},
        redis_keys=40 + minute % 5,
        redis_bytes=2_000_000 + minute % 2 * 300_000,
        waiting=3,
        connections=20 + minute % 2,
        waits={"intents": 2.0, "deliveries": 4.0},
    )
    return replace(flat, **more)


def run(**figures: Any) -> list[Sample]:
    """Thirty minutes; each figure is a function of the minute."""
    return [sample(minute, **{name: figure(minute) for name, figure in figures.items()}) for minute in range(1, 31)]


def web(**more: Any) -> dict[str, Program]:
    """The programs, with something of the web server's changed."""
    return {"web": replace(Program(processes=3, own=200, pss=260, files=80, threads=30), **more)}


def test_nothing_grows_where_only_payments_do() -> None:
    assert judge(run(), BOUNDED) == []


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        (
            {"programs": lambda minute: web(own=200 + 0.4 * minute)},
            "memory of web grows by 4.0 MB in ten minutes, 204 to 212",
        ),
        (
            {"programs": lambda minute: web(files=80 + 2 * minute)},
            "files of web grow from 106 to 134",
        ),
        (
            {"programs": lambda minute: web(threads=30 + minute)},
            "threads of web grow from 43 to 57",
        ),
        ({"connections": lambda minute: 20 + minute}, "connections to the database grow from 33 to 47"),
        ({"redis_keys": lambda minute: 40 + 20 * minute}, "keys of Redis grow from 300 to 580"),
        ({"redis_bytes": lambda minute: 400_000 * minute}, "bytes of Redis grow from 5,200,000 to 10,800,000"),
        ({"waiting": lambda minute: 401 if minute == 17 else 3}, "401 messages waited in a queue of Redis"),
        (
            {"waits": lambda minute: {"intents": 61.0 if minute == 17 else 2.0}},
            "the oldest of intents was due for 61 s",
        ),
        (
            {"rows": lambda minute: {"payments_paymentintent": 180 * minute, "core_heartbeat": 20 * minute}},
            "core_heartbeat grows by 400 rows, though it has no row for a payment",
        ),
        (
            {"bytes": lambda minute: {"payments_paymentintent": 200_000 * minute, "core_heartbeat": 100_000 * minute}},
            "core_heartbeat grows by 2,000,000 bytes, though it has no row for a payment",
        ),
        (
            {"rows": lambda minute: {"payments_paymentintent": 6 * minute**2, "core_heartbeat": 6}},
            "payments_paymentintent grows by 3,000 rows for 1,800 payments, after 1,800 for 1,800",
        ),
        (
            {"bytes": lambda minute: {"payments_paymentintent": 40_000 * minute**2, "core_heartbeat": 65_536}},
            "payments_paymentintent grows by 20,000,000 bytes for 1,800 payments, after 12,000,000 for 1,800",
        ),
    ],
)
def test_each_growth_is_told_by_itself(figures: dict[str, Any], sentence: str) -> None:
    assert judge(run(**figures), BOUNDED) == [sentence]


def test_what_grows_while_it_warms_up_is_no_growth() -> None:
    assert judge(run(programs=lambda minute: web(own=100 + 10 * min(minute, 10))), BOUNDED) == []


def test_room_that_is_needed_once_is_no_leak_unless_it_is_much() -> None:
    assert judge(run(programs=lambda minute: web(own=200 + 40 * (minute > 22))), BOUNDED) == []
    much = judge(run(programs=lambda minute: web(own=200 + 60 * (minute > 22))), BOUNDED)
    assert much == ["memory of web grows at once, 200 to 260"]


def test_files_that_postgresql_keeps_open_are_its_own_affair() -> None:
    assert judge(run(programs=lambda minute: {"postgresql": web(files=80 * minute)["web"]}), BOUNDED) == []


def test_a_short_run_says_nothing_of_memory() -> None:
    leaks = run(programs=lambda minute: web(own=200 + 9 * minute))
    assert (judge(leaks[:10], BOUNDED), len(judge(leaks[:11], BOUNDED))) == ([], 1)


def test_one_step_up_is_no_trend() -> None:
    assert trend([1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 7, 90]) == 0
    assert trend([1, 2, 3, 4], [7, 7.5, 8, 8.5]) == 0.5


def test_a_table_that_keeps_what_is_past_its_retention_is_named() -> None:
    assert left(
        {"webhooks_event": 0, "merchants_requestrecord": 1_200, "payments_leg": 9},
        {
            "webhooks_event",
            "merchants_requestrecord",
        },
    ) == ["merchants_requestrecord keeps 1,200 rows past their retention"]


def test_three_looks_say_nothing() -> None:
    with pytest.raises(ValueError, match="3 samples say nothing"):
        judge(run()[:3], BOUNDED)
