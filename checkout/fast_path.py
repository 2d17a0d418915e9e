"""The short way of a page that polls and has the newest state already: one statement, before Django hears of it.

All else goes on untouched to the view, whose answer this is, byte for byte. Source: docs/fast-path.md; docs/adr/0086.
"""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from django.db import DatabaseError, connection

from checkout.unchanged import FIND, KNOWN_PLACE, Asked, asked_by, holds, sent_tag
from checkout.views.access import browser_in, opener_of
from core.buckets import Verdict
from core.caller import address_in
from core.errors import ServiceError, TemporarilyUnavailable
from core.fast_answer import Environment, FastAnswer, Given, Headers, headers_of, standing_headers
from core.ids import new_request_id, parse_public_id
from core.language import preferred_in
from core.rate_limits import count
from core.throttling import address_bucket
from merchants.throttling import COUNTED_PLACE, payer_buckets

if TYPE_CHECKING:  # it needs PostgreSQL's driver
    from core.loop_connections import LoopConnections

BEGIN, END = "/api/public/v1/checkout/", "/state"
NOT_MODIFIED: Final = 304
_UNUSUAL: Final = ("QUERY_STRING", "HTTP_ORIGIN", "HTTP_AUTHORIZATION")
"""Poll without these: the address names no language, and the page is one of ours."""

logger = logging.getLogger("causeway.web")


async def answer_in_loop(environment: Environment, connections: "LoopConnections") -> Given | None:
    """As ``fast_answer``; other requests go on while the database is asked. Raises: TemporarilyUnavailable."""
    if (poll := _ordinary(environment)) is None:
        return None
    try:
        row = await connections.first_row(FIND, poll.asked.values)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None):  # it said no, and says so to the view
            return None
        raise TemporarilyUnavailable from error
    return poll.answer(row)


def fast_answer(environment: Environment) -> Given | None:
    """The answer to a poll that brings no news; None for any other, of which nothing was done but counted."""
    if (poll := _ordinary(environment)) is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(FIND, poll.asked.values)
        return poll.answer(cursor.fetchone())


@dataclass(frozen=True, kw_only=True, slots=True)
class Poll:
    """A poll of who may ask, with a tag that holds by the clock; it was counted."""

    allow: ClassVar = "GET, HEAD, OPTIONS"

    environment: Environment
    asked: Asked
    tag: str
    standing: Headers
    counted: Verdict

    @classmethod
    def read(cls, environment: Environment) -> Self | None:
        """None where the view must say. Raises: ServiceError, where the view refuses."""
        named, tag = environment["PATH_INFO"][len(BEGIN) : -len(END)], sent_tag(environment)
        intent_id, standing = parse_public_id(named, "pi_"), standing_headers(environment)
        if not tag or intent_id is None or standing is None or any(map(environment.get, _UNUSUAL)):
            return None
        opener_of(environment, intent_id)
        browser_in(environment)
        buckets = payer_buckets(address_bucket(address_in(environment)), named)
        counted = count(buckets)
        if not counted.allowed:
            return None
        environment[COUNTED_PLACE] = (buckets, counted)
        asked = asked_by(environment, intent_id, preferred_in(environment))
        return cls(environment=environment, asked=asked, tag=tag, standing=standing, counted=counted)

    def answer(self, row: tuple[Any, ...] | None) -> Given | None:
        """Not modified, if the versions of the tag stand; None where the view must say, for whom they are kept."""
        versions = None if row is None else row[0]
        self.environment[KNOWN_PLACE] = (self.asked, versions)
        if versions is None or not holds(self.tag, self.asked, versions):
            return None
        own = ("ETag", f'"{self.tag}"'), ("Vary", "Origin, Accept-Language")
        answer = FastAnswer(http_status=NOT_MODIFIED, body=b"", headers=own)
        headers = headers_of(
            answer, standing=self.standing, allow=self.allow, request_id=new_request_id(), counted=self.counted
        )
        return answer, headers


def _ordinary(environment: Environment) -> Poll | None:
    """Why a failure is no answer: nothing was asked yet, so the view may take it."""
    path: str = environment["PATH_INFO"]
    if environment["REQUEST_METHOD"] != "GET" or not (path.startswith(BEGIN) and path.endswith(END)):
        return None
    try:
        return Poll.read(environment)
    except ServiceError:
        return None
    except Exception:
        logger.exception("a poll could not be read")
        return None
