"""Statements that refunds take on PostgreSQL, and the indexes that find them. BEGIN and COMMIT do not count."""

from typing import Any

import pytest
from django.db import connection

from merchants.models import Merchant
from refunds.models import Refund
from refunds.services.advance import SWEEP
from tests.conftest import ApiClient
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.payments.test_query_counts import counted
from tests.performance.test_plans import plans
from tests.refunds.claiming import paid_by
from tests.refunds.stories import PAYEE, refund
from tokens.services import load_bundled_tokens

pytestmark = pytest.mark.postgres


@pytest.fixture
def intent(transactional_db: None, merchant: Merchant) -> dict[str, Any]:
    """A paid intent. Why the tokens are loaded: a test with real commits empties every table."""
    load_bundled_tokens()
    paid = paid_intent(merchant, mode="test")
    paid_by(paid, BOBS_EVM)
    return {"id": str(paid.pk)}


def test_how_often_the_database_is_asked(intent: dict[str, Any], api: ApiClient, anonymous: ApiClient) -> None:
    made = [refund(api, intent, 1) for _ in range(3)] + [refund(api, intent, 1, destination=PAYEE)]
    body = {"intent_id": intent["id"], "amount_usd": 1, "destination": PAYEE}
    waiting, sent, keyed = f"/refunds/{made[0]['id']}", f"/refunds/{made[-1]['id']}", {"Idempotency_Key": "k"}
    budget: tuple[tuple[str, int, ApiClient, str, str, Any, dict[str, str]], ...] = (
        ("create", 14, api, "POST", "/refunds", body, {}),
        ("create under a key", 19, api, "POST", "/refunds", body, keyed),
        ("repeat", 1, api, "POST", "/refunds", body, keyed),
        ("list, four of which three wait", 4, api, "GET", "/refunds", None, {}),
        ("retrieve one that waits", 4, api, "GET", waiting, None, {}),
        ("retrieve", 2, api, "GET", sent, None, {}),
        ("tell a destination", 8, api, "POST", f"{waiting}/destination", {"destination": PAYEE}, {}),
        ("cancel", 9, api, "POST", f"{waiting}/cancel", None, {}),
        ("public status", 1, anonymous, "GET", f"/api/public{sent}/status", None, {}),
    )
    taken = {}
    for name, _, caller, method, path, sent_body, headers in budget:
        reply, statements = counted(caller, method, path, sent_body, **headers)
        assert reply.status < 300, (name, reply.body)
        taken[name] = len(statements)
    assert [name for name, most, *_ in budget if taken[name] > most] == [], taken


@pytest.mark.spec("Performance: due rows are found through partial indexes")
def test_due_refunds_are_found_through_their_index(intent: dict[str, Any], api: ApiClient) -> None:
    refund(api, intent, 1, destination=PAYEE)
    original = Refund.objects.get(pk=refund(api, intent, 1)["id"])
    facts = {field.attname: getattr(original, field.attname) for field in Refund._meta.fields if field.name != "id"}
    Refund.objects.bulk_create([Refund(**facts) for _ in range(3000)], batch_size=500)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE refunds_refund")
    assert "Index Scan using refund_due " in plans(SWEEP.claim, "SKIP LOCKED")[0]
    [steps] = plans(lambda: api.get("/refunds"), '"refunds_refund"."created_at" DESC')
    assert "using refund_list " in steps
    assert "Sort" not in steps
