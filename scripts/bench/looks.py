"""Measures what a worker's look at a payment writes: bytes of the log, and how many rows without touching an index.

Must be imported only when the environment is set, because it loads the service.
"""

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import django

django.setup()

from django.db import connection, transaction  # noqa: E402 - needs the set-up above

from core.clock import now  # noqa: E402 - needs the set-up above
from payments.models import PaymentIntent  # noqa: E402 - needs the set-up above
from payments.services.advance import BATCH, SWEEP  # noqa: E402 - needs the set-up above
from payments.services.queue import look_at  # noqa: E402 - needs the set-up above
from payments.services.schedule import LIVE_UNSEEN_POLL  # noqa: E402 - needs the set-up above
from payments.services.transition import locked_intent  # noqa: E402 - needs the set-up above
from scripts.bench.stage import Stage, intent_id  # noqa: E402 - needs the set-up above

ROUNDS = 60
"""Of six seconds each: long enough that each row is listed again several times."""
CHANGED = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'payments_queuedintent'"


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """So far: bytes of the write-ahead log, and rows of the queue that were changed, in all and on their page alone."""

    log_bytes: int
    changed: int
    in_place: int


def measure_looks(stage: Stage) -> tuple[dict[str, float], list[str]]:
    """The figures of the goals, and lines for people.

    Why in the past: whatever is due then is due now, so no clock has to pass between two looks at a payment.
    """
    connection.close()
    connection.settings_dict["NAME"] = urlsplit(stage.database_url).path.lstrip("/")
    began = now() - timedelta(hours=1)
    intents = list(PaymentIntent.objects.filter(pk__in=[intent_id(number * 100) for number in range(1, BATCH + 1)]))
    _empty_queue()
    for intent in intents:
        with transaction.atomic():
            look_at(intent, began)
    claims, looks, changed, in_place = 0, 0, 0, 0
    for number in range(ROUNDS + 1):
        moment = began + number * LIVE_UNSEEN_POLL
        before = _written()
        with transaction.atomic():
            keys = SWEEP.take(moment + SWEEP.lease)
        between = _written()
        for key in keys:
            with transaction.atomic():
                look_at(locked_intent(key), moment + LIVE_UNSEEN_POLL)
        after = _written()
        if number:  # the first writes whole pages, as after each checkpoint
            claims += between.log_bytes - before.log_bytes
            looks += after.log_bytes - between.log_bytes
            changed += after.changed - before.changed
            in_place += after.in_place - before.in_place
    each = ROUNDS * len(intents)
    figures = {"look_bytes": (claims + looks) / changed, "look_in_place": 100 * in_place / changed}
    return figures, [
        f"{'claim of a due payment':<40}{claims / each:>8.0f} bytes of the log",
        f"{'look that plans the next':<40}{looks / each:>8.0f} bytes of the log",
        f"{'rows that changed':<40}{changed:>8,}, of them without an index {in_place:,}",
    ]


def _empty_queue() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE payments_queuedintent")


def _written() -> Written:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'")
        [log_bytes] = cursor.fetchone() or (0,)
        cursor.execute(CHANGED)
        changed, in_place = cursor.fetchone() or (0, 0)
    return Written(log_bytes=int(log_bytes), changed=changed, in_place=in_place)
