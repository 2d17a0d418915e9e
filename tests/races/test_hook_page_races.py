"""Buttons of the dashboard pressed twice at the same moment: one endpoint made, one secret rotated."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db.models import QuerySet
from django.test import Client

from merchants.models import Merchant
from merchants.services import NewMerchant
from tests.merchants.people import OWNER, confirm_identity, field_value, sign_in
from tests.races.lineup import queued
from tests.races.shop import Shop
from tests.webhooks.actors import subscribe
from webhooks.models import SigningSecret, WebhookEndpoint

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BROWSERS = 4
BASE = "/dashboard/test/"


@pytest.fixture
def owners(account: NewMerchant) -> list[Client]:
    cache.clear()
    windows = [sign_in(OWNER) for _ in range(BROWSERS)]
    for window in windows:
        confirm_identity(window)
    return windows


def presses(owners: list[Client], path: str, locked: QuerySet[Any], **fields: str) -> Counter[int]:
    """Every window sends the form that it was shown; all of them wait at the same lock. The answers' statuses."""
    acts: list[Callable[[], Any]] = []
    for window in owners:
        token = field_value(window.get(path), "csrfmiddlewaretoken")
        acts.append(partial(window.post, path, {"csrfmiddlewaretoken": token, **fields}))
    return Counter(ending.result.status_code for ending in queued(locked, acts))


def test_a_new_endpoint_sent_from_four_windows_is_made_once(shop: Shop, owners: list[Client], rounds: range) -> None:
    merchant = Merchant.objects.filter(pk=shop.principal.merchant_id)
    for number in rounds:
        key = field_value(owners[0].get(f"{BASE}webhooks/new/"), "form_key")
        fields = {"form_key": key, "url": f"https://8.8.8.8/hook/{number}", "events": "*"}
        assert presses(owners, f"{BASE}webhooks/new/", merchant, **fields) == {200: 1, 302: BROWSERS - 1}
        assert (WebhookEndpoint.objects.count(), SigningSecret.objects.count()) == (number + 1, number + 1)


def test_a_rotation_pressed_in_four_windows_rotates_once(shop: Shop, owners: list[Client]) -> None:
    made = subscribe(shop.principal, "https://8.8.8.8/hook")
    path = f"{BASE}webhooks/{made.id}/secret/"
    shown = field_value(owners[0].get(path), "shown_secret_id")
    row = WebhookEndpoint.objects.filter(pk=made.id)
    assert presses(owners, path, row, shown_secret_id=shown) == {200: 1, 302: BROWSERS - 1}
    assert SigningSecret.objects.count() == 2
