"""Statements to PostgreSQL that a create, a list and a poll take; round trips stand in tests/performance."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from tests.payments.world import create
from tokens.services import load_bundled_tokens

pytestmark = pytest.mark.postgres
WHOLE = {"amount": 25, "settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
WRITTEN = ("payments_paymentintent", "payments_intenttransition", "webhooks_event", "merchants_idempotencyrecord")
NOT_COUNTED = ("BEGIN", "COMMIT", "ROLLBACK;")


@pytest.fixture(autouse=True)
def _tokens(transactional_db: None) -> None:
    load_bundled_tokens()


def counted(api: ApiClient, method: str, path: str, body: object = None, **headers: str) -> tuple[Reply, list[str]]:
    """An answer and the statements that it took, after a first call that filled the caches."""
    with CaptureQueriesContext(connection) as captured:
        reply = api.send(method, path, body, **headers)
    statements = [query["sql"] for query in captured.captured_queries]
    return reply, [sql for sql in statements if not sql.startswith(NOT_COUNTED)]


@pytest.mark.spec("Rulings B4.1; Performance: new rows in one statement")
def test_all_new_rows_are_written_by_one_statement(api: ApiClient) -> None:
    made = create(api)
    reply, statements = counted(api, "POST", "/payment-intents", WHOLE, Idempotency_Key="k")
    assert (reply.status, len(statements)) == (201, 1)
    assert [table for table in WRITTEN if f'INSERT INTO "{table}"' not in statements[-1]] == []
    reply, statements = counted(api, "POST", "/payment-intents", WHOLE, Idempotency_Key="k")
    assert (reply.status, reply.headers["Idempotent-Replayed"], len(statements)) == (201, "true", 1)
    reply, statements = counted(api, "GET", f"/payment-intents/{made['id']}")
    assert (reply.status, len(statements)) == (200, 1)


def test_the_long_way_writes_them_by_one_statement_too(api: ApiClient) -> None:
    """What is not ordinary, such as a page to return to, is asked in one and written in another."""
    wish = WHOLE | {"expires_in_seconds": None, "currency": "usd"}
    create(api)
    reply, statements = counted(api, "POST", "/payment-intents", wish, Idempotency_Key="k")
    assert (reply.status, len(statements)) == (201, 2)
    assert [table for table in WRITTEN if f'INSERT INTO "{table}"' not in statements[-1]] == []


def test_a_list_and_a_poll_of_the_checkout_take_two(api: ApiClient, anonymous: ApiClient) -> None:
    made = [create(api) for _ in range(3)]
    reply, listing = counted(api, "GET", "/payment-intents?limit=2")
    assert len(reply.body["data"]) == 2
    reply, polling = counted(anonymous, "GET", f"/checkout/{made[0]['id']}")
    assert (reply.status, len(listing) <= 2, len(polling) <= 2) == (200, True, True)
