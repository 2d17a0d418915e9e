"""Answers that are not there yet: who waits for them holds no thread.

A view that cannot answer yet names a look at what it waits for, and refuses. The web server's entry keeps the
connection and looks again and again; without one, as in a test client, the refusal is the answer.
"""

from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpResponse

from core.exception_handler import as_service_error, json_error

PLACE = "causeway.later"
"""Where the web server's entry, if it can wait, leaves room in the request's environment."""

Look = Callable[[], HttpResponse | None]


@dataclass
class Later:
    """What a request waits for, once a view has named it."""

    look: Look | None = None


def look_later(environment: Mapping[str, Any], look: Look) -> None:
    """Have the answer looked for again while the caller waits. What ``look`` raises is refused as views refuse it.

    ``environment`` is the request's ``META``. The look runs in this request's name.
    """
    place = environment.get(PLACE)
    if isinstance(place, Later):
        place.look = partial(copy_context().run, _answer_of, look)


def _answer_of(look: Look) -> HttpResponse | None:
    try:
        return look()
    except Exception as error:
        return json_error(as_service_error(error))
