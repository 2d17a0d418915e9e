"""Connections that rest between requests, each for the one origin that it was made for.

Why longer than a moment: a handshake of TLS costs a receiver and us more than a delivery. Why not for ever: whoever
closes a resting connection just as it is used again looks like a failure. So each origin's patience is learned.
"""

from collections import OrderedDict

from core.outbound.dialling import Origin
from core.outbound.wire import Wire

KEEP_ALIVE_SECONDS = 15
"""Why 15: servers that do not say how long they wait mostly wait for 20 seconds or longer; others are learned."""
MOST_AGE_SECONDS = 60
"""Why: a name may lead elsewhere by now, and what it leads to is judged only when it is dialled."""
MOST_RESTING = 200
"""Of all origins together, the longest-resting are ended first. Why: processes have few file descriptors."""
MOST_RESTING_AT_ONE = 4
"""Between drains. Why: who was just sent a flood need not keep its connections for us."""
MOST_LEARNED = 4096
LEARNED_SECONDS = 600
"""Why forgotten: what ended its connections once may have been a restart."""
_LATEST_SECONDS = 1
"""So long before a receiver ends a connection, by its own word, it is not used any more; or half of a short time."""


class Pool:
    """The resting connections of one client."""

    def __init__(self) -> None:
        self._by_origin: dict[Origin, list[Wire]] = {}
        self._resting: OrderedDict[Wire, Origin] = OrderedDict()
        """All of them, the longest-resting first."""
        self._learned: OrderedDict[Origin, tuple[float, float]] = OrderedDict()
        """How long connections may rest at an origin, and until when that is believed."""

    def take(self, origin: Origin, now: float) -> Wire | None:
        """A connection that can be used, the one that rested least; None where none is. Units: now in loop time."""
        wires = self._by_origin.get(origin)
        while wires:
            wire = wires.pop()
            del self._resting[wire]
            if self._is_usable(wire, origin, now):
                return wire
            wire.cut()
        return None

    def rest(self, origin: Origin, wire: Wire, now: float) -> None:
        """Keep a connection for the next request, unless it is over."""
        if not wire.is_open:
            return
        if wire.keep_alive:
            self._obey(origin, wire.keep_alive, now)
        wire.rested_at = now
        self._by_origin.setdefault(origin, []).append(wire)
        self._resting[wire] = origin
        if len(self._resting) > MOST_RESTING:
            self._drop(next(iter(self._resting)))

    def tidy(self, now: float) -> None:
        """End what rested too long, and of each origin what it need not keep for us."""
        for wire, origin in list(self._resting.items()):
            if len(self._by_origin[origin]) > MOST_RESTING_AT_ONE or not self._is_usable(wire, origin, now):
                self._drop(wire)

    def cut_all(self) -> None:
        """End every resting connection."""
        for wire in list(self._resting):
            self._drop(wire)

    def _drop(self, wire: Wire) -> None:
        origin = self._resting.pop(wire)
        wires = self._by_origin[origin]
        wires.remove(wire)
        if not wires:
            del self._by_origin[origin]
        wire.cut()

    def _is_usable(self, wire: Wire, origin: Origin, now: float) -> bool:
        """Whether a connection still stands and its receiver may be expected to hear us on it."""
        if wire.lost_at is not None:
            self._learn(origin, (wire.lost_at - wire.rested_at) / 2, now)
            return False
        is_young = now - wire.made_at <= MOST_AGE_SECONDS
        return is_young and now - wire.rested_at <= self._patience(origin, now) and wire.is_quiet()

    def _patience(self, origin: Origin, now: float) -> float:
        seconds, until = self._learned.get(origin, (0.0, 0.0))
        return seconds if now < until else KEEP_ALIVE_SECONDS

    def _obey(self, origin: Origin, header: str, now: float) -> None:
        """Learn from ``Keep-Alive: timeout=5``. Source: https://www.rfc-editor.org/rfc/rfc2068#section-19.7.1.1."""
        for part in header.split(",")[:2]:
            name, _, value = part.strip().partition("=")
            if name.lower() == "timeout" and value.isascii() and value.isdigit():
                seconds = int(value[:6])
                self._learn(origin, max(seconds - _LATEST_SECONDS, seconds / 2), now)

    def _learn(self, origin: Origin, seconds: float, now: float) -> None:
        """Rest no longer at this origin than so."""
        self._learned[origin] = max(0.0, min(self._patience(origin, now), seconds)), now + LEARNED_SECONDS
        if len(self._learned) > MOST_LEARNED:
            self._learned.popitem(last=False)
