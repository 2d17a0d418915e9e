"""Pages that may be a second old, read from a standby: whether it may be asked just now, and what to do where not.

Source: docs/operators.md, Reads from a standby; docs/adr/0090-what-may-be-a-second-old-is-read-from-a-standby.md.
"""

import logging
import math
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial, wraps
from itertools import islice
from threading import Lock
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.template.response import SimpleTemplateResponse

from core.clock import ticks
from core.replica import REPLICA, reading_from

Answer = TypeVar("Answer", bound=HttpResponseBase)
MAY_BE_BEHIND: Final = timedelta(seconds=1)
LOOK_STANDS_SECONDS: Final = 1.0
"""How long it is believed that the standby is no further behind. Why at all: each look asks both databases."""
LOOK_SECONDS: Final = 2.0
"""How long a look waits for the standby's answer."""
LOST_SECONDS: Final = 10.0
"""How long a standby that failed is not asked: whoever looks at one that hangs waits for it."""
OWN_WRITES_SECONDS: Final = 5
"""How long who changed something reads where it was written: longer than a standby in use can be behind."""
OWN_WRITES_COOKIE: Final = "own_writes"
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_WRITTEN = "SELECT pg_current_wal_lsn()::text, clock_timestamp()"
_HOLDS = """
SELECT pg_is_in_recovery() AND (
    pg_last_wal_replay_lsn() >= %s::pg_lsn OR pg_last_xact_replay_timestamp() >= %s::timestamptz
)
"""
_log = logging.getLogger(__name__)


class Standby:
    """What this process knows of the standby that ``REPLICA_DATABASE_URL`` names."""

    def __init__(self) -> None:
        self._looks = Lock()
        self.forget()

    def forget(self) -> None:
        """Know nothing yet, so that the next question looks."""
        self._is_current, self._stands_until, self._current_at = False, -math.inf, ticks()

    def may_be_asked(self) -> bool:
        """Whether there is one, and it held a second ago at most what the primary did.

        Why one thread looks and the others go by the last look: a standby that hangs must not hold them all.
        """
        if REPLICA not in settings.DATABASES:
            return False
        if ticks() >= self._stands_until and self._looks.acquire(blocking=False):
            try:
                self._note(is_current=_is_current())
            finally:
                self._looks.release()
        return self._is_current and ticks() < self._stands_until + LOOK_STANDS_SECONDS

    def is_lost(self) -> None:
        """It failed somebody just now, whose exception is handled: do not ask it for a while."""
        _log.warning("standby_failed: the primary is read", exc_info=True)
        self._note(is_current=None)

    def seconds_apart(self) -> float:
        """For how long it could not be asked, as far as this process looked."""
        return 0.0 if self.may_be_asked() else ticks() - self._current_at

    def _note(self, *, is_current: bool | None) -> None:
        """What somebody saw; None: it failed. That stands longer than that it is behind, which passes in a moment."""
        if self._is_current and not is_current:
            _log.warning("standby_%s: the primary is read", "lost" if is_current is None else "behind")
        moment = ticks()
        self._is_current = bool(is_current)
        self._stands_until = moment + (LOST_SECONDS if is_current is None else LOOK_STANDS_SECONDS)
        if is_current:
            self._current_at = moment


standby = Standby()
"""Of this process."""


def _is_current() -> bool | None:
    """Whether the standby holds all that is written now, or something that was written a second ago; None: it failed.

    Why both: where much is written there is always something under way, where nothing is the last write is long ago.
    Why never by its own clock: two machines' clocks differ, and it may have lost the primary without a word.
    """
    there: Any = connections[REPLICA]
    try:
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(_WRITTEN)
            [position, moment] = cursor.fetchone()
        with there.answering_within(LOOK_SECONDS), there.cursor() as cursor:
            cursor.execute(_HOLDS, [position, moment - MAY_BE_BEHIND])
            return bool(cursor.fetchone()[0])
    except Error:
        there.close()
        return None


def may_be_behind(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """The view, read from the standby where one may be asked; from the primary where that fails, or a person wrote.

    Only what the view itself reads: who looks, and what they may, was read before. What it writes or locks goes to
    the primary. A file of which lines were read already has to be asked for again, as where the primary is lost.
    """

    @wraps(view)
    def read(request: HttpRequest, *arguments: Any, **more: Any) -> Answer:
        wrote = OWN_WRITES_COOKIE in request.COOKIES
        if request.method not in SAFE_METHODS or wrote or not standby.may_be_asked():
            return view(request, *arguments, **more)
        try:
            with reading_from(REPLICA):
                response = view(request, *arguments, **more)
                if isinstance(response, SimpleTemplateResponse):
                    response.render()  # it would read when it is drawn
        except Error:
            standby.is_lost()
            return view(request, *arguments, **more)
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = _made_there(iter(response), lambda: view(request, *arguments, **more))
        return response

    return read


def _made_there(lines: Iterator[bytes], again: Callable[[], Any]) -> Iterator[bytes]:
    """The lines of a file, read when they are taken: another thread than the view's, with a connection of its own."""
    try:
        with reading_from(REPLICA):
            first = list(islice(lines, 2))  # the head asks nothing
    except Error:
        standby.is_lost()
        yield from again()
        return
    yield from first
    yield from iter(partial(_next_there, lines), None)


def _next_there(lines: Iterator[bytes]) -> bytes | None:
    """The next line. Why each by itself: whoever takes the lines does something else between them."""
    with reading_from(REPLICA):
        return next(lines, None)


def sees_own_writes(view: Any) -> Any:
    """The view of a site; whoever changed something there reads where it was written for a while."""

    @wraps(view)
    def marked(request: HttpRequest, *arguments: Any, **more: Any) -> Any:
        response = view(request, *arguments, **more)
        if REPLICA in settings.DATABASES and request.method not in SAFE_METHODS:
            response.set_cookie(
                OWN_WRITES_COOKIE,
                "1",
                max_age=OWN_WRITES_SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return marked
