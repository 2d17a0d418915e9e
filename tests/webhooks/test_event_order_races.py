"""Places of events on PostgreSQL: several writers and fan-outs at once, what a reader sees, what a page costs."""

import json
import threading
import uuid
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.state import ProjectState

from core.bulk import insert_together
from core.indexes import AddIndexMeanwhile
from merchants.principal import Principal
from tests.races.lineup import at_once, holding
from tests.webhooks.actors import draft, happen
from tests.webhooks.partitions import ask
from webhooks.delivery.fan_out import fan_out
from webhooks.event_pages import between, events_of, read_page, read_query
from webhooks.models import Event, EventOrder
from webhooks.order import current

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WRITERS, STEPS = 4, 25
MOST_PAGES = 60
"""Of the database's, for twenty events: some of each partition's index, and what the events lie on."""


def write_steps(principal: Principal, resource_id: uuid.UUID) -> None:
    """The steps of one resource, each committed by itself and in their order."""
    for number in range(1, STEPS + 1):
        with transaction.atomic():
            insert_together([draft(principal, "payment_intent.created", {}, resource_id, number)])


def read_from(principal: Principal, cursor: str) -> tuple[list[tuple[str, int]], str]:
    page = read_page(events_of(principal, is_restricted=False), read_query({"after": cursor, "limit": "7"}))
    told = [json.loads(text) for text in page.payloads]
    return [(event["resource"]["id"], event["sequence"]) for event in told], page.cursor


def test_a_reader_misses_nothing_and_sees_each_step_in_its_order(principal: Principal) -> None:
    resources, over = [uuid.uuid4() for _ in range(WRITERS)], threading.Event()
    _, beginning = read_from(principal, "now")
    seen: list[tuple[str, int]] = []

    def fan_out_until_over() -> None:
        while not over.is_set() or Event.objects.filter(fanned_out_at=None).exists():
            fan_out()

    def read_until_over() -> None:
        cursor, is_over = beginning, False
        while not is_over:
            is_over = over.is_set() and not Event.objects.filter(fanned_out_at=None).exists()
            found = [("", 0)]
            while found:
                found, cursor = read_from(principal, cursor)
                seen.extend(found)

    def write_all() -> None:
        try:
            at_once([partial(write_steps, principal, key) for key in resources])
        finally:
            over.set()

    at_once([write_all, fan_out_until_over, fan_out_until_over, fan_out_until_over, read_until_over])
    assert len(set(seen)) == len(seen) == WRITERS * STEPS
    for key in resources:
        assert [step for resource_id, step in seen if resource_id == str(key)] == list(range(1, STEPS + 1))
    places = [place for place in Event.objects.order_by("position", "pk").values_list("position", flat=True) if place]
    assert all(one < other for one, other in pairwise(places))
    assert len(places) == WRITERS * STEPS


def test_what_somebody_holds_waits_with_all_that_comes_after_it_of_the_same_resource(principal: Principal) -> None:
    resource_id, other = uuid.uuid4(), happen(principal)
    steps = [draft(principal, "payment_intent.created", {}, resource_id, number) for number in (1, 2, 3)]
    with transaction.atomic():
        insert_together(steps)
    current()
    with holding(Event.objects.filter(pk=steps[1].pk)) as lineup:
        lineup.enter(fan_out)
        assert lineup.running[0].result().result == 2
        placed = set(Event.objects.filter(position__isnull=False).values_list("pk", flat=True))
        assert placed == {steps[0].pk, other.pk}
    assert fan_out() == 2
    ordered = Event.objects.filter(resource_id=resource_id).order_by("position", "pk")
    assert list(ordered.values_list("sequence", flat=True)) == [1, 2, 3]


def test_one_gives_places_at_a_time_so_that_they_are_seen_in_their_order(principal: Principal) -> None:
    event, given = happen(principal), current().last + 3_600_000_000
    with holding(EventOrder.objects.all()) as lineup:
        lineup.enter(fan_out)
        EventOrder.objects.update(last=given)
    assert [ending.result for ending in lineup.endings()] == [1]
    assert Event.objects.get(pk=event.pk).position == given + 1


def fill(principal: Principal, count: int, beginning: int) -> None:
    """So many events that have their places, of this merchant and of nobody else."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO webhooks_event (id, merchant_id, mode, type, resource_type, resource_id, sequence, payload,"
            " occurred_at, fanned_out_at, kept_until, position) SELECT 'evt_' || md5(number::text), %s, %s,"
            " 'payment_intent.created', 'payment_intent', gen_random_uuid(), 1, repeat('x', 600),"
            " now() - number * interval '1 second', now(), now() + interval '30 days', %s - number"
            " FROM generate_series(1, %s) AS number",
            [principal.merchant_id, principal.mode, beginning, count],
        )
        cursor.execute("ANALYZE webhooks_event")


def pages_read(rows: Any) -> int:
    [plan] = json.loads(rows.explain(format="json", analyze=True, buffers=True))
    return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])


def test_a_page_costs_the_same_however_many_events_there_are(principal: Principal) -> None:
    last = current().last
    fill(principal, 20_000, last)
    mine = events_of(principal, is_restricted=False)
    for after in (0, last - 10_000, last - 20):
        page = between(mine, after, last).values_list("position", "payload")[:21]
        assert pages_read(page) <= MOST_PAGES, page.explain()


def definitions() -> list[str]:
    return ask(
        "SELECT indexdef || indisvalid FROM pg_indexes JOIN pg_index ON indexrelid = indexname::regclass"
        " WHERE indexname IN ('event_in_order', 'event_without_place') ORDER BY 1"
    )


def test_an_index_over_partitions_is_made_beside_their_writers_and_again_after_an_interruption(
    principal: Principal,
) -> None:
    made, before = import_module("webhooks.migrations.0010_events_in_order").Migration.operations, definitions()
    assert [definition.endswith("true") for definition in before] == [True, True]
    state = ProjectState.from_apps(apps)
    for operation in made:
        ask(f"DROP INDEX {operation.index.name}")
    ask("CREATE INDEX event_in_order ON ONLY webhooks_event (merchant_id, mode, position) WHERE position IS NOT NULL")
    happen(principal)
    for operation in (*made, *made):
        assert isinstance(operation, AddIndexMeanwhile)
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("webhooks", editor, state, state)
    assert definitions() == before
