"""A row that is inserted unless it is there already."""

from typing import Any

import pytest

from chains.models import EventOwner
from core.bulk import insert_once

pytestmark = pytest.mark.django_db
NAME: dict[str, Any] = {"network": "localnet", "chain": "base", "tx_hash": "0x1", "kind": "log", "position": "+0"}


def test_the_first_stands_and_is_known_by_its_key() -> None:
    row = EventOwner(**NAME, owner="credit")
    assert insert_once(row) is True
    assert EventOwner.objects.get(pk=row.pk).owner == "credit"
    row.owner = "proof"
    row.save()
    assert list(EventOwner.objects.values_list("pk", "owner")) == [(row.pk, "proof")]


def test_the_second_changes_nothing() -> None:
    insert_once(EventOwner(**NAME, owner="credit"))
    second = EventOwner(**NAME, owner="proof")
    assert insert_once(second) is False
    assert second._state.adding is True
    assert list(EventOwner.objects.values_list("owner", flat=True)) == ["credit"]
    assert insert_once(EventOwner(**NAME | {"position": "+1"}, owner="proof")) is True
