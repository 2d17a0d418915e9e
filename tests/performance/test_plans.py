"""What grows is read through an index: due rows through partial ones, lists in the order they are shown.

The tables are filled as the benchmark fills them, only less.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F

from core.asking import count_each
from core.modes import Mode
from dashboard.payments.figures import in_flight
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payments.services.advance import SWEEP
from payments.services.expire import expire_untouched
from payments.states import UNSOLD
from scripts.bench.stage import intent_id
from tests.conftest import ApiClient
from tests.performance.rows import fill
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes

pytestmark = pytest.mark.postgres

ROWS = 3000
ALL_QUEUED = """
    INSERT INTO payments_queuedintent (intent_id, due_at, listed_at, is_over)
    SELECT id, now() + interval '1 hour', now() + interval '1 hour', status IN ('settled', 'expired')
    FROM payments_paymentintent ON CONFLICT DO NOTHING
"""
INTENTS = '"payments_paymentintent"."created_at" DESC'


@pytest.fixture(autouse=True)
def _many_rows(account: NewMerchant) -> None:
    """So many rows that reading all of them costs more than looking them up.

    Why from empty files, and with statistics of every table: the room that earlier tests left behind would decide.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "TRUNCATE payments_paymentintent, webhooks_event, webhooks_delivery, webhooks_deliveryattempt CASCADE"
        )
    fill(account.merchant.pk, ROWS)
    with connection.cursor() as cursor:
        cursor.execute(ALL_QUEUED)
        cursor.execute("ANALYZE")


def plans(action: Callable[[], object], mark: str) -> list[str]:
    """How PostgreSQL answers each statement of an action that holds the mark."""
    found: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if mark in sql:
            found.append((sql, parameters))
        return execute(sql, parameters, many, context)

    with transaction.atomic(), connection.execute_wrapper(note):
        action()
        transaction.set_rollback(True)
    return [explained(sql, parameters) for sql, parameters in found]


def explained(sql: str, parameters: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}", parameters)
        return "\n".join(row[0] for row in cursor.fetchall())


@pytest.mark.spec("Performance: due rows are found through partial indexes")
def test_due_rows() -> None:
    due = {
        "queued_intent_due": SWEEP.claim,
        "intent_expires": lambda: expire_untouched(iter([False, True]).__next__),
        "event_to_fan_out": fan_out,
        "delivery_due_of_endpoint": lambda: claim(Lanes()),
    }
    read = {index: plans(action, "SKIP LOCKED")[0] for index, action in due.items()}
    assert {
        index: steps for index, steps in read.items() if not re.search(f"Scan (using|on) {index}(_before)? ", steps)
    } == {}


LISTS = {
    "": "intent_list",
    "?created_lt=2001-01-01T00:00:00Z": "intent_list",
    "?status=requires_payment": "intent_list_by_status",
    "?reference=A-1": "intent_by_reference",
    "?customer_email=a@shop.example": "intent_by_email",
}
SEARCHED = ("payments_paymentintent_pkey", "intent_by_reference", "intent_by_email", "intent_by_address")


@pytest.mark.spec("Performance: lists are read in their order")
def test_lists_need_no_sorting(api: ApiClient) -> None:
    def steps_of(query: str) -> list[str]:
        return plans(lambda: api.get(f"/payment-intents{query}"), INTENTS)

    for query, index in LISTS.items():
        [steps] = steps_of(query)
        assert (f"using {index} " in steps, "Sort" in steps) == (True, False), query
    [steps] = steps_of(f"?starting_after={intent_id(ROWS // 2)}")
    [condition] = [line for line in steps.splitlines() if "Index Cond" in line]
    assert ("created_at <=" in condition, "Sort" in steps) == (True, False)
    both = steps_of("?status=requires_payment,cancelled")
    assert [("using intent_list_by_status " in steps, "Sort" in steps) for steps in both] == [(True, False)] * 2
    [steps] = steps_of("?metadata[order_id]=none")
    assert "Bitmap Index Scan on intent_by_metadata " in steps
    searches = steps_of(f"?q={intent_id(7)}")
    assert [index for steps, index in zip(searches, SEARCHED, strict=True) if f"using {index} " not in steps] == []
    assert [steps for steps in searches[1:] if "Sort" in steps] == []


def _owed(me: Principal) -> object:
    mine = PaymentIntent.objects.visible_to(me)
    return count_each([mine.filter(status__in=UNSOLD, received_usd__gt=F("refunded_usd"))], 1000)


def test_home_reads_indexes_alone(account: NewMerchant) -> None:
    me = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor="user:1")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # so few rows are read any way
        cursor.execute("SET LOCAL enable_bitmapscan = off")
    for ask, index in ((in_flight, "intent_list_by_status"), (_owed, "intent_owed")):
        [steps] = plans(partial(ask, me), "COUNT(*)")
        assert f"Index Only Scan using {index} " in steps
