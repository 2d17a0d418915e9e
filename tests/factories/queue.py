"""The queue of intents as a test wants it: when workers look at them next."""

from datetime import datetime
from typing import Any

from core.clock import now
from payments.models import PaymentIntent, QueuedIntent
from payments.states import INTENT_MACHINE


def queue(due_at: datetime | None = None, **which: Any) -> None:
    """Have workers look at these intents then, at once where no moment is given; a place of their own in the index."""
    moment = due_at or now()
    for pk, status in PaymentIntent.objects.filter(**which).values_list("pk", "status"):
        place = {"due_at": moment, "listed_at": moment}
        over = {"is_over": status in INTENT_MACHINE.terminal}
        QueuedIntent.objects.update_or_create(intent_id=pk, defaults=place | over)


def due_at(intent_id: Any) -> datetime | None:
    """When a worker looks at it; None where nobody does."""
    moment: datetime | None = QueuedIntent.objects.filter(pk=intent_id).values_list("due_at", flat=True).first()
    return moment


def is_due(intent_id: Any) -> bool:
    """Whether a worker looks at it now."""
    return QueuedIntent.objects.filter(pk=intent_id, due_at__lte=now()).exists()
