"""The weeks of events on PostgreSQL: tables of before move over, weeks are made ahead and dropped with all of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import QuerySet

from core.clock import now
from core.outbound.answers import Answer
from merchants.principal import Principal
from tests.races.lineup import Ending, at_once, holding
from tests.races.moving import written_meanwhile
from tests.webhooks.actors import Subscriber, draft, happen, subscribe
from tests.webhooks.partitions import NAMES, TABLES, ask, drop_all_but_default, in_part, make_week, monday, named, weeks
from webhooks import outcomes, services
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.delivery.posting import Result
from webhooks.delivery.records import record
from webhooks.models import UNKNOWN_WEEK, Delivery, DeliveryAttempt, Event
from webhooks.services.again import new_delivery
from webhooks.services.event_weeks import AHEAD_WEEKS, WEEK, drop_event_weeks

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

MOVE = import_module("webhooks.migrations.0008_event_weeks")
PULLED = import_module("webhooks.migrations.0011_endpoints_that_are_pulled")
ROLE = "pg_monitor"
"""Any role that every PostgreSQL has stands for that of the programs."""
OK = Answer(status=200, headers=(), body=b"ok")
KEPT = timedelta(days=30)


def lay_as_before() -> None:
    """The tables as the releases before had them, empty."""
    ask("DROP TABLE webhooks_deliveryattempt, webhooks_delivery, webhooks_event")
    ask("DROP FUNCTION IF EXISTS webhooks_make_event_weeks, webhooks_drop_event_week")
    with connection.schema_editor() as editor:
        for model in TABLES:
            editor.create_model(model)
    ask("ALTER TABLE webhooks_delivery SET (fillfactor = 70)")


def move_over() -> None:
    with connection.schema_editor(atomic=False) as editor:
        MOVE.lay_in_weeks(apps, editor)


@pytest.fixture(autouse=True)
def _as_migrated() -> Iterator[None]:
    """Weeks of today, whenever the tables were made."""
    yield
    lay_as_before()
    move_over()


@pytest.fixture
def subscriber(principal: Principal) -> Subscriber:
    return subscribe(principal, "https://hooks.shop.example/")


@pytest.fixture
def without_before() -> None:
    """As it is two months after the move: the first partitions were dropped, and left room for weeks."""
    lay_as_before()
    move_over()
    drop_all_but_default()


def occur(principal: Principal, moment: datetime, kept_until: datetime | None = None) -> Event:
    """An event of that moment, as it would have been stored then."""
    event = draft(principal, "payment_intent.settled", {})
    event.occurred_at, event.kept_until = moment, kept_until or moment + KEPT
    event.save(force_insert=True)
    return event


def deliver_all() -> None:
    while fan_out():
        pass
    while claims := claim(Lanes()):
        record([Result(claim=mine, at=now(), seconds=0.001, answer=OK) for mine in claims])


def since_long(subscriber: Subscriber) -> None:
    """Subscribed before everything that happens here."""
    subscriber.endpoint.subscriptions.update(valid_from=now() - timedelta(days=400))


def files(table: str) -> list[Any]:
    """What a table and its indexes are stored in, which changes when one of them is written again."""
    mine = f"FROM pg_index WHERE indrelid = '{table}'::regclass"
    return sorted(
        ask(f"SELECT pg_relation_filenode('{table}') UNION ALL SELECT pg_relation_filenode(indexrelid) {mine}")
    )


def test_tables_of_before_move_over_as_they_lie(principal: Principal, subscriber: Subscriber) -> None:
    """No row or index is written again, numbers go on, and who might use the tables may use the new ones."""
    lay_as_before()
    ask(f"GRANT SELECT, INSERT, DELETE ON {', '.join(NAMES)} TO {ROLE}")
    since_long(subscriber)
    for age in (400, 40, 1, 0):
        occur(principal, now() - timedelta(days=age))
    deliver_all()
    # What a program of before stored, which knew no weeks.
    Delivery.objects.update(event_at=UNKNOWN_WEEK)
    DeliveryAttempt.objects.update(event_at=UNKNOWN_WEEK)
    rows = [list(model._default_manager.order_by("pk").values()) for model in TABLES]
    stored = [files(table) for table in NAMES]
    move_over()
    before = f"before_{named(monday(2))}"
    made = [named(monday(ahead)) for ahead in range(2, AHEAD_WEEKS)]
    assert [weeks(table) for table in NAMES] == [[*made, before, "default"]] * 3
    assert [list(model._default_manager.order_by("pk").values()) for model in TABLES] == rows
    assert [files(f"{table}_{before}") for table in NAMES] == stored
    assert in_part(before) == [4, 4, 4]
    happen(principal)
    deliver_all()
    assert in_part(before) == [5, 5, 5]
    assert DeliveryAttempt.objects.latest("pk").pk > max(row["id"] for row in rows[2])
    may = [
        *(f"has_table_privilege('{ROLE}', '{table}', 'SELECT, INSERT')" for table in NAMES),
        f"has_sequence_privilege('{ROLE}', 'webhooks_deliveryattempt_number', 'USAGE')",
        f"has_function_privilege('{ROLE}', 'webhooks_make_event_weeks(integer)', 'EXECUTE')",
        f"has_function_privilege('{ROLE}', 'webhooks_drop_event_week(timestamptz)', 'EXECUTE')",
    ]
    assert ask(f"SELECT {' AND '.join(may)}") == [True]
    assert ask(f"SELECT has_table_privilege('{ROLE}', 'webhooks_event', 'UPDATE')") == [False]
    assert ask(f"SELECT {' OR '.join(may[3:])}".replace(ROLE, "pg_read_all_stats")) == [False]
    move_over()
    assert services.make_event_weeks() == 0


def test_nobody_who_writes_is_refused_while_the_tables_move(
    principal: Principal, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every event that was stored meanwhile was sent, once, and each write of it stands."""
    monkeypatch.setattr("core.migrating.PAUSE_SECONDS", 0.05)
    lay_as_before()
    first = happen(principal)

    def write() -> None:
        happen(principal)
        fan_out()
        record([Result(claim=mine, at=now(), seconds=0.001, answer=OK) for mine in claim(Lanes())])

    written = written_meanwhile(move_over, write, Event.objects.filter(pk=first.pk))
    deliver_all()
    assert in_part(f"before_{named(monday(2))}") == [written + 1] * 3
    assert set(Delivery.objects.values_list("outcome", "attempts")) == {("delivered", 1)}
    assert Event.objects.filter(deliveries__tries__number=1).count() == written + 1


