"""What the callers were answered and told, line by line: the load writes it, the proof reads it."""

import json
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

ASKED: Final = "asked"
"""A payment was asked for the first time: ``name``, by which ``created`` and ``paid`` of the day tell of it, too."""
CREATED: Final = "created"
"""An intent was acknowledged: ``id``."""
PAID: Final = "paid"
"""Its payer paid it: ``id``. What a test-mode payment begins; in live mode, what was sent to the chain."""
REFUNDED: Final = "refunded"
"""A refund of it was acknowledged: ``id`` of the intent, ``refund``."""
REFUSED: Final = "refused"
"""A request got no success: ``status``, 0 where nothing was answered at all. It is sent again under the same key."""
TOLD: Final = "told"
"""An event was delivered: ``id`` of the event, ``type``, ``about`` which object."""
AGAIN: Final = "again"
"""A receiver that keeps a book was told what stands in it already: ``id`` of the event."""
FORGED: Final = "forged"
"""A receiver that verifies refused a post."""
LIVE_SENT: Final = "live_sent"
"""A payer's transaction stands in a block of the chain, and nobody told the service: ``id`` of the intent."""
LIVE_SETTLED: Final = "live_settled"
"""And the service says that it settled: ``id`` of the intent."""
QUIET: Final = "quiet"
"""All callers ended, and nothing of theirs is under way."""


class Journal:
    """A file that several threads add lines to, each with the moment it was added at.

    Why opened for each: nobody has to close it, and there are some ten lines a second.
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        self._path = path
        self._lock = threading.Lock()

    def add(self, what: str, **more: Any) -> None:
        """Write down what just happened."""
        line = json.dumps({"at": time.time(), "what": what, **more})
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


class Lines:
    """Some lines of a journal."""

    def __init__(self, lines: Iterable[dict[str, Any]] = ()) -> None:
        self.lines = list(lines)

    def of(self, what: str, *, since: float = 0, until: float = float("inf")) -> Iterator[dict[str, Any]]:
        """The lines of one kind between two moments."""
        return (line for line in self.lines if line["what"] == what and since <= line["at"] < until)


class Reading(Lines):
    """What a journal holds so far; asked again, it goes on where it stood."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path, self._position = path, 0

    def refresh(self) -> None:
        """Read what was added meanwhile, whole lines alone."""
        with self._path.open("rb") as file:
            file.seek(self._position)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._position += len(whole)
        self.lines += [json.loads(line) for line in whole.splitlines()]
