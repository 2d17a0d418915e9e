"""What a merchant awaits, written and forgotten at the same moment."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from chains.models import ChainReader, WatchedAddress
from core.clock import now
from merchants.models import Merchant
from payments.models import AwaitedBy
from payments.services.shares import SHARE, forget_over
from tests.payments.test_resting import Asked, reader
from tests.payments.test_shares import awaited
from tests.races.lineup import holding

__all__ = ["reader"]

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _localnet(settings: Settings) -> None:
    settings.NETWORK_PROFILE = "localnet"


def test_who_awaits_something_again_meanwhile_is_not_forgotten(merchant: Merchant) -> None:
    again, _ = (row.awaited_by.get() for row in awaited(merchant, 2))
    AwaitedBy.objects.update(awaited_until=now())
    rows = AwaitedBy.objects.filter(pk=again.pk)
    with holding(rows) as lineup:
        lineup.enter(forget_over)
        rows.update(awaited_until=now() + timedelta(hours=1))
    assert list(AwaitedBy.objects.values_list("pk", flat=True)) == [again.pk]


def test_a_turn_waits_for_no_address_with_what_it_forgot_locked(reader: ChainReader, merchant: Merchant) -> None:
    """Who hands out has the address, and then asks for who awaits it: the two waited for each other."""
    over = awaited(merchant, SHARE + 1)[0]
    other = AwaitedBy.objects.create(
        watched=over, merchant=Merchant.objects.create(name="other"), awaited_until=now() - timedelta(seconds=1)
    )
    with holding(WatchedAddress.objects.filter(pk=over.pk)) as lineup:
        lineup.enter(lambda: Asked().turn(reader))
        assert lineup.waited == 1
        again = AwaitedBy.objects.filter(pk=other.pk).update(awaited_until=now() + timedelta(hours=1))
    over.refresh_from_db()
    assert (again, over.read_at is None, lineup.endings()[0].refusal) == (0, False, None)
