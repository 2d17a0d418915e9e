"""PostgreSQL keeps a claim on the page of its row, so that no index is written: how often it did says its own count."""

import pytest
from django.db import connection, transaction

from core.clock import now
from core.outbound.answers import Answer
from merchants.principal import Principal
from tests.webhooks.actors import Subscriber, happen, subscribe
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import FIRST_WINDOW, Lanes
from webhooks.delivery.posting import Result
from webhooks.delivery.records import record
from webhooks.models import Delivery

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EVENTS = 200
"""Several pages full, of which one round is claimed. Why no more: room on a page comes back only when nobody looks at
what was before, and what PostgreSQL does for itself meanwhile may look."""
OK = Answer(status=200, headers=(), body=b"ok")


@pytest.fixture
def subscriber(principal: Principal) -> Subscriber:
    return subscribe(principal, "https://hooks.shop.example/")


def updates() -> tuple[int, int]:
    """All updates of deliveries since the tables were made, and those that wrote no index."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT sum(n_tup_upd), sum(n_tup_hot_upd) FROM pg_stat_user_tables WHERE relname ~ '^webhooks_delivery_'",
        )
        all_of_them, quick = cursor.fetchone()
    return int(all_of_them), int(quick)


def test_every_claim_stays_on_its_page_and_a_record_cannot(principal: Principal, subscriber: Subscriber) -> None:
    with connection.cursor() as cursor:
        cursor.execute('TRUNCATE "webhooks_delivery" CASCADE')  # else pages hold what tests before deleted
    with transaction.atomic():
        for _ in range(EVENTS):
            happen(principal)
    fan_out()
    before = updates()
    claims = claim(Lanes())
    claimed = updates()
    record([Result(claim=mine, at=now(), seconds=0.001, answer=OK) for mine in claims])
    recorded = updates()
    assert len(claims) == FIRST_WINDOW
    assert (claimed[0] - before[0], claimed[1] - before[1]) == (FIRST_WINDOW, FIRST_WINDOW)
    assert (recorded[0] - claimed[0], recorded[1] - claimed[1]) == (FIRST_WINDOW, 0)
    assert Delivery.objects.filter(outcome="delivered").count() == FIRST_WINDOW
