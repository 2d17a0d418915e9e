"""What happens to one payment as spans of one trace, whichever process does it. Off unless a collector is named.

The row is the queue, and so no message could carry a trace from process to process. Nothing has to: a trace's number
follows from the id of the row that it tells of, and that of an event's span from the event's.
Source: docs/adr/0097.
"""

import logging
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Unpack
from uuid import UUID

from core.trace_places import Attributes, Facts, Place

if TYPE_CHECKING:
    from core.trace_sender import OpenSpan, Sender

logger = logging.getLogger("causeway.traces")


class Traces:
    """Of this process. Where ``is_on`` is false nothing is done, nothing imported, and nothing else must be called."""

    def __init__(self) -> None:
        self.is_on = False
        self._program = ""
        self._sender: Sender | None = None
        self._lock = Lock()

    def begin(self, program: str) -> None:
        """Send spans from now on, as one of the programs of the deployment. What sends begins with the first span.

        Why then: programs begin before they fork.
        """
        try:
            import core.trace_sender  # noqa: F401, PLC0415  Why here: it loads slowly, and only where there are traces.
        except ImportError:
            logger.warning("No traces: OpenTelemetry is not installed: pip install -r requirements/traces.txt")
            return
        self._program, self.is_on = program, True

    def end(self) -> None:
        """Send what waits, for a moment at most, and then nothing any more."""
        self.is_on = False
        with self._lock:
            sender, self._sender = self._sender, None
        if sender is not None:
            sender.end()

    @property
    def sender(self) -> "Sender | None":
        """What sends; None where it cannot be, after which nothing is traced. Raises nothing."""
        with self._lock:
            if self._sender is None and self.is_on:
                try:
                    self._sender = self._begun()
                except Exception:
                    self.is_on = False
                    logger.exception("No traces: what the environment says of them cannot be used")
            return self._sender

    def _begun(self) -> "Sender":
        from core.trace_sender import Sender  # noqa: PLC0415  Why: as above.

        return Sender(self._program)

    def span(self, name: str, subject: UUID, **facts: Unpack[Attributes]) -> AbstractContextManager[object]:
        """The block as a span: under the one that is open in this thread, else right under the row's first.

        An exception that leaves the block is named, not quoted, and goes on.
        """
        sender = self.sender if self.is_on else None
        if sender is None:
            return nullcontext()
        known: Facts = {"subject": subject, **facts}
        return sender.span(name, subject, known)

    def happened(self, what: str, status: str) -> None:
        """Note a moment of the span that is open in this thread, if any."""
        if (sender := self._sender) is not None:
            sender.happened(what, status)

    def current(self) -> str:
        """The trace of the span that is open in this thread, as collectors write its number; nothing where none is.

        Why nothing begins here: what begins may log, and each line of the log asks this.
        """
        sender = self._sender
        return "" if sender is None else sender.current()

    def was(
        self, name: str, place: Place | None, began: datetime, ended: datetime, link: str = "", **facts: Unpack[Facts]
    ) -> None:
        """A span that is over, under the first span of its subject, or that span itself.

        ``place``: where it stands, if others are to stand under it. ``link``: a ``traceparent`` that asked for it.
        """
        with suppress(Exception):
            if self.is_on and (sender := self.sender) is not None:
                sender.was(name, place, (began, ended), link, facts)

    def post(self, name: str, above: Place, **facts: Unpack[Facts]) -> "OpenSpan | None":
        """A span that its holder ends, of a request to somebody else."""
        sender = self.sender if self.is_on else None
        return None if sender is None else sender.open(name, above, facts)


traces = Traces()
"""Of this process."""
