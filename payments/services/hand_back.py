"""Has programs of the release before find the payments that those of this one looked after.

They look into columns that this release leaves alone; what they write there a trigger carries on. Goes with them.
Source: docs/upgrade.md, Rolled back; docs/adr/0095.
"""

from typing import Final

from django.db import connection

from payments.models import PaymentIntent, QueuedIntent
from payments.models.queue import MAY_EXPIRE

AT_ONCE: Final = 500
_HAND_BACK: Final = """
UPDATE payments_paymentintent SET next_attempt_at = coalesce(
    (SELECT due_at FROM payments_queuedintent WHERE intent_id = payments_paymentintent.id), expires_due_at)
WHERE id IN (SELECT id FROM payments_paymentintent WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE)
"""


def hand_back() -> int:
    """Write down for old programs when they look at each open payment next; how many there are.

    Locks: the rows of a few hundred payments at a time. Nothing on SQLite, where no other program runs.
    """
    if connection.vendor != "postgresql":
        return 0
    queued = QueuedIntent.objects.order_by("pk").values_list("pk", flat=True)
    new = PaymentIntent.objects.filter(MAY_EXPIRE, queued=None).order_by("pk").values_list("pk", flat=True)
    intents = [*queued, *new]
    with connection.cursor() as cursor:
        for start in range(0, len(intents), AT_ONCE):
            cursor.execute(_HAND_BACK, [intents[start : start + AT_ONCE]])
    return len(intents)
