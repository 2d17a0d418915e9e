"""Journals as callers would have written them."""

import json
from pathlib import Path
from typing import Any

from scripts.cluster.journal import Reading


def journal_of(folder: Path, *lines: dict[str, Any], rest: str = "") -> Reading:
    """A journal that holds these lines, and the rest as it is."""
    path = folder / "journal"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + rest)
    return Reading(path)
