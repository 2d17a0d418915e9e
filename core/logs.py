"""One line per log record, with the request's name, and without credentials."""

import logging
import re

from core.request_id import current_request_id

_CREDENTIALS = re.compile(
    r"(?:sk|pk|rk)_(?:test|live)_\w{4,}"
    r"|whsec_\w{4,}"
    r"|(?i:bearer|basic)\s+[\w.~+/-]{8,}=*"
    r"|(?<=://)[^\s:/@]*:[^\s/@]+(?=@)"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


READINESS_PATH = "/api/public/health/ready"


def is_no_readiness_answer(record: logging.LogRecord) -> bool:
    """False for the record that readiness was answered with 503. Why: it is asked again and again while all starts up,
    and the answer itself says what is not there yet.
    """
    request = getattr(record, "request", None)
    return getattr(request, "path", "") != READINESS_PATH


class LineFormatter(logging.Formatter):
    """Time, level, logger, text, request."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The line on one line. Why: a caller's text with line breaks could pretend to be other records."""
        line = _CONTROL.sub(lambda found: repr(found[0])[1:-1], super().formatMessage(record))
        name = current_request_id()
        return f"{line} [{name}]" if name else line

    def format(self, record: logging.LogRecord) -> str:
        """The line and its traceback, if any, with everything that looks like a credential replaced."""
        return _CREDENTIALS.sub("[credential]", super().format(record))
