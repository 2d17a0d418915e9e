"""Rows that are their own queue entry: who is claimed first, and what becomes of what was not begun."""

from datetime import timedelta

import pytest

from core.clock import now
from core.leases import give_back, take_due
from merchants.models import OutgoingMail

pytestmark = pytest.mark.django_db


def test_what_is_given_back_is_due_before_all_others() -> None:
    first, second, third = (
        OutgoingMail.objects.create(sealed=b"", next_attempt_at=now() - timedelta(seconds=since)).pk
        for since in (90, 60, 30)
    )
    waiting, until = OutgoingMail.objects.all(), now() + timedelta(seconds=30)
    assert take_due(waiting, most=2, until=until) == [first, second]
    give_back(waiting.filter(pk__in=[first, second]))
    assert take_due(waiting, most=2, until=until) == [first, second]
    assert take_due(waiting, most=2, until=until) == [third]
