"""Claims due deliveries by lease, and gives back what was not sent.

A claim counts the attempt before it is made and is ours until ``leased_until``. So a number is used once, a worker
that dies loses nothing, and an answer that comes late can be told from the current attempt's.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F

from core.clock import now
from webhooks import outcomes
from webhooks.delivery.due import Row, next_waiting, oldest
from webhooks.delivery.lanes import Lanes
from webhooks.models import Delivery, Event, WebhookEndpoint
from webhooks.schedule import RETRY_DELAYS
from webhooks.selectors import Receiver, receivers
from webhooks.states import Outcome, Step

BATCH = 200
LEASE = timedelta(seconds=45)
"""Longer than a drain lasts, so nobody else takes what this one still holds."""
PUT_OFF = timedelta(minutes=1)
"""How long an endpoint rests whose signing secret cannot be opened. Its deliveries use up no attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One attempt that is ours to make."""

    delivery_id: UUID
    merchant_id: int
    mode: str
    endpoint_id: UUID
    receiver: Receiver
    event_id: str
    event_at: datetime
    event_type: str
    body: bytes
    number: int
    number_in_schedule: int


def claim(lanes: Lanes[Claim]) -> list[Claim]:
    """Claim a batch of what is due, as far as the lanes have room: endpoint by endpoint, in turn, oldest first in each.

    What nothing can sign for rests whole, endpoint by endpoint, so that it never stands before what can be sent.
    Locks: the rows, skipping locked ones.
    """
    moment = now()
    due = Delivery.objects.filter(outcome=Outcome.DUE, next_attempt_at__lte=moment)
    # Why not where something is under way: then there is mostly more, and a look ahead is a round trip.
    if not lanes.held and not due.exists():
        return []
    while (batch := _claim_batch(lanes, moment)) is None:
        pass
    return batch


def _claim_batch(lanes: Lanes[Claim], moment: datetime) -> list[Claim] | None:
    """The claims of one batch; None where it only put endpoints to rest or rows away, so that another look is due."""
    waiting, lanes.after = next_waiting(lanes.after, moment, lanes.has_room, BATCH)
    rooms = lanes.deal(waiting, BATCH)
    if not rooms:
        return []
    with transaction.atomic():
        rows = oldest(rooms, moment)
        known = receivers({row.endpoint_id for row in rows}, moment)
        mute = [endpoint_id for endpoint_id, receiver in known.items() if not receiver.secrets]
        mine = [] if mute else _sendable(rows, known)
        # Why the age too: it leaves out the partitions of earlier weeks.
        ours = Delivery.objects.filter(pk__among=[row.id for row in mine], event_at__gte=_earliest(mine, moment))
        ours.update(attempts=F("attempts") + 1, leased_until=moment + LEASE)
    for endpoint_id in mute:  # why one by one: two drains that update the same ones in different order would deadlock
        WebhookEndpoint.objects.filter(pk=endpoint_id).update(rests_until=moment + PUT_OFF)
    return None if mute or (rows and not mine) else claims_of(mine, known, _earliest(mine, moment))


def _earliest(rows: list[Row], otherwise: datetime) -> datetime:
    """When the first of their events occurred, or before, where nobody wrote when."""
    return min((row.event_at for row in rows), default=otherwise)


def _sendable(rows: list[Row], known: dict[UUID, Receiver]) -> list[Row]:
    """The rows that may be sent; those that never will be are finished here."""
    homeless = [row.id for row in rows if row.endpoint_id not in known]
    spent = [row.id for row in rows if row.attempts - row.attempts_before >= RETRY_DELAYS.attempts]
    if homeless:
        outcomes.finish(Delivery.objects.filter(pk__among=homeless), Step.CANCEL, now())
    if spent:
        outcomes.finish(Delivery.objects.filter(pk__among=spent), Step.EXHAUST, now())
    out = {*homeless, *spent}
    return [row for row in rows if row.id not in out] if out else rows


def claims_of(rows: list[Row], known: dict[UUID, Receiver], since: datetime) -> list[Claim]:
    """The next attempt of each row, with what its event says. ``since``: none of them occurred before."""
    among = Event.objects.filter(pk__among=[row.event_id for row in rows], occurred_at__gte=since)
    found = among.values_list("pk", "type", "payload")
    events = {key: (event_type, payload.encode()) for key, event_type, payload in found}
    return [
        Claim(
            delivery_id=row.id,
            merchant_id=row.merchant_id,
            mode=row.mode,
            endpoint_id=row.endpoint_id,
            receiver=known[row.endpoint_id],
            event_id=row.event_id,
            event_at=row.event_at,
            event_type=events[row.event_id][0],
            body=events[row.event_id][1],
            number=row.attempts + 1,
            number_in_schedule=row.attempts + 1 - row.attempts_before,
        )
        for row in rows
    ]


def give_back(unsent: Iterable[Claim]) -> None:
    """Make claims due again that were not sent, and take their attempt back.

    They keep when that was: whoever asks whether their endpoint is served sees that it was a moment ago.
    """
    moment = now()
    by_number: dict[int, list[UUID]] = defaultdict(list)
    for mine in unsent:
        by_number[mine.number].append(mine.delivery_id)
    for number, keys in by_number.items():
        Delivery.objects.filter(pk__among=keys, attempts=number, outcome=Outcome.DUE).update(
            attempts=number - 1, leased_until=moment
        )


def take_over_leases() -> None:
    """End the leases of workers that died. Only for a worker that knows itself to be alone."""
    Delivery.objects.filter(leased_until__isnull=False, outcome=Outcome.DUE).update(leased_until=None)
