"""One line per log record, with the request's name, and without credentials."""

import logging
import re
from collections.abc import Iterable

from core import clock
from core.redaction import Redaction
from core.repeats import is_outage, root_of
from core.request_id import current_request_id
from core.traces import traces

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
LONGEST_LINE = 16_000
"""Units: characters. Why: what reads logs cuts longer lines into several, or drops them."""
READINESS_PATH = "/api/public/health/ready"


def is_no_readiness_answer(record: logging.LogRecord) -> bool:
    """False for the record that readiness was answered with 503. Why: it is asked again and again while all starts up,
    and the answer itself says what is not there yet.
    """
    request = getattr(record, "request", None)
    return getattr(request, "path", "") != READINESS_PATH


def is_not_played(_record: logging.LogRecord) -> bool:
    """False for what a replay says. Why: it would call operators to a payment that was never there."""
    return not clock.is_set()


class LineFormatter(logging.Formatter):
    """Time, level, logger, text, error, request.

    ``secrets``: this service's own, replaced wherever they stand. ``folds``: a traceback goes into the same line, for
    programs that read lines; else it follows as it is, for a person at a terminal.
    """

    def __init__(self, secrets: Iterable[str] = (), *, folds: bool = True) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._redacted, self._folds = Redaction(secrets), folds

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The line on one line. Why: a caller's text with line breaks could pretend to be other records."""
        line = _on_one_line(super().formatMessage(record))
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_outage(root := root_of(error)) and (what := str(root).strip()) not in line:
            line = f"{line}: {type(error).__name__}: {_on_one_line(what)}"
        if left_out := getattr(record, "left_out", 0):
            line = f"{line} (and {left_out} more since the last such line)"
        name = current_request_id()
        if traces.is_on and (trace := traces.current()):
            name = f"{name} trace={trace}".lstrip()
        return f"{line} [{name}]" if name else line

    def formatException(self, ei: object) -> str:  # noqa: N802 - the library's name
        """The traceback; none of an outage, where it would say where the outage was noticed."""
        error = ei[1] if isinstance(ei, tuple) else None
        return "" if error is not None and is_outage(root_of(error)) else super().formatException(ei)  # type: ignore[arg-type]  # as the library calls it

    def format(self, record: logging.LogRecord) -> str:
        """The line and its traceback, if any, with everything that looks like a credential replaced."""
        record.exc_text = None  # another handler's form of it
        text = self._redacted(super().format(record)).rstrip()
        record.exc_text = None
        return _on_one_line(text)[:LONGEST_LINE] if self._folds else text


def _on_one_line(text: str) -> str:
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
