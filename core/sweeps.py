"""A sweep: what is due of one kind of row is taken by lease, advanced one by one, and given back when the time is over.

The row is the queue. Any number of workers may sweep; one that dies merely delays what it had taken. One that only lost
its database remembers what it was at, and gives it back as soon as it is answered again.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from django.db import InterfaceError, OperationalError, connection, connections, models, transaction
from django.db.models import Q

from core.clock import now
from core.leases import give_back

Key = TypeVar("Key")


class Claim(NamedTuple, Generic[Key]):
    """A worker's right to a row. Why the moment: whoever moves the row on meanwhile takes the right away."""

    key: Key
    until: datetime


@dataclass(frozen=True, kw_only=True)
class Sweep(Generic[Key]):
    """What is due of a model, and what is done for each row of it.

    ``take``: the keys of a batch, claimed until a moment, as ``core.leases.take_due`` does. ``advance``: done with no
    transaction open; that one row's failure must not hold up the others, so it is logged, and its lease brings it back.
    ``column`` says when a row is due and ``listed`` where an index lists it, as ``take_due`` has it; ``planned`` says
    which rows wait for their own time and for no worker's lease to end.
    """

    model: type[models.Model]
    take: Callable[[datetime], Sequence[Key]]
    advance: Callable[[Claim[Key]], object]
    lease: timedelta
    column: str = "next_attempt_at"
    listed: str = ""
    planned: Q = Q(pk=None)
    _cut_off: "deque[Claim[Key]]" = field(default_factory=deque, init=False, repr=False, compare=False)

    def run(self, is_over: Callable[[], bool], *, hands: int = 1) -> int:
        """Advance what is due, batch by batch, until the time is over or nothing is due; returns how many rows.

        ``hands``: so many threads at most, each with a database connection of its own, so that one waits for a node
        while another works. With one hand nothing leaves the caller's thread: SQLite has one writer.
        """
        self._return_cut_off()
        pile = _Pile(self.claim, is_over)
        if not pile.left:
            return 0
        helpers = min(hands, len(pile.left)) - 1
        if helpers < 1:
            self._work_off(pile)
        else:
            with ThreadPoolExecutor(max_workers=helpers, thread_name_prefix="hands") as pool:
                begun = [pool.submit(copy_context().run, self._help, pile) for _ in range(helpers)]
                self._work_off(pile)
            for helper in begun:
                helper.result()
        if pile.left:
            self._give_back(list(pile.left))
        return pile.taken

    def claim(self) -> list[Claim[Key]]:
        """Take a batch of what is due for as long as the lease runs."""
        until = now() + self.lease
        with transaction.atomic():
            return [Claim(key, until) for key in self.take(until)]

    def take_over(self) -> None:
        """Make due now what another worker may have claimed. Only for one that knows itself to be alone."""
        claimed = {f"{self.column}__gt": now(), f"{self.column}__lte": now() + self.lease}
        if self.listed:
            claimed[f"{self.listed}__lte"] = now()
        self.model._default_manager.filter(**claimed).exclude(self.planned).update(**{self.column: now()})

    def _give_back(self, unbegun: Sequence[Claim[Key]]) -> None:
        """Those alone that nobody moved on meanwhile."""
        same = {"pk__in": [one.key for one in unbegun], f"{self.column}__in": {one.until for one in unbegun}}
        give_back(self.model._default_manager.filter(**same), column=self.column, listed=self.listed)

    def _return_cut_off(self) -> None:
        """Why not left to their leases: half a minute is long for a payment whose database was away for a second."""
        claims = [self._cut_off.popleft() for _ in range(len(self._cut_off))]
        if not claims:
            return
        try:
            self._give_back(claims)
        except (InterfaceError, OperationalError):
            self._cut_off.extend(claims)
            raise

    def _work_off(self, pile: "_Pile[Key]") -> None:
        while claims := pile.take():
            self._advance_safely(*claims)

    def _advance_safely(self, claim: Claim[Key]) -> None:
        try:
            self.advance(claim)
        except Exception as error:
            if isinstance(error, (InterfaceError, OperationalError)) and not connection.is_usable():
                self._cut_off.append(claim)
                connection.close()  # so that the rest of the batch asks over another one
            logger = logging.getLogger(f"causeway.{self.model._meta.app_label}")
            logger.exception("could not advance %s %s", self.model._meta.verbose_name, claim.key)

    def _help(self, pile: "_Pile[Key]") -> None:
        """Why connections are closed: a thread's own would stay open for ever."""
        try:
            self._work_off(pile)
        finally:
            connections.close_all()


class _Pile(Generic[Key]):
    """What is claimed and not begun. Any hand takes from it, and claims more where nothing is left."""

    def __init__(self, claim: Callable[[], list[Claim[Key]]], is_over: Callable[[], bool]) -> None:
        self._claim, self._is_over = claim, is_over
        self._lock = threading.Lock()
        self.left: deque[Claim[Key]] = deque(claim())
        self.taken = 0

    def take(self) -> list[Claim[Key]]:
        """One; none where nothing is due, or the time is over and one was begun."""
        with self._lock:
            if self.taken and self._is_over():
                return []
            if not self.left:
                self.left.extend(self._claim())
            if not self.left:
                return []
            self.taken += 1
            return [self.left.popleft()]
