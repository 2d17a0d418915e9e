"""Many keys at once: what is found among them, whatever characters they hold."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.db.models import Manager

from chains.models import WatchedAddress
from core.clock import now
from core.models import Heartbeat
from merchants.principal import Principal
from payments.models import MarkedTransaction, QueuedIntent
from tests.webhooks.actors import happen, subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery

MANY = 260_000
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
    longest = "x" * 40
    Heartbeat.objects.create(name=longest, at=now())
    assert Heartbeat.objects.filter(name__among=[longest]).count() == 1
    assert Heartbeat.objects.filter(name__among=[f"{longest}y"]).count() == 0


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


def test_however_many_keys_there_are(principal: Principal) -> None:
    """One merchant's addresses or payments may be more than SQLite takes values in a statement."""
    subscribe(principal, "https://hooks.shop.example/")
    happen(principal)
    fan_out()
    wanted, numbers = Delivery.objects.get(), range(principal.merchant_id, principal.merchant_id + MANY)
    ids = map(uuid.UUID, map("{:032x}".format, range(MANY)))
    assert Delivery.objects.filter(pk__among=[*ids, wanted.pk]).get() == wanted
    assert Delivery.objects.filter(merchant__among=numbers).get() == wanted
    assert Delivery.objects.filter(
        pk=wanted.pk, event__type__among=[*map(str, range(MANY)), wanted.event.type]
    ).exists()
    assert not Delivery.objects.filter(merchant__among=numbers[1:]).exists()


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rows", "column", "keys"),
    [
        (WatchedAddress.objects, "pk", [1, 2, 3]),
        (WatchedAddress.objects, "address", ["a", "b", "c"]),
        (QueuedIntent.objects, "pk", [uuid.uuid4() for _ in range(3)]),
        (MarkedTransaction.objects, "leg", [uuid.uuid4() for _ in range(3)]),
    ],
    ids=["number", "text", "one to one", "many to one"],
)
def test_any_number_of_keys_is_one_statement(rows: Manager[Any], column: str, keys: list[Any]) -> None:
    """Else the driver and the server keep one for each number of them, in every connection."""
    statements: list[str] = []

    def listen(execute: Any, sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(listen):
        for most in (1, 2, 3):
            assert list(rows.filter(**{f"{column}__among": keys[:most]})) == []
        assert list(rows.filter(**{f"{column}__among": []})) == []
    assert len(statements) == 3
    assert len(set(statements)) == 1
