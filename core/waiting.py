"""``wait`` on a read: the answer comes when there is news or when the time is over, and who waits holds no thread.

The view answers at once what there is, and names two looks: one that finds news, and one for when there was none. The
web server's entry keeps the connection and looks again (``core.later``). Source: docs/adr/0105.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse

from core.later import Look, look_later
from core.pagination import invalid_parameter
from core.renderers import to_json

PARAMETER: Final = "wait"
LONGEST_SECONDS: Final = 25
"""Shorter than the half minute after which proxies give up a connection on which nothing comes."""
EVERY_SECONDS: Final = 0.5
MOST_OF_ONE: Final = 10
MOST_OF_ALL: Final = 100
"""Of one merchant in one mode, and of all, in one process. Why: each is a look at the database every half second."""
_SECONDS: Final = re.compile(r"[0-9]{1,2}")


def read_wait(query: Mapping[str, str]) -> int:
    """How many seconds a caller would wait. Raises: InvalidParameter."""
    text = query.get(PARAMETER, "0")
    if not _SECONDS.fullmatch(text) or int(text) > LONGEST_SECONDS:
        raise invalid_parameter(PARAMETER, f"must be an integer from 0 to {LONGEST_SECONDS}, in seconds.")
    return int(text)


def wait_for(environment: Mapping[str, Any], seconds: int, news: Look, at_end: Look, *, whose: str) -> None:
    """Have the caller wait for news. Beyond as many as may wait at once, the view's own answer is given right away.

    ``environment`` is the request's ``META``; ``whose`` names the merchant and mode; ``at_end`` reads what there is.
    """
    if seconds:
        rooms = (("wait", MOST_OF_ALL), (f"wait:{whose}", MOST_OF_ONE))
        look_later(environment, news, at_end=at_end, seconds=seconds, every=EVERY_SECONDS, rooms=rooms)


def json_answer(body: object) -> HttpResponse:
    """What a look found, as a view would answer it."""
    return HttpResponse(to_json(body), content_type="application/json")
