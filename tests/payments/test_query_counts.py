"""Round trips to PostgreSQL of the busiest endpoints. BEGIN and COMMIT do not count."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from tests.payments.world import create
from tokens.services import load_bundled_tokens

pytestmark = pytest.mark.postgres

WHOLE = {
    "amount": 25,
    "settlement_chain": "base",
    "settlement_token": "USDC",
    "settlement_address": ANNS_EVM,
    "metadata": {"order": 17},
}
NOT_COUNTED = ("BEGIN", "COMMIT", "ROLLBACK;")


@pytest.fixture(autouse=True)
def _tokens(transactional_db: None) -> None:
    """The list that a migration loads, and that a flush takes away."""
    load_bundled_tokens()


def counted(api: ApiClient, method: str, path: str, body: object = None, **headers: str) -> tuple[Reply, list[str]]:
    """An answer and the statements that it took, after a first call that filled the caches."""
    with CaptureQueriesContext(connection) as captured:
        reply = api.send(method, path, body, **headers)
    statements = [query["sql"] for query in captured.captured_queries]
    return reply, [sql for sql in statements if not sql.startswith(NOT_COUNTED)]


@pytest.mark.spec("Performance: create in at most three round trips, aim two")
def test_a_create_with_everything_said_takes_two(api: ApiClient) -> None:
    create(api)
    reply, statements = counted(api, "POST", "/payment-intents", WHOLE)
    assert reply.status == 201
    assert len(statements) <= 2


@pytest.mark.spec("Rulings B4.1")
@pytest.mark.spec("Performance: new rows in one statement")
def test_all_new_rows_are_written_by_one_statement(api: ApiClient) -> None:
    create(api)
    reply, statements = counted(api, "POST", "/payment-intents", WHOLE, Idempotency_Key="k")
    assert reply.status == 201
    assert len(statements) <= 2
    for table in (
        "payments_paymentintent",
        "payments_intenttransition",
        "webhooks_event",
        "merchants_idempotencyrecord",
    ):
        assert f'INSERT INTO "{table}"' in statements[-1]


def test_a_create_that_needs_defaults_takes_three(api: ApiClient) -> None:
    create(api)
    reply, statements = counted(api, "POST", "/payment-intents", {"amount": 25}, Idempotency_Key="k")
    assert reply.status == 201
    assert len(statements) <= 3


def test_a_live_create_takes_three(live_api: ApiClient) -> None:
    assert create(live_api, **WHOLE)["mode"] == "live"
    reply, statements = counted(live_api, "POST", "/payment-intents", WHOLE, Idempotency_Key="k")
    assert reply.status == 201
    assert len(statements) <= 3


def test_a_replay_takes_three(api: ApiClient) -> None:
    first = api.post("/payment-intents", WHOLE, Idempotency_Key="k")
    reply, statements = counted(api, "POST", "/payment-intents", WHOLE, Idempotency_Key="k")
    assert (reply.status, reply.raw) == (201, first.raw)
    assert len(statements) <= 3
    assert PaymentIntent.objects.count() == 1


def test_a_retrieve_takes_two(api: ApiClient) -> None:
    intent = create(api)
    reply, statements = counted(api, "GET", f"/payment-intents/{intent['id']}")
    assert reply.status == 200
    assert len(statements) <= 2


def test_a_list_takes_two(api: ApiClient) -> None:
    for _ in range(3):
        create(api)
    reply, statements = counted(api, "GET", "/payment-intents?limit=2")
    assert len(reply.body["data"]) == 2
    assert len(statements) <= 2


def test_a_poll_of_the_checkout_takes_two(api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    reply, statements = counted(anonymous, "GET", f"/checkout/{intent['id']}")
    assert reply.status == 200
    assert len(statements) <= 2
