"""Writing the queue of intents: the one place that says when a worker looks at one next."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Value
from django.db.models.functions import Least

from core.bulk import insert_once
from core.clock import now
from payments.models import KEEPS_ITS_PLACE, PaymentIntent, QueuedIntent
from payments.states import INTENT_MACHINE, IntentStatus

DUE: Final = "due_at"
LISTED: Final = "listed_at"
"""By which columns ``core.leases`` and ``core.sweeps`` read the queue."""


def look_at(intent: PaymentIntent, due_at: datetime | None) -> None:
    """Have a worker look at an intent then; None: not any more. Locks: the caller holds the intent's lock.

    A new intent whose time alone can end has no row: it expires with all others, many at once.
    """
    if due_at is None or (intent.status == IntentStatus.CREATED and due_at == intent.expires_due_at):
        QueuedIntent.objects.filter(pk=intent.pk).delete()
        return
    is_over = intent.status in INTENT_MACHINE.terminal
    if not _moved(intent.pk, due_at, is_over=is_over):
        insert_once(QueuedIntent(intent_id=intent.pk, due_at=due_at, listed_at=due_at, is_over=is_over))


def look_by(statuses: Mapping[UUID, str], due_at: datetime) -> None:
    """Have workers look at these intents then at the latest. ``statuses``: what each is now, by its key.

    Locks: the caller holds those of the intents.
    """
    rows = QueuedIntent.objects.filter(pk__among=list(statuses))
    queued = set(rows.order_by("pk").select_for_update().values_list("pk", flat=True))
    rows.filter(due_at__gt=due_at).update(**_sooner(due_at))
    unknown = {key: status for key, status in statuses.items() if key not in queued}
    QueuedIntent.objects.bulk_create(
        (
            QueuedIntent(intent_id=key, due_at=due_at, listed_at=due_at, is_over=status in INTENT_MACHINE.terminal)
            for key, status in unknown.items()
        ),
        ignore_conflicts=True,
    )


def look_now_at_all_of(merchant_id: int, mode: str) -> None:
    """Make all due that a merchant's intents wait for. Locks: the caller holds those of the intents."""
    rows = QueuedIntent.objects.filter(intent__merchant_id=merchant_id, intent__mode=mode)
    queued = list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    QueuedIntent.objects.filter(pk__among=queued).update(**_sooner(now()))


def leave_alone_until(intent_id: UUID, moment: datetime) -> None:
    """Have nobody look at an intent before. Why it keeps its place in the index: it has not been looked at."""
    QueuedIntent.objects.filter(pk=intent_id, due_at__lt=moment).update(due_at=moment)


def look_at_none_of(intents: Iterable[UUID]) -> None:
    """Take these out of the queue. Locks: the caller holds those of the intents."""
    rows = QueuedIntent.objects.filter(pk__among=list(intents))
    queued = list(rows.order_by("pk").select_for_update().values_list("pk", flat=True))
    if queued:
        QueuedIntent.objects.filter(pk__among=queued).delete()


def _sooner(due_at: datetime) -> dict[str, Any]:
    return {"due_at": due_at, "listed_at": Least("listed_at", Value(due_at))}


def _moved(intent_id: UUID, due_at: datetime, *, is_over: bool) -> bool:
    """Whether there was a row, which is due then now.

    Why it mostly keeps its place in the index: then this writes its page alone. Why not for ever: rows that are listed
    long before they are due are passed by every claim, and go before what has been due for longer.
    Why SQL by hand: each look ends here, and the framework takes longer to write this than the database to do it.
    """
    due, oldest = map(connection.ops.adapt_datetimefield_value, (due_at, due_at - KEEPS_ITS_PLACE))
    key = QueuedIntent._meta.pk.get_db_prep_save(intent_id, connection)
    with connection.cursor() as cursor:
        cursor.execute(_move(), [due, is_over, due, oldest, due, key])
        return bool(cursor.rowcount)


@cache
def _move() -> str:
    quote = connection.ops.quote_name
    return f"""
        UPDATE {quote(QueuedIntent._meta.db_table)} SET due_at = %s, is_over = %s,
        listed_at = CASE WHEN listed_at <= %s AND listed_at >= %s THEN listed_at ELSE %s END WHERE intent_id = %s
    """  # noqa: S608 - own names
