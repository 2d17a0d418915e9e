"""The queue of intents: when a worker looks at one next. Apart from the intent, for it is rewritten with each look."""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.expressions import RawSQL

from payments.models.intents import PaymentIntent
from payments.states import UNPAID

MAY_EXPIRE = RawSQL(  # noqa: S611 - own names
    "payments_paymentintent.expires_due_at IS NOT NULL"
    f" AND payments_paymentintent.status IN {tuple(status.value for status in UNPAID)}",
    (),
    output_field=models.BooleanField(),
)
"""Which intents the index ``intent_expires`` holds, in its own words. Why written out: SQLite recognises nothing else,
and a plan that PostgreSQL keeps knows no values."""
CLAIMED_FOR = timedelta(seconds=30)
"""How long a worker's claim of an intent lasts."""
KEEPS_ITS_PLACE = timedelta(seconds=60)
"""For so long a row that comes due again soon stays where the index lists it. Source: docs/adr/0080."""


class QueuedIntent(models.Model):
    """An intent that a worker looks at, and when. What is due is claimed by moving ``due_at`` ahead by a lease.

    An intent without a row is over, and nothing is looked for any more; or it is new, and only its time can end, which
    ``expires_due_at`` says. ``listed_at`` is where the index lists a row: never after ``due_at``, and left where it was
    by claims and by looks that come again soon, so that these write no index. ``is_over``: it is only guarded, or
    watched for late money. Source: docs/adr/0080-the-queue-of-intents-is-a-narrow-table.md.
    """

    intent = models.OneToOneField(PaymentIntent, on_delete=models.CASCADE, primary_key=True, related_name="queued")
    due_at = models.DateTimeField()
    listed_at = models.DateTimeField()
    is_over = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(listed_at__lte=F("due_at")), name="queued_intent_is_listed_in_time"),
        ]
        indexes: ClassVar = [models.Index(fields=["is_over", "listed_at"], name="queued_intent_due")]

    def __str__(self) -> str:
        """Which one, and when."""
        return f"{self.pk} at {self.due_at}"
