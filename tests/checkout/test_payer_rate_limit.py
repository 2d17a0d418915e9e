"""Payers behind one address do not use up each other's requests."""

from uuid import UUID

from django.test import override_settings

from checkout.views.access import issue_token
from tests.conftest import ApiClient
from tests.payments.world import create


def test_each_payment_has_its_own_bucket(api: ApiClient, anonymous: ApiClient) -> None:
    busy, quiet = create(api), create(api)
    with override_settings(RATE_LIMIT_SCALE=0.01):
        statuses = [state(anonymous, busy["id"]) for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        assert state(anonymous, quiet["id"]) == 200


def state(anonymous: ApiClient, intent_id: str) -> int:
    """Ask for the payer's state once; the answer's status."""
    return anonymous.get(f"/checkout/{intent_id}/state", Checkout_Token=issue_token(UUID(intent_id))).status
