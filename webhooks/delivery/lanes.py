"""How many deliveries an endpoint may hold at once: pure, so that fairness can be tested without a network.

A quick receiver is given more and more; a slow one only so many that it holds few places; one that hangs holds
a single place. So a hanging receiver costs the others nothing.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar
from uuid import UUID

FIRST_WINDOW = 4
LARGEST_WINDOW = 100
CONNECTIONS = 16
"""Requests under way to one endpoint, however quick it is."""
QUICK_SECONDS = 1.0
SLOW_PLACES = 8
"""A slow endpoint holds about this many places divided by the seconds it takes."""


class Load(Protocol):
    """Anything on its way to an endpoint."""

    @property
    def endpoint_id(self) -> UUID:
        """Where it goes."""


Item = TypeVar("Item", bound=Load)
Row = TypeVar("Row", bound=Load)


class _Lane(Generic[Item]):
    def __init__(self) -> None:
        self.window = FIRST_WINDOW
        self.under_way = 0
        self.waiting: deque[Item] = deque()

    @property
    def held(self) -> int:
        return self.under_way + len(self.waiting)

    @property
    def is_full(self) -> bool:
        """Why half: claiming a few rows costs as much as claiming many."""
        return self.held > self.window // 2


class Lanes(Generic[Item]):
    """One lane per endpoint, made when first used and forgotten with the drain."""

    def __init__(self) -> None:
        self._lanes: dict[UUID, _Lane[Item]] = {}
        self.held = 0

    def full(self) -> list[UUID]:
        """Endpoints for which nothing more should be claimed now."""
        return [endpoint_id for endpoint_id, lane in self._lanes.items() if lane.is_full]

    def admit(self, rows: Iterable[Row]) -> list[Row]:
        """Those of the rows for which there is room, in order."""
        room: dict[UUID, int] = {}
        admitted: list[Row] = []
        for row in rows:
            left = room.get(row.endpoint_id)
            if left is None:
                lane = self._lane(row.endpoint_id)
                left = lane.window - lane.held
            if left > 0:
                admitted.append(row)
            room[row.endpoint_id] = left - 1
        return admitted

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

    def _lane(self, endpoint_id: UUID) -> _Lane[Item]:
        lane = self._lanes.get(endpoint_id)
        if lane is None:
            lane = self._lanes[endpoint_id] = _Lane()
        return lane
