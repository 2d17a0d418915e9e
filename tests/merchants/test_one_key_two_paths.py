"""One key for the same wish at two resources: the second is refused, and nothing happens to it.

Why of its own: with no body, the path alone tells the wishes apart. A key that forgot it would answer "cancelled" of
an intent that stays payable.
"""

from collections.abc import Callable

import pytest

from merchants.models import Merchant
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World, create
from tests.payouts import stories as payouts
from tests.refunds.stories import PAYEE, refund

Path = Callable[[World, ApiClient, Principal], str]


def _intent(_world: World, api: ApiClient, _principal: Principal) -> str:
    return f"/payment-intents/{create(api)['id']}/cancel"


def _refund(_world: World, api: ApiClient, principal: Principal) -> str:
    paid = paid_intent(Merchant.objects.get(pk=principal.merchant_id), mode="test")
    return f"/refunds/{refund(api, {'id': str(paid.pk)}, destination=PAYEE)['id']}/cancel"


def _failed_payout(world: World, api: ApiClient, principal: Principal) -> str:
    intent = payouts.settled(world, api, metadata={"simulate": "payout_fail"})
    payout = payouts.asked(principal, intent, key=intent["id"])
    payouts.run(world, 0)
    assert payouts.shown(api, payout)["status"] == "failed"
    return f"/payouts/{payout.pk}/replay"


def _endpoint(_world: World, api: ApiClient, _principal: Principal) -> str:
    made = api.post("/webhook-endpoints", {"url": "https://shop.example/hooks", "events": ["*"]})
    return f"/webhook-endpoints/{made.body['id']}/rotate-secret"


@pytest.mark.spec("Idempotency on create: same key with a different body returns 409")
@pytest.mark.parametrize("path_of", [_intent, _refund, _failed_payout, _endpoint])
def test_the_same_action_on_another_resource_is_refused(
    path_of: Path, world: World, api: ApiClient, principal: Principal
) -> None:
    first, second = path_of(world, api, principal), path_of(world, api, principal)
    assert api.post(first, Idempotency_Key="k").status == 200
    before = all_rows()
    refused = api.post(second, Idempotency_Key="k")
    assert_refused(refused, 409, "idempotency_key_reused")
    assert all_rows() == before
    assert api.post(second, Idempotency_Key="k2").status == 200
