"""How often the busiest endpoints wait for PostgreSQL, counted on the wire: BEGIN and COMMIT count too."""

from collections.abc import Iterator
from itertools import count

import pytest

from merchants.services import NewMerchant
from payments.models import PaymentIntent
from scripts.bench.round_trips import count_round_trips
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.performance.wire import request
from tokens.services import load_bundled_tokens

pytestmark = pytest.mark.postgres

WHOLE = {"amount": 25, "settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
LEAST = {"amount": 25}


@pytest.fixture(autouse=True)
def _tokens(transactional_db: None) -> None:
    """The list that a migration loads, and that a flush takes away."""
    load_bundled_tokens()


@pytest.fixture
def fresh() -> Iterator[str]:
    """Idempotency keys nobody used before."""
    return (f"key {number}" for number in count())


@pytest.mark.spec("Performance: create in at most three round trips, aim two")
def test_create_takes_two(account: NewMerchant, fresh: Iterator[str]) -> None:
    key = account.test.secret_key
    assert count_round_trips(lambda: request(key, "POST", "/payment-intents", WHOLE, Idempotency_Key=next(fresh))) == 2


def test_create_from_the_merchants_defaults_takes_three(account: NewMerchant, fresh: Iterator[str]) -> None:
    key = account.test.secret_key
    assert count_round_trips(lambda: request(key, "POST", "/payment-intents", LEAST, Idempotency_Key=next(fresh))) == 3


def test_live_create_takes_three(account: NewMerchant, fresh: Iterator[str]) -> None:
    key = account.live.secret_key
    assert count_round_trips(lambda: request(key, "POST", "/payment-intents", WHOLE, Idempotency_Key=next(fresh))) == 3


@pytest.mark.spec("Performance: retrieve in at most two round trips")
def test_retrieve_takes_two(api: ApiClient) -> None:
    intent = api.post("/payment-intents", WHOLE).body
    assert count_round_trips(lambda: request(api.key, "GET", f"/payment-intents/{intent['id']}")) == 2


@pytest.mark.spec("Performance: replay in at most three round trips, aim two")
@pytest.mark.parametrize("body", [WHOLE, LEAST])
def test_replay_takes_one(api: ApiClient, body: dict[str, object]) -> None:
    assert count_round_trips(lambda: request(api.key, "POST", "/payment-intents", body, Idempotency_Key="once")) == 1
    assert PaymentIntent.objects.count() == 1
