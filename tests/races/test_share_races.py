"""What a merchant awaits, written and forgotten at the same moment."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from core.clock import now
from merchants.models import Merchant
from payments.models import AwaitedBy
from payments.services.shares import forget_over
from tests.payments.test_shares import awaited
from tests.races.lineup import holding

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_who_awaits_something_again_meanwhile_is_not_forgotten(merchant: Merchant, settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"
    again, _ = (row.awaited_by.get() for row in awaited(merchant, 2))
    AwaitedBy.objects.update(awaited_until=now())
    rows = AwaitedBy.objects.filter(pk=again.pk)
    with holding(rows) as lineup:
        lineup.enter(forget_over)
        rows.update(awaited_until=now() + timedelta(hours=1))
    assert list(AwaitedBy.objects.values_list("pk", flat=True)) == [again.pk]
