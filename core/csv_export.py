"""Tables as CSV that a spreadsheet may open: streamed, and with no cell that it would calculate."""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

from django.http import StreamingHttpResponse

from core.clock import ticks
from core.errors import RateLimited

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Also their full-width forms, which some spreadsheets read alike.
Source: https://owasp.org/www-community/attacks/CSV_Injection."""

MOST_ROWS: Final = 250_000
RETRY_SECONDS: Final = 10
FORGOTTEN_SECONDS: Final = 300
"""After so long a file counts as given up, whatever became of it."""
_begun: dict[int, float] = {}
"""When each person's file was begun."""
_lock = Lock()
_STILL_WRITTEN = "The file that you asked for before is still being written. Ask for this one when it is there."


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def safe_cell(value: object) -> str:
    """A cell's text. What a spreadsheet would take for a formula begins with an apostrophe."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The table's lines, one at a time, so that its length costs no memory; no more than ``MOST_ROWS``."""
    writer = csv.writer(_Line())
    yield writer.writerow(head)
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield writer.writerow([f"Only the first {MOST_ROWS} lines are here. Narrow the question for the others."])
            return
        yield writer.writerow([safe_cell(value) for value in row])


def forget_begun() -> None:
    """Nobody's file is being written. For tests, and for a process that begins."""
    with _lock:
        _begun.clear()


class _OneOfAPerson:
    """The lines of a file, of which each person has one at a time in a process."""

    def __init__(self, lines: Iterator[str], whose: int) -> None:
        self._lines, self._whose = lines, whose
        with _lock:
            if ticks() - _begun.get(whose, -math.inf) < FORGOTTEN_SECONDS:
                raise RateLimited(_STILL_WRITTEN, headers={"Retry-After": str(RETRY_SECONDS)})
            _begun[whose] = ticks()

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._lines
        finally:
            self.close()

    def close(self) -> None:
        """The file is written, or nobody wants it any more."""
        with _lock:
            _begun.pop(self._whose, None)


def csv_answer(
    name: str, head: Sequence[str], rows: Iterable[Sequence[object]], *, whose: int
) -> StreamingHttpResponse:
    """An answer that a browser saves as a file. ``name`` is ours, never a caller's; ``whose`` is the person's key.

    Raises: RateLimited while another file of this person is written. Why: others wait for theirs meanwhile.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    lines = _OneOfAPerson(csv_lines(head, rows), whose)
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
