"""The endpoints that have anything before them, one step into an index for each, and who of them is neglected."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from core.clock import now
from webhooks.models import Delivery
from webhooks.states import Outcome

ENDPOINTS_A_LOOK = 250
"""Looked at by one statement, due or only waiting for a later attempt."""
TAKEN_AGAIN_WITHIN = timedelta(seconds=10)
"""What a drain gave back, or what one that died held, is in the next one's hands by then."""
RING = """
WITH RECURSIVE ring (id, step) AS (
    SELECT endpoint_id, 1 FROM (
        SELECT endpoint_id FROM webhooks_delivery
        WHERE next_attempt_at IS NOT NULL AND endpoint_id > %s
        ORDER BY endpoint_id, next_attempt_at, id LIMIT 1
    ) AS beginning
    UNION ALL
    SELECT (
        SELECT later.endpoint_id FROM webhooks_delivery AS later
        WHERE later.next_attempt_at IS NOT NULL AND later.endpoint_id > ring.id
        ORDER BY later.endpoint_id, later.next_attempt_at, later.id LIMIT 1
    ), ring.step + 1
    FROM ring WHERE ring.id IS NOT NULL AND ring.step < %s
)
"""
"""To be followed by a statement that reads ``ring``. Values: the endpoint to begin after, and how many at most."""
_NEGLECTED = """
SELECT ring.id AS id, (
    SELECT CASE WHEN one.leased_until > %s THEN NULL ELSE one.next_attempt_at END FROM webhooks_delivery AS one
    WHERE one.endpoint_id = ring.id AND one.next_attempt_at <= %s
    ORDER BY one.next_attempt_at, one.id LIMIT 1
) AS next_attempt_at
FROM ring JOIN webhooks_webhookendpoint AS endpoint ON endpoint.id = ring.id
WHERE endpoint.places IS NULL AND (endpoint.rests_until IS NULL OR endpoint.rests_until <= %s)
"""
"""Of each endpoint only its first: the oldest is taken first, so while that one is held the endpoint is served.

Named as columns of a delivery, so that both databases' moments are read alike.
"""


def neglected_since() -> datetime | None:
    """When the delivery came due that waits longest for us; None where each that is due waits for its own receiver.

    A receiver that is slow or hangs, or whose backlog is being sent, makes its own events late and says nothing of the
    workers. Bound: two looks, one of them from anywhere: who neglects more endpoints than those neglects some of them.
    """
    moment = now()
    if not Delivery.objects.filter(outcome=Outcome.DUE, next_attempt_at__lte=moment).exists():
        return None
    heads: list[datetime | None] = []
    for after in (uuid4(), UUID(int=0)):
        values = [after.hex, ENDPOINTS_A_LOOK, moment - TAKEN_AGAIN_WITHIN, moment, moment]
        heads += [head.next_attempt_at for head in Delivery.objects.raw(RING + _NEGLECTED, values)]
    return min(filter(None, heads), default=None)
