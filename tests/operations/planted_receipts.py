"""What can not be true of sealed records and their keys, planted past the triggers that refuse it."""

from collections.abc import Callable
from typing import Any

from django.db import connection

from core.clock import now
from payments.models import PaymentIntent
from proofs.models import ProofKey
from records.models import AwaitedSeal, RecordSeal, SealBacklog
from records.services import seal
from tests.ledger.forgetting import went_around

TABLE = "records_recordseal"


def _sealed(world: Any) -> RecordSeal:
    assert seal(world.kept.pk)
    found: RecordSeal = RecordSeal.objects.get(intent=world.kept)
    return found


def _put(row: RecordSeal, column: str, value: str | int | bytes) -> None:
    went_around(f"UPDATE {TABLE} SET {column} = %s WHERE id = %s", value, row.pk, table=TABLE)  # noqa: S608 - our own words


def _another_word(world: Any) -> None:
    row = _sealed(world)
    _put(row, "statement", row.statement.replace('"mode":"test"', '"mode":"tesT"'))


def _another_entry(world: Any) -> None:
    row = _sealed(world)
    content = bytes(row.entries)
    _put(row, "entries", content[:-1] + bytes([content[-1] ^ 1]))


def _of_another_payment(world: Any) -> None:
    row = _sealed(world)
    _put(row, "intent_id", _column(world.refund.intent_id))


def _column(key: Any) -> Any:
    """A key as the database of the test has it."""
    return PaymentIntent._meta.pk.get_db_prep_value(key, connection)


def _by_nobody(world: Any) -> None:
    _put(_sealed(world), "key_id", "rk_0000000000000000")


def _after_none(world: Any) -> None:
    _put(_sealed(world), "number", 2)


def _unlisted(world: Any) -> None:
    _sealed(world)
    key = ProofKey.objects.get()
    ProofKey.objects.update(document=key.document.replace(key.pk, "rk_0000000000000000"))


def _unsealed(world: Any) -> None:
    SealBacklog.objects.create(finished_at=now())
    AwaitedSeal.objects.filter(intent=world.kept).delete()


PLANTS: dict[str, Callable[[Any], object]] = {
    "I22 seal 1 of intent .* is not what was signed": _another_word,
    "I22 seal 1 of intent .* holds entries that cannot be read": _another_entry,
    "I22 seal 1 of intent .* was signed for another payment": _of_another_payment,
    "I22 seal 1 of intent .* is signed by rk_0000000000000000, which is none of our keys": _by_nobody,
    "I22 seal 2 of intent .* holds entries that cannot be read": _after_none,
    "I22 proof key .* is not as it was published": _unlisted,
    "I22 intent .* settled, and its record is neither sealed nor waits to be": _unsealed,
}
