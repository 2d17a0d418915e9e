"""Rolling keys against itself: one form sent twice at the same moment makes one new pair."""

from datetime import timedelta
from functools import partial

import pytest

from core.modes import Mode
from merchants.errors import KeyPairChanged
from merchants.models import KeyKind, Merchant
from merchants.principal import Principal
from merchants.services import create_merchant, current_keys, roll_key_pair
from tests.conftest import ApiClient
from tests.races.lineup import queued

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_two_rolls_of_one_pair_make_one() -> None:
    account = create_merchant("Corner Shop", "owner@shop.example")
    shown = current_keys(account.merchant, Mode.TEST).get(kind=KeyKind.SECRET).pk
    principal = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor="user:1")
    roll = partial(roll_key_pair, principal, timedelta(0), shown_key_id=shown)
    first, second = queued(Merchant.objects.filter(pk=account.merchant.pk), [roll, roll])
    assert isinstance(second.refusal, KeyPairChanged)
    assert current_keys(account.merchant, Mode.TEST).count() == 2
    assert ApiClient(first.result.secret_key).get("/payment-intents").status == 200
