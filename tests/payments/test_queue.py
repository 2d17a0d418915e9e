"""The queue of intents: what has a place in it, and that neither claims nor looks that come soon change the place."""

from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction

from core.clock import now
from merchants.models import Merchant
from operations.invariants.duties import nothing_waits_for_nobody
from operations.invariants.scope import WHOLE
from payments.models import KEEPS_ITS_PLACE, PaymentIntent, QueuedIntent
from payments.selectors import oldest_due_at
from payments.services.advance import SWEEP
from payments.services.expire import end_what_is_over, expire_untouched
from payments.services.queue import leave_alone_until, look_at, look_by
from payments.services.transition import locked_intent
from tests.conftest import ApiClient
from tests.factories.queue import queue
from tests.factories.refunds import paid_intent
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay, read

pytestmark = pytest.mark.usefixtures("db")

POLL = timedelta(seconds=6)


def place(intent: PaymentIntent) -> tuple[Any, Any, bool]:
    """When it is due, where it is listed, and whether as one that is over."""
    row = QueuedIntent.objects.get(pk=intent.pk)
    return row.due_at, row.listed_at, row.is_over


def plan(intent: PaymentIntent, moment: Any) -> None:
    with transaction.atomic():
        look_at(locked_intent(intent.pk), moment)


def test_a_new_intent_has_no_row_until_something_is_looked_for(world: World, api: ApiClient) -> None:
    intent = create(api)
    assert not QueuedIntent.objects.exists()
    assert oldest_due_at() is None
    Payer.of(intent).connect()
    row = QueuedIntent.objects.get()
    assert (str(row.pk), row.due_at, row.is_over) == (intent["id"], now() + timedelta(minutes=30), False)


def test_one_that_nobody_ended_is_late(world: World, api: ApiClient) -> None:
    create(api, expires_in_seconds=60)
    world.wait(90)
    assert oldest_due_at() == now() - timedelta(seconds=30)


def test_claims_and_looks_that_come_soon_keep_its_place_for_a_minute(world: World, merchant: Merchant) -> None:
    intent, first = paid_intent(merchant, status="executing"), now()
    plan(intent, first)
    moved = []
    for _ in range(25):
        assert [claim.key for claim in SWEEP.claim()] == [intent.pk]
        due, listed, _ = place(intent)
        assert due == now() + SWEEP.lease
        plan(intent, now() + POLL)
        due, after, _ = place(intent)
        assert (due, due - after <= KEEPS_ITS_PLACE) == (now() + POLL, True)
        moved += [(after - first).seconds] if after != listed else []
        world.wait(POLL.seconds)
    assert moved == [66, 132]


def test_a_look_that_comes_late_or_before_its_place_moves_it(world: World, merchant: Merchant) -> None:
    intent = paid_intent(merchant, status="executing")
    for ahead in (0, 61, 3_600, 3_599, 30, 90):
        plan(intent, now() + timedelta(seconds=ahead))
        due = now() + timedelta(seconds=ahead)
        listed = now() + timedelta(seconds=30 if ahead == 90 else ahead)
        assert place(intent) == (due, listed, False)


def test_one_that_ends_is_listed_among_those_and_leaves_when_nothing_is_looked_for(merchant: Merchant) -> None:
    intent = paid_intent(merchant, status="executing")
    plan(intent, now())
    PaymentIntent.objects.filter(pk=intent.pk).update(status="settled")
    plan(intent, now())
    assert place(intent)[2] is True
    plan(intent, None)
    assert not QueuedIntent.objects.exists()


def test_what_settles_is_over_at_once_though_its_worker_dies_there(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = create(api)
    pay(api, intent)

    def die(intent_id: UUID) -> None:
        if read(api, intent)["status"] == "settled":
            raise SystemExit
        end_what_is_over(intent_id)

    monkeypatch.setattr("payments.services.advance.end_what_is_over", die)
    with suppress(SystemExit):
        world.run(12)
    assert read(api, intent)["status"] == "settled"
    assert not QueuedIntent.objects.filter(is_over=False).exists()
    assert list(nothing_waits_for_nobody(WHOLE)) == []


def test_news_wakes_whoever_sleeps_and_delays_nobody(world: World, merchant: Merchant) -> None:
    asleep, awake, gone = (paid_intent(merchant, status=one) for one in ("executing", "executing", "settled"))
    queue(now() + timedelta(minutes=30), pk=asleep.pk)
    queue(now() - timedelta(seconds=5), pk=awake.pk)
    look_by({asleep.pk: "executing", awake.pk: "executing", gone.pk: "settled"}, now())
    earlier = now() - timedelta(seconds=5)
    expected = [(now(), now(), False), (earlier, earlier, False), (now(), now(), True)]
    assert [place(intent) for intent in (asleep, awake, gone)] == expected


def test_one_that_is_left_alone_keeps_its_place(world: World, merchant: Merchant) -> None:
    intent, began = paid_intent(merchant, status="executing"), now()
    queue(began, pk=intent.pk)
    leave_alone_until(intent.pk, began + timedelta(seconds=3))
    leave_alone_until(intent.pk, began + timedelta(seconds=2))
    assert place(intent) == (began + timedelta(seconds=3), began, False)
    assert SWEEP.claim() == []


def test_none_is_listed_later_than_it_is_due(merchant: Merchant) -> None:
    intent = paid_intent(merchant)
    with pytest.raises(IntegrityError, match="queued_intent_is_listed_in_time"), transaction.atomic():
        QueuedIntent.objects.create(intent=intent, due_at=now(), listed_at=now() + timedelta(seconds=1))


def test_what_ends_by_its_time_is_found_by_an_index_of_what_may_end(api: ApiClient) -> None:
    """On SQLite too, which recognises such an index by its words alone. For PostgreSQL: tests/performance."""
    if connection.vendor == "postgresql":
        return
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - the framework's
        asked.append((sql, parameters))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        expire_untouched(iter([False, True]).__next__)
    [(sql, parameters)] = [one for one in asked if "payments_queuedintent" in one[0]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)
        assert "SEARCH payments_paymentintent USING INDEX intent_expires" in cursor.fetchall()[0][3]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_claim_and_a_look_write_no_index(merchant: Merchant) -> None:
    intent = paid_intent(merchant, status="executing")
    plan(intent, now())
    before = _in_place()
    SWEEP.claim()
    plan(intent, now() + POLL)
    assert [after - earlier for after, earlier in zip(_in_place(), before, strict=True)] == [2, 2, 0]


def _in_place() -> list[int]:
    """Rows of the queue that were changed, those of them on their page alone, and changes of the intents' own rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT sum(n_tup_upd) FILTER (WHERE relname = 'payments_queuedintent'),"
            " sum(n_tup_hot_upd) FILTER (WHERE relname = 'payments_queuedintent'),"
            " sum(n_tup_upd) FILTER (WHERE relname = 'payments_paymentintent') FROM pg_stat_user_tables"
        )
        return list(cursor.fetchone() or ())
