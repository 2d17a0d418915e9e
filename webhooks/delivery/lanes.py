"""How many deliveries an endpoint may hold at once: pure, so that fairness can be tested without a network.

A quick receiver is given more and more; a slow one only so many that it holds few places; one that hangs holds
a single place, and all slow ones together a part of what there is. So a hanging receiver costs the others nothing.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

FIRST_WINDOW = 4
LARGEST_WINDOW = 100
CONNECTIONS = 16
"""Requests under way to one endpoint, however quick it is."""
QUICK_SECONDS = 1.0
SLOW_PLACES = 8
"""A slow endpoint holds about this many places divided by the seconds it takes."""
SLOW_TOGETHER = 100
"""What all slow endpoints hold at once. Why: hundreds that hang must leave places for those that answer."""
BEGINNING = UUID(int=0)
"""Where a round of all endpoints begins: none has this id."""


class Load(Protocol):
    """Anything on its way to an endpoint."""

    @property
    def endpoint_id(self) -> UUID:
        """Where it goes."""


class Waiting(NamedTuple):
    """An endpoint with something due, counted no further than ``FIRST_WINDOW``.

    ``places`` is what the last that found it slow would let it hold; None where nobody did.
    """

    endpoint_id: UUID
    merchant_id: int
    places: int | None
    due: int


Item = TypeVar("Item", bound=Load)


class _Lane(Generic[Item]):
    def __init__(self, places: int | None) -> None:
        self.places = places
        self.window = places or FIRST_WINDOW
        self.under_way = 0
        self.waiting: deque[Item] = deque()
        self.served = 0

    @property
    def held(self) -> int:
        return self.under_way + len(self.waiting)

    @property
    def room(self) -> int:
        """None where more than half is held. Why half: claiming a few rows costs as much as claiming many."""
        return self.window - self.held if self.held <= self.window // 2 else 0

    @property
    def is_slow(self) -> bool:
        return self.window < FIRST_WINDOW


class Lanes(Generic[Item]):
    """One lane per endpoint, made when first used and forgotten with the drain, but for what ``learnt`` tells.

    ``after`` is the endpoint after which the next look for what is due begins.
    """

    def __init__(self, after: UUID = BEGINNING) -> None:
        self._lanes: dict[UUID, _Lane[Item]] = {}
        self._learnt: dict[UUID, int | None] = {}
        self._deals = 0
        self.after = after
        self.held = 0

    def has_room(self, one: Waiting) -> bool:
        """Whether anything more should be claimed for an endpoint now."""
        return one.endpoint_id not in self._lanes or self._lanes[one.endpoint_id].room > 0

    def deal(self, waiting: Iterable[Waiting], most: int) -> dict[UUID, int]:
        """How many deliveries each of these endpoints may be given now, so many in all at most.

        One by one: to each merchant in turn, and of a merchant to each endpoint in turn, first to those whose last
        turn is longest ago.
        """
        self._deals += 1
        waiting = [one for one in waiting if self._lane(one.endpoint_id, one.places).room > 0]
        slow = [one for one in waiting if self._lane(one.endpoint_id).is_slow]
        slow_held = sum(lane.held for lane in self._lanes.values() if lane.is_slow)
        given = self._dealt(slow, min(most, SLOW_TOGETHER - slow_held))
        quick = [one for one in waiting if not self._lane(one.endpoint_id).is_slow]
        return given | self._dealt(quick, most - sum(given.values()))

    def add(self, load: Item) -> None:
        """Queue one in its lane."""
        self._lane(load.endpoint_id).waiting.append(load)
        self.held += 1

    def startable(self, endpoint_id: UUID) -> Iterator[Item]:
        """Take from one lane what may start now."""
        lane = self._lane(endpoint_id)
        while lane.waiting and lane.under_way < CONNECTIONS:
            lane.under_way += 1
            yield lane.waiting.popleft()

    def ended(self, endpoint_id: UUID, seconds: float) -> None:
        """Free a place and learn from the time it was held."""
        lane = self._lane(endpoint_id)
        lane.under_way -= 1
        self.held -= 1
        if seconds < QUICK_SECONDS:
            lane.window = min(LARGEST_WINDOW, lane.window + 1)
        else:
            lane.window = max(1, min(lane.window, SLOW_PLACES // math.ceil(seconds)))
        if not lane.is_slow and lane.places is not None:
            self._learnt[endpoint_id] = lane.places = None
        elif lane.is_slow and lane.window < (lane.places or FIRST_WINDOW):
            self._learnt[endpoint_id] = lane.places = lane.window

    def learnt(self) -> dict[UUID, int | None]:
        """The places of endpoints found slow since the last time this was asked, None for those slow no more.

        Why no place that a slow one wins back: it is slow all the same, and each would be a write.
        """
        told, self._learnt = self._learnt, {}
        return told

    def overdue(self) -> list[Item]:
        """Take out what waits beyond its lane's window: somebody else, or a later drain, may send it."""
        removed: list[Item] = []
        for lane in self._lanes.values():
            while lane.waiting and lane.held > lane.window:
                removed.append(lane.waiting.pop())
        self.held -= len(removed)
        return removed

    def all_waiting(self) -> list[Item]:
        """Take out everything that has not started."""
        removed = [load for lane in self._lanes.values() for load in lane.waiting]
        for lane in self._lanes.values():
            lane.waiting.clear()
        self.held -= len(removed)
        return removed

    def _lane(self, endpoint_id: UUID, places: int | None = None) -> _Lane[Item]:
        lane = self._lanes.get(endpoint_id)
        if lane is None:
            lane = self._lanes[endpoint_id] = _Lane(places)
        return lane

    def _dealt(self, waiting: list[Waiting], most: int) -> dict[UUID, int]:
        """As ``deal`` says, without regard to who is slow."""
        ordered = sorted(waiting, key=lambda one: self._lane(one.endpoint_id).served)
        merchants: dict[int, deque[Waiting]] = {}
        for one in ordered:
            merchants.setdefault(one.merchant_id, deque()).append(one)
        given: dict[UUID, int] = {}
        turns = deque(merchants.values())
        while turns and most > 0:
            endpoints = turns.popleft()
            one = endpoints.popleft()
            lane = self._lane(one.endpoint_id)
            given[one.endpoint_id] = given.get(one.endpoint_id, 0) + 1
            lane.served, most = self._deals, most - 1
            # Why not by ``due`` alone: that is counted no further.
            if given[one.endpoint_id] < (lane.room if one.due >= FIRST_WINDOW else min(lane.room, one.due)):
                endpoints.append(one)
            if endpoints:
                turns.append(endpoints)
        return given
