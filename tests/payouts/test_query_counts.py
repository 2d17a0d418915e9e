"""Round trips to PostgreSQL of reading payouts, and the indexes by which workers find what is due."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from core.clock import now
from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from payouts.models import PayoutPolicy
from payouts.services import set_payout_at_settle
from payouts.services.advance import SWEEP
from payouts.services.at_settle import pay_out_settled
from tests.conftest import ApiClient
from tests.factories.payouts import stored_payout
from tests.payments.test_query_counts import counted
from tests.payments.world import create
from tests.performance.rows import fill
from tests.performance.test_plans import plans

pytestmark = pytest.mark.postgres

ROWS = 3000


def test_a_read_takes_two(transactional_db: None, api: ApiClient) -> None:
    for _ in range(3):
        payout = stored_payout(create(api)["id"])
    api.get("/payouts")
    for path in ("/payouts", "/payouts?limit=2", "/payouts?status=queued", f"/payouts/{payout.pk}"):
        reply, statements = counted(api, "GET", path)
        assert reply.status == 200
        assert len(statements) <= 2, path


@pytest.fixture
def many(merchant: Merchant) -> Merchant:
    """A merchant with so many settled intents and payouts that reading all of them costs more than looking them up."""
    fill(merchant.pk, ROWS)
    long_ago = now() - timedelta(days=2)
    PaymentIntent.objects.update(status="settled", settled_at=long_ago, net_settlement_usd=25)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO payouts_payout (id, merchant_id, mode, intent_id, rail, destination, chain, token,"
            " token_address, token_decimals, base_units, amount_usd, less_refunds_usd, currency, tx_hash,"
            " failure_reason, attempts, attempts_before, maker, idempotency_key, created_by, released_by,"
            " destination_released_by, created_at, updated_at, status, event_sequence)"
            " SELECT gen_random_uuid(), merchant_id, mode, id, 'simulated', 'x', 'base', 'USDC', '', 6, 1, 1, 0, 'USD',"
            " '', '', 1, 0, 'service', '', 'worker', '', '', created_at, created_at, 'paid',"
            " 2 FROM payments_paymentintent"
        )
        cursor.execute("ANALYZE payments_paymentintent, payouts_payout, payouts_payoutpolicy")
    return merchant


@pytest.mark.spec("Performance: due rows are found through partial indexes; Performance: lists are read in their order")
def test_what_is_read_is_found_through_its_index(many: Merchant, api: ApiClient) -> None:
    """Why one test: so many rows are made once for all."""
    assert "Index Scan using payout_due " in plans(SWEEP.claim, "SKIP LOCKED")[0]
    for query, index in (("", "payout_list"), ("?status=failed", "payout_list_by_status")):
        [steps] = plans(lambda query=query: api.get(f"/payouts{query}"), '"payouts_payout"."created_at" DESC')  # type: ignore[misc]  # a lambda's default has no type
        assert f"using {index} " in steps
        assert "Sort" not in steps
    set_payout_at_settle(Principal(merchant_id=many.pk, mode=Mode.TEST, actor="user:1"), enabled=True)
    PayoutPolicy.objects.update(again_at=now() + timedelta(minutes=1))
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many_rows: bool, context: Any) -> Any:
        asked.append(sql)
        return execute(sql, parameters, many_rows, context)

    with connection.execute_wrapper(note):
        assert pay_out_settled(lambda: True) == 0
    assert len([sql for sql in asked if sql.startswith("SELECT")]) == 2
    PayoutPolicy.objects.update(look_at=now())
    newest = PaymentIntent.objects.values_list("pk", flat=True)[:1]
    PaymentIntent.objects.filter(pk__in=list(newest)).update(settled_at=now())
    [settled] = plans(lambda: pay_out_settled(lambda: True), 'BY "payments_paymentintent"."settled_at"')
    assert "using intent_settled " in settled
    assert "Seq Scan on payouts_payout " not in settled
