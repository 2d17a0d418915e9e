"""The benchmark's own SQL still fits the tables."""

import pytest
from django.db import connection

from merchants.services import NewMerchant
from payments.models import PaymentIntent
from scripts.bench.stage import intent_id, read_sql
from tests.performance.rows import fill
from webhooks.models import Delivery, Event, WebhookEndpoint

pytestmark = pytest.mark.postgres


def test_the_benchmarks_sql_fits_the_tables(account: NewMerchant) -> None:
    merchant = account.merchant.pk
    fill(merchant, 300)
    with connection.cursor() as cursor:
        cursor.execute(_as_sql(read_sql("retrieve.sql"), number="7"))
        assert cursor.rowcount == 1
        cursor.execute(_as_sql(read_sql("create.sql"), merchant_id=str(merchant), answer_bytes="10"))
        endpoints = [str(endpoint.pk) for endpoint in WebhookEndpoint.objects.all()]
        amounts = {"merchant_id": merchant, "events": 20, "endpoint_count": len(endpoints), "weeks": 1}
        cursor.execute(read_sql("deliveries.sql"), {**amounts, "endpoints": endpoints})
    assert PaymentIntent.objects.count() == 301
    assert PaymentIntent.objects.get(pk=intent_id(7)).reference == "A-7"
    assert Event.objects.count() == 300 + 1 + 20
    assert Delivery.objects.filter(outcome="due").count() == 200 + 20


def _as_sql(script: str, **variables: str) -> str:
    """A script of pgbench without its commands, and inside the test's transaction."""
    lines = [line for line in script.splitlines() if not line.startswith((r"\set", "BEGIN", "COMMIT"))]
    text = "\n".join(lines)
    for name, value in variables.items():
        text = text.replace(f":{name}", value)
    return text
