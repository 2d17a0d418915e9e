"""Which endpoints have something due, and the oldest of it: one step into an index for each endpoint.

So what waits at one endpoint is never walked past on the way to another's, however much it is.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models.query import RawQuerySet

from webhooks.delivery.lanes import BEGINNING, FIRST_WINDOW, Waiting
from webhooks.due_endpoints import ENDPOINTS_A_LOOK, RING
from webhooks.models import Delivery, WebhookEndpoint
from webhooks.selectors import not_in_flight


class Row(NamedTuple):
    """What a claim needs to know of a delivery."""

    id: UUID
    merchant_id: int
    mode: str
    endpoint_id: UUID
    event_id: str
    event_at: datetime
    attempts: int
    attempts_before: int


_LOOK = """
SELECT endpoint.id, endpoint.merchant_id, endpoint.places, CASE
    WHEN endpoint.rests_until > %s THEN 0
    ELSE (
        SELECT count(*) FROM (
            SELECT 1 FROM webhooks_delivery AS one
            WHERE one.endpoint_id = ring.id AND one.next_attempt_at <= %s
                AND (one.leased_until IS NULL OR one.leased_until <= %s)
            ORDER BY one.next_attempt_at, one.id LIMIT %s
        ) AS few
    )
END AS due
FROM ring JOIN webhooks_webhookendpoint AS endpoint ON endpoint.id = ring.id ORDER BY ring.step
"""
_OLDEST = """
SELECT mine.* FROM unnest(%s::uuid[], %s::int[]) AS free (endpoint_id, room) CROSS JOIN LATERAL (
    SELECT id, merchant_id, mode, endpoint_id, event_id, event_at, attempts, attempts_before FROM webhooks_delivery
    WHERE endpoint_id = free.endpoint_id AND next_attempt_at <= %s AND (leased_until IS NULL OR leased_until <= %s)
    ORDER BY next_attempt_at, id LIMIT free.room FOR UPDATE SKIP LOCKED
) AS mine
"""
"""Both ask for ``next_attempt_at`` and not for ``outcome``, in the whole order of the index of what is due at each
endpoint. Why: what is due is planned and nothing else is, says a constraint, and so no other index can answer. Of those
by outcome PostgreSQL would take one that holds all endpoints wherever it took a backlog for spread over them.
"""


def next_waiting(
    after: UUID, moment: datetime, is_wanted: Callable[[Waiting], bool], most: int
) -> tuple[list[Waiting], UUID]:
    """The next endpoints in turn with something due that are wanted, and after which one the next look begins.

    In the order of their ids, round and round; none once all were looked at and none was wanted.
    """
    until, seen_the_end = after, after == BEGINNING
    while True:
        # The next endpoints after this one that have anything before them, as many as a look takes.
        values = [after.hex, ENDPOINTS_A_LOOK, moment, moment, moment, FIRST_WINDOW]
        rows: RawQuerySet[Any] = WebhookEndpoint.objects.raw(RING + _LOOK, values)
        page = [Waiting(row.pk, row.merchant_id, row.places, row.due) for row in rows]
        found = [one for one in page if one.due and is_wanted(one)]
        is_end = len(page) < ENDPOINTS_A_LOOK
        if len(found) > most:
            return found[:most], found[most - 1].endpoint_id
        after = BEGINNING if is_end else page[-1].endpoint_id
        is_round = seen_the_end and (is_end or (until != BEGINNING and after >= until))
        if found or is_round:
            return found, after
        seen_the_end = seen_the_end or is_end


def oldest(rooms: Mapping[UUID, int], moment: datetime) -> list[Row]:
    """Of each of these endpoints so many of the deliveries that have been due longest, oldest first.

    Locks: those rows, in the caller's transaction; rows that somebody else holds are passed over.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_OLDEST, [[*rooms], [*rooms.values()], moment, moment])
            return [Row(*row) for row in cursor.fetchall()]
    due = Delivery.objects.filter(not_in_flight(moment), next_attempt_at__lte=moment)
    ordered = due.order_by("next_attempt_at", "pk").values_list(*Row._fields)
    return [
        Row(*row)
        for endpoint_id, room in rooms.items()  # why one by one: nothing is asked over a network
        for row in ordered.filter(endpoint_id=endpoint_id)[:room]
    ]
