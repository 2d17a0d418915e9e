"""Many keys at once: what is found among them, whatever characters they hold."""

import uuid

import pytest

from core.clock import now
from core.models import Heartbeat
from merchants.principal import Principal
from tests.webhooks.actors import happen, subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery

ODD = ["plain", 'a"b', "c\\d", "e,f", "{g}", "NULL", "h'i", "%s", "é"]


@pytest.mark.django_db
def test_texts_are_found_as_they_are() -> None:
    Heartbeat.objects.all().delete()
    for name in ODD:
        Heartbeat.objects.create(name=name, at=now())
    for name in ODD:
        found = Heartbeat.objects.filter(name__among=[name, name, "none"])
        assert list(found.values_list("name", flat=True)) == [name]
    assert Heartbeat.objects.filter(name__among=ODD).count() == len(ODD)
    assert Heartbeat.objects.filter(name__among=[]).count() == 0


def test_ids_are_found_and_changed(principal: Principal) -> None:
    subscribe(principal, "https://hooks.shop.example/")
    for _ in range(3):
        happen(principal)
    fan_out()
    first, second, third = Delivery.objects.order_by("pk")
    mine = Delivery.objects.filter(pk__among=[first.pk, uuid.uuid4(), third.pk])
    assert {row.pk for row in mine} == {first.pk, third.pk}
    assert mine.update(attempts=1) == 2
    assert Delivery.objects.filter(pk__among=[], attempts=1).update(attempts=2) == 0
    assert dict(Delivery.objects.values_list("pk", "attempts")) == {first.pk: 1, second.pk: 0, third.pk: 1}
