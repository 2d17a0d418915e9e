"""How often the busiest endpoints wait for PostgreSQL, counted on the wire: BEGIN and COMMIT count too."""

from collections.abc import Mapping
from functools import partial
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


def creating(key: str, body: Mapping[str, object]) -> int:
    """How often a create waits, each time under a key that nobody used before."""
    fresh = map(f"{len(body)} {{}}".format, count())
    return count_round_trips(lambda: request(key, "POST", "/payment-intents", body, Idempotency_Key=next(fresh)))


@pytest.mark.spec("Performance: create in at most three round trips, aim two")
def test_create_takes_two_and_three_in_live_mode_or_from_the_merchants_defaults(account: NewMerchant) -> None:
    test, live = account.test.secret_key, account.live.secret_key
    assert (creating(test, WHOLE), creating(live, WHOLE)) == (2, 3)
    assert creating(test, LEAST) == 3


@pytest.mark.spec("Performance: retrieve in at most two round trips")
@pytest.mark.spec("Performance: replay in at most three round trips, aim two")
def test_retrieve_takes_two_and_a_replay_one(api: ApiClient) -> None:
    intent = api.post("/payment-intents", WHOLE).body
    assert count_round_trips(lambda: request(api.key, "GET", f"/payment-intents/{intent['id']}")) == 2
    for name, body in (("whole", WHOLE), ("least", LEAST)):
        again = partial(request, api.key, "POST", "/payment-intents", body, Idempotency_Key=name)
        assert count_round_trips(again) == 1
    assert PaymentIntent.objects.count() == 3
