"""Waiting for a status, without I/O: when to look again, and when to stop."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from causeway_sdk._core import retry_after
from causeway_sdk._errors import UnexpectedStatusError, WaitTimeoutError

OVER = frozenset({"settled", "failed", "expired", "cancelled", "refunded", "paid"})
"""Statuses of payment intents, refunds and payouts in which nothing more is done by itself."""
LONGEST_HOLD = 25
"""Seconds that the service holds a question at most."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 5.0
REST = 1.0
"""Seconds from one held question to the next at least. A service where enough others wait answers at once."""
now = time.monotonic
"""Named here so that a test can stop the clock."""


class Waiting:
    """One wait. ``holds``: the service itself waits for a change, so nothing is paused here."""

    def __init__(self, until: str | Collection[str] | None, timeout: float, *, holds: bool) -> None:
        self._wanted = OVER if until is None else frozenset({until} if isinstance(until, str) else until)
        self._asked = now()
        self._ends, self._timeout, self._holds, self._pause = self._asked + timeout, timeout, holds, _FIRST_PAUSE

    def hold(self) -> int | None:
        """How many seconds the service is asked to hold the question that is asked now."""
        self._asked = now()
        return max(0, min(LONGEST_HOLD, int(self._ends - self._asked))) if self._holds else None

    def pause_after(self, resource: Any) -> float | None:
        """How many seconds to pause before the next look; None where it is as wanted.

        Raises: UnexpectedStatusError, WaitTimeoutError.
        """
        status = resource.status
        if status in self._wanted:
            return None
        name = f"{type(resource).__name__} {resource.to_dict().get('id')}"
        if status in OVER:
            raise UnexpectedStatusError(f"{name} ended as {status}.", resource)
        left = self._ends - now()
        if left <= 0:
            raise WaitTimeoutError(f"{name} is still {status} after {self._timeout:g} seconds.", resource)
        hinted = retry_after(resource.raw) if resource.raw else None
        pause, self._pause = self._pause, min(self._pause * 1.5, _LONGEST_PAUSE)
        if hinted is None and self._holds:
            return min(left, rest_since(self._asked))
        return min(left, pause if hinted is None else hinted)


def rest_since(asked: float) -> float:
    """How many seconds to rest after a question that the service could have held, and was asked then."""
    return max(0.0, REST - (now() - asked))
