"""Runs the batteries that were asked for: by lease, each request one after the other, several receivers at once.

Nothing of it is a delivery: no event is stored, no endpoint fails by it or is switched off. Source: docs/adr/0116.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction

from core.clock import now, ticks
from core.outbound.answers import TIMEOUT, TOTAL_SECONDS, Undelivered
from core.pauses import Paused, is_paused
from webhooks.battery import LOST_AFTER_SECONDS, Came, Forge, Sending, report
from webhooks.delivery.records import storable
from webhooks.models import ReceiverCertificate
from webhooks.selectors import Receiver, receivers
from webhooks.services.urls import reach_of
from webhooks.signatures import new_secret
from webhooks.states import BROKE, NOT_SENT, Check, Expected

if TYPE_CHECKING:
    from core.outbound.client import GuardedClient

AT_ONCE, LOOKED_AT = 20, 200
"""Receivers that are tested at once, each of another merchant, and how many that wait are looked at for that."""
RUN_SECONDS = 60.0
"""How long one battery may take; what is left of it then was not sent."""
ROUND_SECONDS = 1.0
LEASE = timedelta(minutes=2)
"""Longer than a run, so nobody else takes what this one still holds."""
MOST_TRIES = 3
"""How often a battery is taken over from a worker that died with it."""
_BODY_CHARACTERS, _BODY_BYTES, _HEADERS, _HEADER_CHARACTERS = 2000, 8000, 20, 200

logger = logging.getLogger("causeway.webhooks")


@dataclass(frozen=True, kw_only=True)
class _Held:
    """A certificate that is ours to write. Without a receiver where nothing may be sent by now."""

    row: ReceiverCertificate
    receiver: Receiver | None


_Tries = dict[Check, tuple[Expected, list[Came]]]


def certify_receivers(*, each_round: Callable[[], None] = lambda: None) -> int:
    """Run the batteries that are due, one of each merchant; how many. Not while sending is paused.

    ``each_round`` is called in between, while no request goes on. Reports are written after the last answer.
    """
    if is_paused(Paused.SENDING):
        return 0
    held = _claim()
    if held:
        for one, tries in zip(held, _run_all(held, each_round), strict=True):
            _finish(one, tries)
    return len(held)


def _claim() -> list[_Held]:
    """Those that have waited longest; none while another worker runs some. Locks: their rows.

    Why one worker at a time: upkeep has other work and few workers, and receivers may hang for as long as they like.
    Why no locked row is skipped: who comes at the same moment waits for the first one, and finds that it runs some.
    """
    moment = now()
    due = ReceiverCertificate.objects.filter(due_at__lte=moment).order_by("due_at", "pk")
    if not due.exists():
        return []
    with transaction.atomic():
        rows = list(due.select_for_update()[:LOOKED_AT])
        if ReceiverCertificate.objects.filter(due_at__gt=moment, tries__gt=0).exists():
            return []
        chosen = {row.merchant_id: row for row in reversed(rows)}  # the first of each merchant
        mine = [row for row in rows if chosen[row.merchant_id] is row][:AT_ONCE]
        known = receivers([row.endpoint_id for row in mine], moment)
        for row in mine:
            row.due_at, row.tries = moment + LEASE, row.tries + 1
        ReceiverCertificate.objects.bulk_update(mine, ["due_at", "tries"])
    return [_Held(row=row, receiver=known.get(row.endpoint_id) if row.tries <= MOST_TRIES else None) for row in mine]


def _finish(held: _Held, came: _Tries) -> None:
    """Write a report, unless another worker has taken the battery over since."""
    mine = ReceiverCertificate.objects.filter(pk=held.row.pk, due_at=held.row.due_at)
    url = held.receiver.url if held.receiver else ""
    mine.update(due_at=None, finished_at=now(), url=url, checks=report(came))


def _run_all(held: Sequence[_Held], each_round: Callable[[], None]) -> list[_Tries]:
    """What came of each battery. Each has its own connections, so that none waits for another's.

    Why in rounds: a table is written only while the event loop stands still, and a worker has to say that it is alive.
    """
    with asyncio.Runner() as runner:
        tasks = [runner.get_loop().create_task(_run(one.receiver)) for one in held]
        while not all(task.done() for task in tasks):
            runner.run(asyncio.wait(tasks, timeout=ROUND_SECONDS))
            each_round()
        return [task.result() for task in tasks]


async def _run(receiver: Receiver | None) -> _Tries:
    from core.outbound.client import GuardedClient  # noqa: PLC0415  Why: a slow import, and most looks find nothing.

    secrets = receiver.secrets if receiver else ()
    trials = Forge(secrets or [new_secret()], now()).battery()
    client = await GuardedClient.open(reach_of(receiver.mode)) if receiver and secrets else None
    ends = ticks() + RUN_SECONDS
    came: _Tries = {}
    for trial in trials:
        tries = [await _send(client, receiver, one, ends) for one in trial.sendings]
        came[trial.check] = (trial.expected, tries)
    if client is not None:
        await client.close()
    return came


async def _send(client: "GuardedClient | None", receiver: Receiver | None, sending: Sending, ends: float) -> Came:
    """Post once, with the sender of deliveries. Never raises: whatever goes wrong is what came."""
    started = time.perf_counter()
    left = min(ends - ticks(), LOST_AFTER_SECONDS if sending.is_lost else TOTAL_SECONDS)
    if client is None or receiver is None or left <= 0:
        return Came(sending=sending, seconds=0.0, error=NOT_SENT)
    try:
        async with asyncio.timeout(left):
            answer = await client.post(receiver.url, sending.body, dict(sending.headers))
    except Undelivered as failure:
        return Came(sending=sending, seconds=time.perf_counter() - started, error=failure.reason)
    except TimeoutError:
        return Came(sending=sending, seconds=time.perf_counter() - started, error=TIMEOUT)
    except Exception:
        logger.exception("a test of the receiver %s broke", receiver.endpoint_id)
        return Came(sending=sending, seconds=time.perf_counter() - started, error=BROKE)
    return Came(
        sending=sending,
        seconds=time.perf_counter() - started,
        status=answer.status,
        headers={
            storable(name, _HEADER_CHARACTERS): storable(value, _HEADER_CHARACTERS)
            for name, value in answer.headers[:_HEADERS]
        },
        body=storable(answer.body[:_BODY_BYTES].decode("utf-8", "replace"), _BODY_CHARACTERS),
    )
