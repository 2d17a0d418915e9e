"""Making payments due of which a reader has news, without waiting for whoever is at work on one of them."""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import OperationalError, transaction

from core.clock import now
from payments.models import PaymentIntent
from payments.services.queue import look_by
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
    free = _locked(intents, skip_locked=True)
    look_by(free, due)
    held = set(intents) - set(free)
    if held:
        transaction.on_commit(partial(_wake_held, held, due))


def _wake_held(intents: set[UUID], due: datetime) -> None:
    """Wait for who holds them, as long as for any lock. Why no longer: who held them then looks for news himself."""
    try:
        with transaction.atomic():
            look_by(_locked(intents), due)
    except OperationalError:
        _LOGGER.warning("%d payments are held for long: the reader's news waits for who holds them", len(intents))
    wake_worker()


def _locked(intents: Collection[UUID], *, skip_locked: bool = False) -> dict[UUID, str]:
    """The status of each of these that is held from here on, by its key."""
    rows = PaymentIntent.objects.filter(pk__in=list(intents)).order_by("pk")
    return dict(rows.select_for_update(skip_locked=skip_locked, no_key=True).values_list("pk", "status"))
