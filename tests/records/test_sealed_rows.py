"""I22: a byte that was changed in the table of seals, or of keys, is found by the next check."""

import random
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from operations.invariants import WHOLE
from operations.invariants.hourly import look_since
from operations.invariants.receipts import published_keys_are_as_they_were_made, records_are_as_they_were_sealed
from proofs.models import ProofKey
from records.models import RecordSeal
from records.services import sweep_due
from tests.conftest import ApiClient
from tests.ledger.forgetting import went_around
from tests.payments.world import World
from tests.payouts.stories import settled
from tests.records.test_flight_record import DESTINATION, changed

pytestmark = pytest.mark.django_db
CHANGES = 200
SEALS, KEYS = "records_recordseal", "proofs_proofkey"
UNUSED_BITS = -5
"""The last byte before the check sum of what is compressed: some of its bits stand for nothing."""


@pytest.fixture
def sealed(world: World, api: ApiClient) -> World:
    """A payment with a receipt and a later seal by a second key."""
    intent = settled(world, api)
    sweep_due()
    call_command("rotate_receipt_key", verbosity=0)
    assert api.post("/refunds", {"intent_id": intent["id"], "amount_usd": 10, "destination": DESTINATION}).status == 201
    world.wait(90_000)
    sweep_due()
    assert list(RecordSeal.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
    return world


def put(table: str, column: str, key: object, value: Any) -> None:
    went_around(f"UPDATE {table} SET {column} = %s WHERE id = %s", value, key, table=table)  # type: ignore[arg-type]  # noqa: S608 - our own words


def test_each_changed_byte_of_a_seal_is_found(sealed: World) -> None:
    assert list(records_are_as_they_were_sealed(WHOLE)) == []
    chance, rows = random.Random(120), list(RecordSeal.objects.order_by("number"))  # noqa: S311 - no secret
    for number in range(CHANGES):
        row, column = rows[number % 2], ("entries", "statement", "key_id", "signature")[number // 2 % 4]
        value: Any = getattr(row, column)
        if column == "entries":
            content = bytearray(value)
            content[chance.choice([place for place in range(len(content)) if place != len(content) + UNUSED_BITS])] ^= 1
            value = bytes(content)
        else:
            value = changed(value.encode(), chance).decode()
        with transaction.atomic():
            put(SEALS, column, row.pk, value)
            [said, *_] = records_are_as_they_were_sealed(WHOLE)
            assert said.startswith(f"I22 seal {row.number} of intent {row.intent_id} "), (column, value)
            transaction.set_rollback(True)  # noqa: FBT003 - as Django has it


def test_the_hourly_check_finds_it_too_and_one_that_is_gone(sealed: World) -> None:
    row = RecordSeal.objects.get(number=2)
    since = row.created_at
    assert [one for one in look_since(since, []).sentences if "I22" in one] == []
    with transaction.atomic():
        put(SEALS, "signature", row.pk, row.signature[::-1])
        expected = [f"I22 seal 2 of intent {row.intent_id} is not what was signed"]
        assert [one for one in look_since(since, []).sentences if "I22" in one] == expected
        transaction.set_rollback(True)  # noqa: FBT003 - as above
    went_around("DELETE FROM records_recordseal WHERE number = %s", 1, table=SEALS)
    expected = [f"I22 seal 2 of intent {row.intent_id} holds entries that cannot be read"]
    assert [one for one in look_since(since, []).sentences if "I22" in one] == expected


@pytest.mark.parametrize("column", ["public_key", "document", "endorsed_by", "endorsement"])
def test_each_changed_byte_of_a_key_is_found(sealed: World, column: str) -> None:
    assert list(published_keys_are_as_they_were_made(WHOLE)) == []
    key, chance = ProofKey.objects.get(is_current=True), random.Random(120)  # noqa: S311 - no secret
    for _ in range(CHANGES // 8):
        value = changed(getattr(key, column).encode(), chance).decode()
        with transaction.atomic():
            ProofKey.objects.filter(pk=key.pk).update(**{column: value})
            assert list(published_keys_are_as_they_were_made(WHOLE)) == [
                f"I22 proof key {key.pk} is not as it was published"
            ], value
            transaction.set_rollback(True)  # noqa: FBT003 - as above
