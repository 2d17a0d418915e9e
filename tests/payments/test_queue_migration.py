"""Payments in flight move into the queue of their own, and programs of before run beside those of now for a while."""

import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.clock import now
from merchants.models import Merchant
from payments.models import PaymentIntent, QueuedIntent
from payments.services.advance import sweep_due
from payments.services.queue import look_at
from tests.conftest import ApiClient
from tests.factories.refunds import paid_intent
from tests.payments.world import World, create, events, pay, read

BEFORE = "0014_routes_by_age"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def migrate(to: str = "") -> None:
    """To this migration of payments, with whatever stands on it; or all to the newest."""
    call_command("migrate", *(("payments", to) if to else ()), verbosity=0)


@pytest.fixture
def _back_again() -> Iterator[None]:
    """However the test ends: the next one's tables are those of now."""
    yield
    migrate()


def as_before() -> Any:
    """Intents as the release before saw them."""
    state = MigrationExecutor(connection).loader.project_state([("payments", BEFORE)])
    return state.apps.get_model("payments", "PaymentIntent").objects


def queue() -> set[tuple[Any, Any, Any, bool]]:
    return set(QueuedIntent.objects.values_list("pk", "due_at", "listed_at", "is_over"))


@pytest.mark.usefixtures("_back_again")
def test_what_waits_is_moved_over_and_is_moved_back(merchant: Merchant) -> None:
    moment, end = now(), now() + timedelta(minutes=30)
    new, hurried, moving, held, guarded, over = (
        paid_intent(merchant, status=status, expires_due_at=end)
        for status in ("created", "created", "executing", "partially_filled", "settled", "expired")
    )
    waiting = {
        new.pk: end,
        hurried.pk: moment,
        moving.pk: moment,
        held.pk: moment + timedelta(seconds=30),
        guarded.pk: moment + timedelta(minutes=5),
        over.pk: None,
    }
    migrate(BEFORE)
    for pk, due in waiting.items():
        as_before().filter(pk=pk).update(next_attempt_at=due)
    migrate()
    expected = {(pk, due, due, pk == guarded.pk) for pk, due in waiting.items() if due is not None and pk != new.pk}
    assert queue() == expected
    migrate(BEFORE)
    assert dict(as_before().values_list("pk", "next_attempt_at")) == waiting | {hurried.pk: end}
    migrate()
    assert queue() == {row for row in expected if row[0] != hurried.pk}


@pytest.mark.usefixtures("_back_again")
def test_what_was_in_flight_goes_on(world: World, api: ApiClient) -> None:
    paid, left, visited = (create(api) for _ in range(3))
    assert pay(api, paid).status == 200
    sweep_due()
    migrate(BEFORE)
    migrate()
    assert {key for key, *_ in queue()} == {PaymentIntent.objects.get(pk=paid["id"]).pk}
    world.run(6)
    assert read(api, paid)["status"] == "settled"
    world.run(1_801)
    assert [events(intent) for intent in (left, visited)] == [["created", "expired"]] * 2


@pytest.mark.postgres
def test_the_queue_follows_a_program_of_before(merchant: Merchant) -> None:
    """While hosts are changed one by one; the columns stay for one release."""
    moving, guarded = (paid_intent(merchant, status=status) for status in ("executing", "settled"))
    moment = now() + timedelta(minutes=1)
    intents = as_before().filter(pk__in=[moving.pk, guarded.pk])
    for due in (moment, moment + timedelta(hours=1), moment):
        intents.update(next_attempt_at=due)
        assert queue() == {(moving.pk, due, due, False), (guarded.pk, due, due, True)}
    intents.filter(pk=guarded.pk).update(next_attempt_at=None, attempts=1)
    assert queue() == {(moving.pk, moment, moment, False)}


@pytest.mark.postgres
def test_a_program_of_before_finds_what_those_of_now_began(merchant: Merchant) -> None:
    """When the release is taken back. What is over, it leaves alone."""
    moment, end = now() + timedelta(minutes=1), now() + timedelta(minutes=30)
    new, moving, guarded, over = (
        paid_intent(merchant, status=status, expires_due_at=end)
        for status in ("created", "executing", "settled", "expired")
    )
    for intent in (moving, guarded):
        look_at(intent, moment)
    assert set(as_before().values_list("next_attempt_at", flat=True)) == {None}
    before = queue()
    printed = io.StringIO()
    for _ in range(2):
        call_command("prepare_rollback", stdout=printed)
    found = {new.pk: end, moving.pk: moment, guarded.pk: moment, over.pk: None}
    assert dict(as_before().values_list("pk", "next_attempt_at")) == found
    assert queue() == before | {(new.pk, end, end, False)}
    words = "3 open payments are where programs of the release before look for them.\n"
    assert printed.getvalue() == words * 2
