"""Tables as CSV that a spreadsheet may open: streamed, and with no cell that it would calculate."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from django.http import StreamingHttpResponse

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Also their full-width forms, which some spreadsheets read alike. Source: OWASP, CSV Injection."""


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def safe_cell(value: object) -> str:
    """A cell's text. What a spreadsheet would take for a formula begins with an apostrophe."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The table's lines, one at a time, so that its length costs no memory."""
    writer = csv.writer(_Line())
    yield writer.writerow(head)
    for row in rows:
        yield writer.writerow([safe_cell(value) for value in row])


def csv_answer(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """An answer that a browser saves as a file. ``name`` is ours, never a caller's."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(csv_lines(head, rows), content_type="text/csv; charset=utf-8", headers=headers)
