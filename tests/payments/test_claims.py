"""What is taken from the queue first: what a payer waits for, then what is guarded; neither starves the other."""

from datetime import timedelta
from uuid import UUID

import pytest

from core.clock import now
from core.leases import take_due
from core.sweeps import Sweep
from merchants.models import Merchant
from payments.models import PaymentIntent, QueuedIntent
from payments.services.advance import BATCH, OF_THOSE_OVER, SWEEP, sweep_due
from payments.services.queue import DUE, LISTED
from tests.factories.queue import queue
from tests.factories.refunds import paid_intent

pytestmark = pytest.mark.usefixtures("db")


def due(merchant: Merchant, status: str, count: int, *, since_seconds: int) -> list[PaymentIntent]:
    """So many intents that are due for so long."""
    moment = now() - timedelta(seconds=since_seconds)
    made = [paid_intent(merchant, status=status) for _ in range(count)]
    queue(moment, pk__in=[intent.pk for intent in made])
    return made


def claimed_keys() -> list[UUID]:
    return [claim.key for claim in SWEEP.claim()]


def test_a_new_payment_does_not_wait_behind_all_that_become_final_together(merchant: Merchant) -> None:
    guarded = due(merchant, "settled", 40, since_seconds=60)
    [new] = due(merchant, "executing", 1, since_seconds=0)
    claimed = claimed_keys()
    assert claimed[0] == new.pk
    assert set(claimed[1:]) <= {intent.pk for intent in guarded}
    assert len(claimed) == 1 + OF_THOSE_OVER


def test_what_is_over_has_its_share_however_much_is_not(merchant: Merchant) -> None:
    due(merchant, "executing", 60, since_seconds=60)
    [guarded] = due(merchant, "settled", 1, since_seconds=0)
    claimed = claimed_keys()
    assert guarded.pk in claimed
    assert len(claimed) == len(set(claimed)) == 51
    assert len(claimed_keys()) == 10
    assert claimed_keys() == []


def test_what_is_over_has_its_share_of_a_sweep_that_is_cut_short_too(merchant: Merchant) -> None:
    """Else a worker with too much to do gives it back each time, and nobody ever looks at it."""
    due(merchant, "executing", 20, since_seconds=60)
    guarded = {intent.pk for intent in due(merchant, "settled", 5, since_seconds=60)}
    assert [place for place, key in enumerate(claimed_keys()) if key in guarded] == [5, 11, 17, 23, 24]


def test_what_was_claimed_and_not_begun_keeps_its_turn(merchant: Merchant) -> None:
    """Else a busy worker takes the same payments again and again, and sends them to the end each time."""
    due(merchant, "executing", BATCH + 10, since_seconds=60)
    [later] = due(merchant, "executing", 1, since_seconds=30)
    assert sweep_due(seconds=0) == 1
    claimed = claimed_keys()
    assert len(claimed) == BATCH
    assert later.pk not in claimed


def test_what_somebody_moved_on_meanwhile_is_not_given_back(merchant: Merchant) -> None:
    """Its lease was the right to it, and that is gone."""
    [first] = due(merchant, "executing", 1, since_seconds=60)
    [moved] = due(merchant, "executing", 1, since_seconds=30)
    planned = now() + timedelta(hours=1)
    rows = QueuedIntent.objects.filter(pk=moved.pk)
    sweep = Sweep[UUID](
        model=QueuedIntent,
        take=lambda until: take_due(QueuedIntent.objects.all(), most=2, until=until, column=DUE, listed=LISTED),
        advance=lambda claim: rows.update(due_at=planned),
        lease=timedelta(seconds=30),
        column=DUE,
        listed=LISTED,
    )
    assert [claim.key for claim in sweep.claim()] == [first.pk, moved.pk]
    queue(now() - timedelta(seconds=60), pk=first.pk)
    queue(now(), pk=moved.pk)
    assert sweep.run(lambda: True) == 1
    assert rows.get().due_at == planned