def test_a_move_that_was_interrupted_refuses_nothing_later(
    principal: Principal, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    lay_as_before()
    with monkeypatch.context() as patch:
        patch.setattr(MOVE, "_swap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            move_over()
    since_long(subscriber)
    occur(principal, monday(3))
    deliver_all()
    assert [model._default_manager.count() for model in TABLES] == [1, 1, 1]


def test_a_missing_week_refuses_nothing_and_takes_its_rows_once_it_is_made(
    principal: Principal, subscriber: Subscriber, without_before: None
) -> None:
    for shift in (0, 1, 9):
        occur(principal, monday(shift))
    since_long(subscriber)
    deliver_all()
    assert (weeks(), in_part("default")) == (["default"], [3, 3, 3])
    rows = [list(model._default_manager.order_by("pk").values()) for model in TABLES]
    assert services.make_event_weeks() == AHEAD_WEEKS
    made = [named(monday(ahead)) for ahead in range(AHEAD_WEEKS)]
    assert [weeks(table) for table in NAMES] == [[*made, "default"]] * 3
    assert [in_part(week) for week in (*made, "default")] == [[1, 1, 1]] * 3
    assert [list(model._default_manager.order_by("pk").values()) for model in TABLES] == rows
    room = f"SELECT reloptions::text FROM pg_class WHERE relname = 'webhooks_delivery_{made[0]}'"  # noqa: S608 - our own names
    assert ask(room) == ["{fillfactor=70}"]
    assert services.make_event_weeks() == 0


def ended_week(principal: Principal, subscriber: Subscriber, starts: datetime, count: int = 1) -> list[Event]:
    """A week with so many events that were delivered, and are kept no longer."""
    since_long(subscriber)
    make_week(starts)
    events = [occur(principal, starts + timedelta(hours=hour), now() - timedelta(days=1)) for hour in range(count)]
    deliver_all()
    return events


def test_a_week_is_dropped_with_all_of_it_when_its_last_event_ended(
    principal: Principal, subscriber: Subscriber, without_before: None
) -> None:
    """Until then nothing of it is deleted row by row, and younger weeks stay."""
    ended = now() - KEPT
    half_over = ended.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=ended.weekday())
    for starts in (half_over - WEEK, half_over, monday(-1)):
        ended_week(principal, subscriber, starts, 2)
    last = occur(principal, half_over + timedelta(days=6), now() + timedelta(days=1))
    deliver_all()
    assert services.purge_old_events() == 2, "those of the young week, which only a test clock can have ended"
    assert weeks() == weeks("webhooks_deliveryattempt") == [named(half_over), named(monday(-1)), "default"]
    assert [in_part(week) for week in weeks()] == [[3, 3, 3], [0, 0, 0], [0, 0, 0]]
    assert drop_event_weeks(half_over + WEEK) == 0
    Event.objects.filter(pk=last.pk).update(kept_until=now())
    assert drop_event_weeks(half_over + WEEK - timedelta(seconds=1)) == 0
    assert drop_event_weeks(half_over + WEEK) == 1
    assert [weeks(table) for table in NAMES] == [[named(monday(-1)), "default"]] * 3


@pytest.mark.usefixtures("without_before")
def test_what_waits_to_be_fetched_holds_no_week_back(principal: Principal) -> None:
    with connection.schema_editor(atomic=False) as editor:
        PULLED.let_unread_ones_go(apps, editor)
    made, _ = services.create_endpoint(principal, services.NewEndpoint(url=None, events=["*"], enabled=True))
    week = monday(-6)
    make_week(week)
    event = occur(principal, week, week + KEPT)
    new_delivery(made, event.pk, week, week).save(force_insert=True)
    assert in_part(named(week)) == [1, 1, 0]
    assert drop_event_weeks(now() - KEPT) == 1
    assert named(week) not in weeks()


def test_what_is_sent_again_holds_its_week_back_and_no_other(
    principal: Principal, subscriber: Subscriber, without_before: None
) -> None:
    """After another week the rest of it is deleted by age, so that one that never arrives keeps nothing but itself."""
    again, _ = ended_week(principal, subscriber, monday(-9), 2)
    ended_week(principal, subscriber, monday(-8))
    outcomes.restart(Delivery.objects.filter(event=again), now())
    assert services.purge_old_events() == 1
    assert (weeks(), in_part(named(monday(-9)))) == ([named(monday(-9)), "default"], [1, 1, 1])
    deliver_all()
    assert in_part(named(monday(-9))) == [1, 1, 2]
    assert services.purge_old_events() == 0
    assert [weeks(table) for table in NAMES] == [["default"]] * 3


def test_what_is_put_on_its_way_again_while_its_week_is_to_be_dropped_keeps_it(
    principal: Principal, subscriber: Subscriber, without_before: None
) -> None:
    [event] = ended_week(principal, subscriber, monday(-9))
    mine = Delivery.objects.filter(event=event)
    ask("ALTER FUNCTION webhooks_drop_event_week SET lock_timeout = '120s'")
    with holding(mine) as lineup:
        lineup.enter(lambda: drop_event_weeks(monday(-1)))
        assert lineup.waited == 1
        assert outcomes.restart(mine, now()) == 1
    [ending] = lineup.endings()
    assert (ending.result, in_part(named(monday(-9)))) == (0, [1, 1, 1])


def test_a_week_that_somebody_reads_waits_for_the_next_hour(
    principal: Principal, subscriber: Subscriber, without_before: None, caplog: pytest.LogCaptureFixture
) -> None:
    ended_week(principal, subscriber, monday(-9))
    with holding(Event.objects.all()) as reader:
        reader.enter(lambda: drop_event_weeks(monday(-1)))
        [ending] = reader.endings()
    assert (ending.result, weeks()) == (0, [named(monday(-9)), "default"])
    assert "webhooks_drop_event_week: partitions stay as they are for an hour" in caplog.text
    assert drop_event_weeks(monday(-1)) == 1


def test_nobody_has_a_week_dropped_that_is_not_over_or_is_kept_still(
    principal: Principal, subscriber: Subscriber, without_before: None
) -> None:
    ended_week(principal, subscriber, monday())
    make_week(monday(-9))
    occur(principal, monday(-9), now() + timedelta(days=1))
    assert ask("SELECT webhooks_drop_event_week(now() + interval '10 years')") == [False]
    assert weeks() == [named(monday(-9)), named(monday()), "default"]


def test_what_is_recovered_lies_with_its_event_and_is_not_purged_meanwhile(
    principal: Principal, subscriber: Subscriber, without_before: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_week(monday(-9))
    event = occur(principal, monday(-9), now() - timedelta(days=1))
    fan_out()
    assert in_part(named(monday(-9))) == [1, 0, 0]
    purged: list[Ending] = []
    real = outcomes.restart

    def restart(deliveries: QuerySet[Delivery], at: datetime, *, is_pulled: bool) -> int:
        purged.extend(at_once([services.purge_old_events]))
        return real(deliveries, at, is_pulled=is_pulled)

    monkeypatch.setattr(outcomes, "restart", restart)
    assert services.recover(principal, subscriber.id, event.occurred_at).scheduled == 1
    assert (purged, in_part(named(monday(-9)))) == ([Ending(result=0)], [1, 1, 0])
