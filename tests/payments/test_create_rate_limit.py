"""429 on create at the limits we ship: 25 at once in either mode. Merchants' tests tell the headers of every answer."""

import pytest
from pytest_django import Settings

from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from webhooks.models import Event

pytestmark = pytest.mark.slow


@pytest.mark.spec("Rulings B5.2; Contract 13.2; Errors: 429 create intent, rate limited; Rate limits (not shown): ours")
@pytest.mark.spec("Contract 13.4")
def test_the_26th_of_one_moment_is_refused_and_makes_nothing(
    api: ApiClient, live_api: ApiClient, settings: Settings
) -> None:
    settings.RATE_LIMIT_SCALE = 1
    live = {"settlement_chain": "base", "settlement_address": ANNS_EVM}
    for made, caller, place in ((25, api, {}), (50, live_api, live)):
        body = {"amount": 25, **place}
        *passed, refused = [caller.post("/payment-intents", body, Idempotency_Key=f"k{one}") for one in range(26)]
        assert {reply.status for reply in passed} == {201}
        assert (refused.status, refused.body["code"], refused.headers["Retry-After"]) == (429, "rate_limited", "1")
        rows = (PaymentIntent.objects.count(), Event.objects.count(), IdempotencyRecord.objects.count())
        assert rows == (made, made, made)
