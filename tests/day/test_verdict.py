"""The operator's day misses no fault that is planted in what was written, kept or said; see `make operators-day`."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scripts.cluster.journal import AGAIN, ASKED, CREATED, FORGED, PAID, REFUSED, TOLD, Lines
from scripts.cluster.programs import ROOT
from scripts.day.account import Account, Kept, account, of_window
from scripts.day.rows import BY_NAME, ROWS
from scripts.day.verdict import Seen, line, misses
from tests.deploy.test_alerts import rules

Said = list[dict[str, Any]]
Plant = Callable[[Said, Kept], tuple[Said, Kept]]
SETTLED = "payment_intent.settled"
SAID: Said = [
    *({"at": at, "what": ASKED, "name": name} for at, name in ((1.0, "a"), (2.0, "b"), (9.0, "of after"))),
    *({"at": at, "what": CREATED, "id": f"i{name}", "name": name} for at, name in ((1.5, "a"), (4.0, "b"))),
    *({"at": at, "what": PAID, "id": f"i{name}", "name": name} for at, name in ((2.0, "a"), (5.0, "b"))),
    *({"at": at, "what": TOLD, "id": f"s{name}", "type": SETTLED, "about": f"i{name}"}
      for at, name in ((4.5, "a"), (9.5, "b"))),
    {"at": 4.25, "what": TOLD, "id": "ca", "type": "payment_intent.created", "about": "ia"},
]  # fmt: skip
KEPT = Kept(intents={"ia", "ib"}, events={"sa", "sb", "ca"}, settled={"ia": 4.0, "ib": 9.0})
OUTAGE, EXEMPT = BY_NAME["A"], BY_NAME["B"]
WELL = Seen(
    row=OUTAGE,
    held=25,
    account=Account(asked=2),
    named={"worker": 10.0},
    alerts={"CausewayProgramDead": 60.0},
    well=60.0,
)


def found(said: Said, kept: Kept) -> Account:
    return account(of_window(Lines(said), 0, 5), kept)


def missed(plant: Plant) -> list[str]:
    """What would be called missed."""
    return list(misses(replace(WELL, account=found(*plant(list(SAID), KEPT)))))


def without(what: str, name: str) -> Plant:
    return lambda said, kept: ([one for one in said if (one["what"], one.get("id")) != (what, name)], kept)


def also(**more: Any) -> Plant:
    return lambda said, kept: ([*said, more], kept)


def held(**other: Any) -> Plant:
    return lambda said, kept: (said, replace(kept, **other))


def test_a_row_in_which_all_is_well_is_counted_and_timed() -> None:
    counted = found(SAID, KEPT)
    assert (counted.asked, list(counted.settled), list(counted.told)) == (2, [2.0, 4.0], [0.5, 0.5])
    assert list(misses(replace(WELL, account=counted))) == []
    told = (
        "| A all workers, `kill -9` | 25 | 2 | 0 | 0 | 3.0 / 4.0 | 0.5 / 0.5 | 60.0 | `worker` 10 | "
        "`CausewayProgramDead` 60 |"
    )
    assert line(replace(WELL, account=counted)) == told


@pytest.mark.parametrize(
    ("plant", "miss"),
    [
        (also(at=3.0, what=ASKED, name="c"), "1 payments that nobody acknowledged"),
        (without(PAID, "ib"), "1 payments that nobody acknowledged"),
        (held(intents={"ia"}), "1 acknowledged payments that are gone"),
        (without(TOLD, "ca"), "1 events that were never booked"),
        (held(events={*KEPT.events, "one more"}), "1 events that were never booked"),
        (also(at=3.0, what=FORGED), "1 posts whose signature is wrong"),
        (also(at=30.0, what=TOLD, id="sa", type=SETTLED, about="ia"), "1 events that were booked twice"),
        (also(at=30.0, what=TOLD, id="sz", type=SETTLED, about="ia"), "1 payments booked as settled under two events"),
        (held(sent_twice=1), "1 movements of money sent twice"),
    ],
)
def test_a_planted_loss_or_double_is_missed_by_its_name(plant: Plant, miss: str) -> None:
    assert missed(plant) == [f"A: {miss}"]


def test_a_settlement_that_was_never_booked_is_missed() -> None:
    assert missed(without(TOLD, "sb")) == [
        "A: 1 payments whose settlement was never booked", "A: 1 events that were never booked",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "plant",
    [
        also(at=3.0, what=AGAIN, id="sa"),  # receivers bear it. Source: docs/adr/0003
        also(at=3.0, what=REFUSED, status=503, path="/payment-intents"),  # it was sent again
        also(at=3.0, what=TOLD, id="x", type="payout.paid", about="a payout"),
    ],
)
def test_what_a_merchant_bears_is_no_miss(plant: Plant) -> None:
    assert missed(plant) == []


@pytest.mark.parametrize(
    ("other", "miss"),
    [
        ({"account": Account(asked=0)}, "nobody asked for a payment, so this proves nothing"),
        ({"well": None}, "not well 60 s after what was broken is back"),
        ({"well": 60.5}, "not well 60 s after what was broken is back"),
        ({"ended": "a program ended"}, "a program ended"),
    ],
)
@pytest.mark.parametrize("row", [OUTAGE, EXEMPT])
def test_what_no_row_may_show_is_missed(row: Any, other: dict[str, Any], miss: str) -> None:
    assert list(misses(replace(WELL, row=row, **other))) == [f"{row.name}: {miss}"]


@pytest.mark.parametrize(
    ("other", "miss"),
    [
        ({"named": {}}, "readiness named none of worker within 10 s"),
        ({"named": {"worker": 10.5, "beat": 1.0}}, "readiness named none of worker within 10 s"),
        ({"alerts": {}}, "none of CausewayProgramDead fired within 60 s"),
        ({"alerts": {"CausewayProgramDead": 60.5}}, "none of CausewayProgramDead fired within 60 s"),
        ({"alerts": {"CausewayErrors": 5.0}}, "none of CausewayProgramDead fired within 60 s"),
    ],
)
def test_an_outage_that_is_not_named_in_time_is_missed_unless_it_is_none(other: dict[str, Any], miss: str) -> None:
    assert list(misses(replace(WELL, **other))) == [f"A: {miss}"]
    assert list(misses(replace(WELL, row=EXEMPT, **other))) == []


def test_each_row_names_a_check_and_an_alert_that_exist_or_why_none() -> None:
    alerts = {rule["alert"] for rule in rules()}
    for row in ROWS:
        assert bool(row.exempt) != bool(row.named and row.alerts), row.name
        assert row.alerts <= alerts, row.name
    assert len(BY_NAME) == len(ROWS) == 18  # noqa: PLR2004 - as many as the table of docs/operators-day.md


def test_the_page_has_a_line_for_each_row() -> None:
    page = (ROOT / "docs" / "operators-day.md").read_text()
    section = page.partition("\n## Rows\n")[2].partition("\n## ")[0]
    assert [row.name for row in ROWS] == re.findall(r"^\| ([A-Z0-9]+) ", section, re.MULTILINE)
    assert [sorted({*row.named, *row.alerts}) for row in ROWS if not row.exempt] == [
        sorted(re.findall(r"\| `([\w.]+)`", told)) for told in section.splitlines() if "`Causeway" in told
    ]
