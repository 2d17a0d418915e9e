"""docs/reach.md, read back: which roles stand in a cell."""

import re

from config.reach_page import NOTHING, PAGE

PEOPLE, KEYS, AGENTS = "people", "keys", "agents"


def cells(who: str) -> dict[tuple[str, str], set[str]]:
    """The roles of each scope and mode; no entry where nothing is to be reached."""
    table = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    heads, rows = table[0], table[1:]
    found = {}
    for row in rows:
        for mode in ("test", "live"):
            told = row[heads.index(who if who == PEOPLE else f"{who}, {mode}")]
            if told != NOTHING:
                found[re.sub("`", "", row[0]), mode] = set(told.split(", "))
    return found
