"""What waits at one endpoint costs the claims of others nothing: PostgreSQL counts the pages that it looks at."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from merchants.principal import Principal
from scripts.bench.stage import read_sql
from tests.webhooks.actors import Subscriber, subscribe
from tests.webhooks.partitions import drop_all_but_default, make_week, monday
from webhooks.delivery.claims import BATCH, claim
from webhooks.delivery.lanes import FIRST_WINDOW, Lanes
from webhooks.due_endpoints import ENDPOINTS_A_LOOK

pytestmark = pytest.mark.postgres

BACKLOG, OTHERS, CROWD, WEEKS = 20_000, 9, 1000, 5
COPIED = """
WITH made AS (
    INSERT INTO webhooks_webhookendpoint
        (id, merchant_id, mode, url, events, enabled, created_at, disabled_reason, owner_told, event_sequence)
    SELECT gen_random_uuid(), merchant_id, mode, url, events, true, created_at, '', 0, 0
    FROM webhooks_webhookendpoint, generate_series(1, %s) WHERE id = %s
    RETURNING id, merchant_id, mode, created_at
), signing AS (
    INSERT INTO webhooks_signingsecret (endpoint_id, merchant_id, mode, ciphertext, created_at)
    SELECT made.id, made.merchant_id, made.mode, ciphertext, made.created_at
    FROM made, webhooks_signingsecret WHERE endpoint_id = %s
)
SELECT id FROM made
"""


@pytest.fixture
def subscribers(principal: Principal) -> list[Subscriber]:
    return [subscribe(principal, f"https://{number}.shop.example/") for number in range(OTHERS + 1)]


def pile_up(principal: Principal, endpoints: list[UUID], events: int, weeks: int = 1) -> None:
    """So many due deliveries, spread evenly over endpoints and weeks."""
    amounts: dict[str, Any] = {"merchant_id": principal.merchant_id, "events": events, "weeks": weeks}
    given = {"endpoint_count": len(endpoints), "endpoints": list(map(str, endpoints))}
    with connection.cursor() as cursor:
        cursor.execute(read_sql("deliveries.sql"), amounts | given)
        cursor.execute("ANALYZE webhooks_delivery, webhooks_webhookendpoint")


def claimed(lanes: Lanes[Any]) -> tuple[dict[UUID, int], int]:
    """How many were claimed for each endpoint, and how many pages were looked at to find them. Nothing is kept."""
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if "webhooks_delivery" in sql and not sql.startswith("UPDATE"):
            asked.append((sql, parameters))
        return execute(sql, parameters, many, context)

    found: dict[UUID, int] = {}
    with transaction.atomic():
        with connection.execute_wrapper(note):
            for mine in claim(lanes):
                found[mine.endpoint_id] = found.get(mine.endpoint_id, 0) + 1
        transaction.set_rollback(True)
    return found, sum(map(pages, asked))


def pages(asked: tuple[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {asked[0]}", asked[1])
        [[[answer]]] = cursor.fetchall()
    return int(answer["Plan"]["Shared Hit Blocks"]) + int(answer["Plan"]["Shared Read Blocks"])


def looked_at(principal: Principal, hanging: UUID, others: list[UUID], weeks: int) -> list[int]:
    """How many pages a claim looks at: where all wait alike, beside a backlog, and past one whose endpoint is full."""
    pile_up(principal, [hanging, *others], BACKLOG, weeks)
    alike, first = claimed(Lanes())
    assert alike == dict.fromkeys([hanging, *others], FIRST_WINDOW)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else their triggers are in the way
        cursor.execute("TRUNCATE webhooks_deliveryattempt, webhooks_delivery, webhooks_event")
    pile_up(principal, [hanging], BACKLOG, weeks)
    pile_up(principal, others, OTHERS * FIRST_WINDOW, weeks)
    beside, beside_a_backlog = claimed(Lanes())
    full: Lanes[Any] = Lanes()
    for _ in range(FIRST_WINDOW):
        full.add(SimpleNamespace(endpoint_id=hanging))
    past, past_a_full_one = claimed(full)
    assert (beside, past) == (alike, dict.fromkeys(others, FIRST_WINDOW))
    return [first, beside_a_backlog, past_a_full_one]


def test_a_claim_looks_at_no_more_beside_a_backlog_than_where_all_wait_alike(
    principal: Principal, subscribers: list[Subscriber]
) -> None:
    hanging, *others = [subscriber.endpoint.pk for subscriber in subscribers]
    alike, *beside = looked_at(principal, hanging, others, 1)
    assert max(beside) <= alike * 1.3 < BACKLOG / 20  # what other tests left in the tables costs a few pages, too


def test_so_it_is_where_the_backlog_is_of_five_weeks(principal: Principal, subscribers: list[Subscriber]) -> None:
    """Each week has an index of its own of what is due, and each is looked into: a few pages more."""
    drop_all_but_default()
    for age in range(WEEKS + 1):
        make_week(monday(-age))
    hanging, *others = [subscriber.endpoint.pk for subscriber in subscribers]
    alike, *beside = looked_at(principal, hanging, others, WEEKS)
    assert max(beside) <= alike * 1.3 < BACKLOG / 10


def test_a_crowd_of_endpoints_is_served_in_turn_and_never_looked_at_as_a_whole(
    principal: Principal, subscribers: list[Subscriber]
) -> None:
    """Where a thousand have something due at once, each claim looks at a part, and a round of all takes each once."""
    model = subscribers[0].endpoint.pk
    with connection.cursor() as cursor:
        cursor.execute(COPIED, [CROWD, model, model])
        crowd = [row[0] for row in cursor.fetchall()]
    pile_up(principal, crowd, 2 * CROWD)
    lanes: Lanes[Any] = Lanes(after=sorted(crowd)[CROWD // 2])
    served: list[UUID] = []
    for _ in range(CROWD // BATCH + 1):
        found, looked_at = claimed(lanes)
        assert sum(found.values()) <= BATCH
        assert looked_at <= 30 * ENDPOINTS_A_LOOK
        served += found
    assert sorted(served[:CROWD]) == sorted(crowd)
