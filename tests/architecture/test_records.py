"""Decision records: each says in the same form what it is and since when, and their index names every one."""

import re
from collections.abc import Iterable
from pathlib import Path

from tests.architecture.source import ROOT

RECORDS = ROOT / "docs" / "adr"
HEAD = re.compile(r"# (?P<number>\d+)[.:] (?P<title>.+)\n\nStatus: accepted, (?P<day>20\d\d-\d\d-\d\d)\..*\n")
"""The title, a blank line, and the status with its day; what a record replaces or completes may follow on that line."""


def records() -> dict[str, str]:
    """The text of every record, by the name of its file."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(RECORDS.glob("[0-9]*.md"))}


def without_status(texts: Iterable[tuple[str, str]]) -> list[str]:
    """The records that do not begin as all do, or under another number than that of their file."""
    heads = [(name, HEAD.match(text)) for name, text in texts]
    return [name for name, head in heads if head is None or int(head["number"]) != int(name.split("-")[0])]


def index_lines(texts: Iterable[tuple[str, str]]) -> list[str]:
    """What the index must say of these records, a line each."""
    heads = [(name, HEAD.match(text)) for name, text in texts]
    return [f"- {int(head['number'])}. [{head['title']}]({name}), {head['day']}" for name, head in heads if head]


def listed(index: Path) -> list[str]:
    return [line for line in index.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]


def test_every_record_has_its_status_and_its_day() -> None:
    assert records()
    assert without_status(records().items()) == []


def test_the_index_names_every_record() -> None:
    assert listed(RECORDS / "README.md") == index_lines(records().items())


def test_planted_records_are_noticed() -> None:
    planted = {
        "0001-bare.md": "# 1. Bare\n\n**Context.** None.\n",
        "0002-undated.md": "# 2. Undated\n\nStatus: accepted\n",
        "0003-foreign.md": "# 4. Foreign\n\nStatus: accepted, 2026-11-24.\n",
        "0005-honest.md": "# 0005: Honest\n\nStatus: accepted, 2026-11-24. Completes ADR 3.\n",
    }
    assert without_status(planted.items()) == ["0001-bare.md", "0002-undated.md", "0003-foreign.md"]
    assert index_lines(planted.items())[-1] == "- 5. [Honest](0005-honest.md), 2026-11-24"
