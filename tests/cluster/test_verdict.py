"""The proof of the production form misses no fault that is planted in what callers wrote down, or in the rows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.cluster.books import Rows, judge
from scripts.cluster.journal import CREATED, LIVE_SENT, LIVE_SETTLED, PAID, REFUNDED, REFUSED, TOLD
from scripts.cluster.losses import Outage, outage_of
from scripts.cluster.proof import ROLLED, misses, row
from tests.cluster.recorded import journal_of

BEGUN, ENDED = 0.0, 40.0
Lines = list[dict[str, Any]]
Plant = Callable[[Lines, Rows], tuple[Lines, Rows]]

LINES: Lines = [
    *({"at": float(at), "what": CREATED, "id": name} for at, name in ((1, "a"), (15, "b"), (30, "c"))),
    {"at": 2.0, "what": PAID, "id": "a"},
    *({"at": float(at), "what": TOLD, "id": f"created-{name}", "type": "payment_intent.created", "about": name}
      for at, name in ((1, "a"), (15, "b"), (30, "c"))),
    {"at": 20.0, "what": TOLD, "id": "settled-a", "type": "payment_intent.settled", "about": "a"},
    {"at": 21.0, "what": REFUNDED, "id": "a", "refund": "r"},
    {"at": 12.0, "what": LIVE_SENT, "id": "l"},
    {"at": 18.0, "what": LIVE_SETTLED, "id": "l"},
]  # fmt: skip
ROWS = Rows(
    intents={"a", "b", "c"},
    refunds={"r"},
    events={"created-a", "created-b", "created-c", "settled-a"},
    settled_live={"l"},
    moved=1,
    sent_twice=0,
)


def found(folder: Path, lines: Lines, rows: Rows, name: str = "a part", *, lost: int = 0) -> list[str]:
    """What the proof would call missed."""
    journal = journal_of(folder, *lines)
    journal.refresh()
    outage = replace(outage_of(journal, name, BEGUN, ENDED), lost=lost)
    return misses([outage], judge(journal, rows))


def without(what: str, name: str) -> Plant:
    return lambda lines, rows: ([one for one in lines if (one["what"], one["id"]) != (what, name)], rows)


def also(**line: Any) -> Plant:
    return lambda lines, rows: ([*lines, line], rows)


def kept(**other: Any) -> Plant:
    return lambda lines, rows: (lines, replace(rows, **other))


@pytest.mark.parametrize("name", ["a part", ROLLED])
def test_nothing_is_missed_where_all_is_well(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, LINES, ROWS, name) == []


@pytest.mark.parametrize(
    ("plant", "miss"),
    [
        (kept(intents={"a", "c"}), "1 acknowledged creates that are gone"),
        (kept(refunds=set()), "1 acknowledged refunds that are gone"),
        (without(TOLD, "created-b"), "1 events that were never delivered"),
        (kept(events=ROWS.events | {"of nobody we asked"}), "1 events that were never delivered"),
        (
            also(at=25.0, what=TOLD, id="settled-again", type="payment_intent.settled", about="a"),
            "1 payments told as settled under two events",
        ),
        (also(at=3.0, what=PAID, id="b"), "1 payments whose settlement was never told"),
        (kept(moved=2), "1 movements of money sent twice"),
        (kept(sent_twice=1), "1 movements of money sent twice"),
        (kept(moved=0), "1 refunds whose money was never sent"),
        (kept(settled_live=set()), "1 live payments in a block that did not settle once, in full"),
    ],
)
def test_a_planted_fault_is_missed_by_its_name(tmp_path: Path, plant: Plant, miss: str) -> None:
    assert found(tmp_path, *plant(list(LINES), ROWS)) == [miss]


@pytest.mark.parametrize("status", [0, 400, 502, 503])
def test_a_request_that_was_refused_is_a_miss_of_the_rolling_alone(tmp_path: Path, status: int) -> None:
    """Elsewhere it is sent again, and counted."""
    lines = [*LINES, {"at": 10.0, "what": REFUSED, "status": status, "path": "/payment-intents"}]
    assert found(tmp_path, lines, ROWS) == []
    assert found(tmp_path, lines, ROWS, ROLLED) == ["1 refused requests: rolling restart"]


@pytest.mark.parametrize("what", [CREATED, TOLD])
def test_whatever_comes_back_too_late_is_a_miss(tmp_path: Path, what: str) -> None:
    """Each of what callers wait for, thirty seconds after the loss."""
    lines = [one if one["what"] != what else one | {"at": max(one["at"], 30.5)} for one in LINES]
    assert found(tmp_path, lines, ROWS) == ["30.5 s until all was as before: a part"]


def test_what_is_gone_after_one_loss_is_a_miss_of_that_one(tmp_path: Path) -> None:
    assert found(tmp_path, LINES, ROWS, lost=2) == ["2 acknowledged creates that are gone after: a part"]


def test_what_is_told_again_under_the_same_event_is_none(tmp_path: Path) -> None:
    """Receivers bear it. Source: docs/adr/0003."""
    again = {"at": 26.0, "what": TOLD, "id": "settled-a", "type": "payment_intent.settled", "about": "a"}
    assert found(tmp_path, [*LINES, again], ROWS) == []


def test_a_line_of_the_table_names_every_figure() -> None:
    outage = Outage(
        name="a part", unanswered=1.25, unsettled=31, live_unsettled=6, live_settled=2, live=5.5,
        requests=40, refused=3, statuses={0: 1, 503: 2}, lost=1,
    )  # fmt: skip
    told = "| a part | 1.2 | 31.0 **over 30** | 6.0 | 2 in 5.5 at most | 40 | 3 (1 x no answer, 2 x 503) | 1 |"
    assert row(outage) == told
