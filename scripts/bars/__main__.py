"""Measures what the SDKs promise, prints the table, and fails where a bar is missed.

Usage: python -m scripts.bars [--only B1 B3 ...] [--write] [--reports FOLDER]
``--reports`` is where the suite that just ran these tests has its reports. ``--write`` puts the table between the
markers of docs/sdks.md. A bar is a module ``bNN_word`` with ``measure()``.
"""

import argparse
import importlib
import os
import pkgutil
import re
import sys
import traceback
from pathlib import Path

import scripts.bars
from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import believe

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "sdks.md"
BEGIN, END = "<!-- bars: written by make sdks-bars -->", "<!-- bars end -->"


def modules(only: list[str]) -> list[str]:
    """The names of the bars' modules, in order of their numbers; all, or those that are named."""
    wanted = {int(name.lstrip("Bb")) for name in only}
    found = [module.name for module in pkgutil.iter_modules(scripts.bars.__path__) if _number(module.name)]
    return sorted(
        (name for name in found if not wanted or _number(name) in wanted), key=lambda one: (_number(one), one)
    )


def _number(name: str) -> int:
    match = re.match(r"b(\d+)_", name)
    return int(match[1]) if match else 0


def table(figures: list[Figure]) -> str:
    """The figures as a table of Markdown."""
    head = "| Bar | What | Measured | Goal | |\n|---|---|---|---|---|\n"
    rows = [f"| {' | '.join(_cells(one))} |" for one in figures]
    return head + "\n".join(rows) + "\n"


def _cells(one: Figure) -> list[str]:
    values = [f"{text} {one.unit}".strip() for text in (one.value, one.goal)]
    return [one.bar, one.what, *values, "yes" if one.reached else "**no**"]


def write(text: str) -> None:
    """Put the table between the markers of the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def measured(name: str) -> list[Figure]:
    """A bar's figures; one that is missed where it cannot be measured, so that the others are all the same."""
    try:
        found: list[Figure] = importlib.import_module(f"scripts.bars.{name}").measure()
    except Exception:  # noqa: BLE001 - whatever it is, it is printed and the bar is missed
        traceback.print_exc()
        return [exactly(f"B{_number(name)}", "could not be measured", 1, 0, "")]
    return found


def main() -> int:
    """Measure. 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--reports", type=Path)
    asked = parser.parse_args()
    if asked.reports:
        believe(asked.reports)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    figures: list[Figure] = []
    for name in modules(asked.only):
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures += measured(name)
    print(table(figures))
    if asked.write:
        write(table(figures))
    return 0 if all(one.reached for one in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
