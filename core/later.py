"""Answers that are not there yet: who waits for them holds no thread.

A view that cannot answer yet names a look at what it waits for, and refuses. The web server's entry keeps the
connection and looks again and again; without one, as in a test client, the refusal is the answer.
"""

from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.http import HttpResponse

from core.exception_handler import as_service_error, json_error

PLACE = "causeway.later"
"""Where the web server's entry, if it can wait, leaves room in the request's environment."""

Look = Callable[[], HttpResponse | None]
Room = tuple[str, int]
"""Where a waiting caller is counted, and how many may wait there at once in one process."""
PAYERS: Final[Room] = ("payers", 50)


@dataclass(kw_only=True)
class Later:
    """What a request waits for, once a view has named it: how long at most, how often it is looked at, in which rooms.

    ``at_end``: the answer when the time is over; without it the view's own.
    """

    look: Look | None = None
    at_end: Look | None = None
    seconds: float = 0
    every: float = 0
    rooms: tuple[Room, ...] = ()


def look_later(
    environment: Mapping[str, Any],
    look: Look,
    *,
    at_end: Look | None = None,
    seconds: float = 8,
    every: float = 0.25,
    rooms: tuple[Room, ...] = (PAYERS,),
) -> None:
    """Have the answer looked for again while the caller waits. What a look raises is refused as views refuse it.

    ``environment`` is the request's ``META``. A look runs in this request's name. Where a room is full, the view's own
    answer is given at once.
    """
    place = environment.get(PLACE)
    if isinstance(place, Later):
        named = copy_context()
        place.look = partial(named.run, _answer_of, look)
        place.at_end = None if at_end is None else partial(named.run, _answer_of, at_end)
        place.seconds, place.every, place.rooms = seconds, every, rooms


def _answer_of(look: Look) -> HttpResponse | None:
    try:
        return look()
    except Exception as error:
        return json_error(as_service_error(error))
