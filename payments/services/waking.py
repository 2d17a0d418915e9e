"""Making payments due of which a reader has news, without waiting for whoever is at work on one of them."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import Q

from core.clock import now
from payments.models import PaymentIntent
from payments.services.schedule import wake_worker

_LOGGER = logging.getLogger("causeway.payments")
LOOKS_A_SECOND = 10
"""Why so few: chains call many blocks final at once, and what is new must not wait behind all that is in them."""


def wake_now(intents: Sequence[UUID]) -> None:
    """Let these be due now. Locks: those that nobody holds; the others' are asked for after the commit."""
    _wake(intents, now())
    wake_worker()


def wake_in_turns(intents: Sequence[UUID]) -> None:
    """Let these be due, a few each second. Locks: as ``wake_now``."""
    for turn, start in enumerate(range(0, len(intents), LOOKS_A_SECOND)):
        _wake(intents[start : start + LOOKS_A_SECOND], now() + timedelta(seconds=turn))
    wake_worker()


@transaction.atomic(savepoint=False)
def _wake(intents: Sequence[UUID], due: datetime) -> None:
    """Why those that a worker holds come after the commit: one payment must not hold up its chain."""
    rows = PaymentIntent.objects.filter(pk__in=intents).order_by("pk")
    free = set(rows.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
    _make_due(free, due)
    held = set(intents) - free
    if held:
        transaction.on_commit(partial(_wake_held, held, due))


def _wake_held(intents: set[UUID], due: datetime) -> None:
    """Wait for who holds them, as long as for any lock. Why no longer: who held them then looks for news himself."""
    try:
        _make_due(intents, due)
    except OperationalError:
        _LOGGER.warning("%d payments are held for long: the reader's news waits for who holds them", len(intents))
    wake_worker()


def _make_due(intents: set[UUID], due: datetime) -> None:
    rows = PaymentIntent.objects.filter(pk__in=intents)
    rows.filter(Q(next_attempt_at=None) | Q(next_attempt_at__gt=due)).update(next_attempt_at=due)
