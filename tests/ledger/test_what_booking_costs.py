"""What the books cost on PostgreSQL: a create nothing, each step of a credit a statement, a refund none of its own."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import ApiClient
from tests.payments.test_query_counts import counted
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, settled, work

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def booking(captured: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in captured.captured_queries if "ledger_posting" in query["sql"]]


def test_a_payment_takes_one_statement_when_it_is_seen_and_one_when_it_counts(world: World, api: ApiClient) -> None:
    with CaptureQueriesContext(connection) as captured:
        intent = create(api)
    assert booking(captured) == []
    pay(api, intent)
    with CaptureQueriesContext(connection) as captured:
        world.run(6)
    assert len(booking(captured)) == 2


def test_a_refund_is_booked_in_the_statement_of_its_history(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    body = {"intent_id": intent["id"], "amount_usd": 10, "destination": PAYEE}
    _, statements = counted(api, "POST", "/refunds", body)
    with CaptureQueriesContext(connection) as captured:
        work(world)
    booked = [*(sql for sql in statements if "ledger_posting" in sql), *booking(captured)]
    assert ["refunds_refundtransition" in sql for sql in booked] == [True, True]
