"""What settled before there were receipts gets them afterwards, says when, and nothing is signed twice."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from itertools import count
from typing import Any

import pytest
from causeway_sdk.records import RECEIPT, verify
from django.core.management import call_command
from django.db import connection, transaction

from core.clock import now, wire_time
from payments.models import PaymentIntent
from proofs.keys import sign
from records import backlog
from records.backlog import seal_backlog
from records.models import AwaitedSeal, RecordSeal, SealBacklog
from records.services import sweep_due
from refunds.services.advance import sweep_due as sweep_refunds
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.world import World
from tests.payouts.stories import settled
from tests.records.test_flight_record import DESTINATION, keys, record_of

pytestmark = pytest.mark.django_db
LONG = timedelta(days=40).total_seconds()


@pytest.fixture
def old(world: World, api: ApiClient) -> dict[str, Any]:
    """A payment that settled under a release which asked for no seal, and a key that is there already."""
    sign("causeway.test", b"")
    intent = settled(world, api)
    AwaitedSeal.objects.all().delete()
    world.wait(LONG)
    return intent


def seal_all() -> str:
    said = StringIO()
    call_command("seal_records", stdout=said)
    return said.getvalue()


def test_it_has_a_receipt_that_says_that_it_was_signed_later(world: World, api: ApiClient, old: dict[str, Any]) -> None:
    row = PaymentIntent.objects.get()
    assert seal_all() == (
        "1 records looked at\n"
        "1 records looked at; nothing waits. An hour after the upgrade all are gone through once more, by the clock.\n"
    )
    record = record_of(api, old)
    report = verify(record, keys())
    (seal,) = json.loads(record)["seals"]
    said, settled_at = seal["statement"], wire_time(row.settled_at)  # type: ignore[arg-type]  # it settled
    assert (said["type"], said["status"], said["settled_at"]) == (RECEIPT, "settled", settled_at)
    assert (report.problems, report.notes) == (
        [],
        ["test mode: no money moved", f"settled at {settled_at}, signed only at {said['signed_at']}"],
    )
    assert said["signed_at"] > settled_at
    world.wait(LONG)
    assert (seal_all().startswith("1 records"), record_of(api, old), violations()) == (True, record, [])
    assert (RecordSeal.objects.count(), AwaitedSeal.objects.count(), seal_backlog()) == (1, 0, True)


class Died(BaseException):
    """The program ends here."""


def dying_at(place: int) -> Callable[..., Any]:
    """Ends the program at so many-th of its statements."""
    numbers = count(1)

    def execute(run: Callable[..., Any], *given: Any) -> Any:
        if next(numbers) == place:
            raise Died
        return run(*given)

    return execute


def test_wherever_it_is_ended_it_goes_on_and_signs_once(world: World, api: ApiClient, old: dict[str, Any]) -> None:
    with transaction.atomic():
        seal_all()
        whole = json.loads(record_of(api, old))
        transaction.set_rollback(True)  # noqa: FBT003 - as Django has it
    for place in count(1):
        with transaction.atomic():
            try:
                with connection.execute_wrapper(dying_at(place)), transaction.atomic():
                    seal_all()
                is_over = True
            except Died:
                is_over = False
            world.wait(61)  # whoever died had taken it for so long
            seal_all()
            record = record_of(api, old)
            found = json.loads(record)
            assert (found["entries"], len(found["seals"]), verify(record, keys()).problems) == (
                *(whole["entries"], 1),
                [],
            ), place
            seal_all()
            assert record_of(api, old) == record, place
            transaction.set_rollback(True)  # noqa: FBT003 - as above
        if is_over:
            break
    assert place > 20


def test_what_was_refunded_since_has_a_receipt_that_says_so(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    world.run(4000)
    assert api.post("/refunds", {"intent_id": intent["id"], "amount_usd": 25, "destination": DESTINATION}).status == 201
    for _ in range(20):
        sweep_refunds()
        world.wait(5)
    AwaitedSeal.objects.all().delete()
    seal_all()
    (seal,) = json.loads(record_of(api, intent))["seals"]
    assert (seal["statement"]["type"], seal["statement"]["status"]) == (RECEIPT, "refunded")


def test_it_asks_for_some_at_a_time_and_never_again_for_what_is_sealed(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "AT_ONCE", 1)
    monkeypatch.setattr(backlog, "MOST_WAITING", 2)
    for _ in range(3):
        settled(world, api)
    AwaitedSeal.objects.all().delete()
    world.wait(60)
    for waiting, sealed in ((2, 2), (1, 3), (0, 3)):
        assert not seal_backlog()
        assert AwaitedSeal.objects.filter(next_attempt_at__lte=now()).count() == waiting
        sweep_due()
        assert RecordSeal.objects.count() == sealed


def test_what_programs_of_before_settle_meanwhile_is_found_by_the_second_pass(world: World, api: ApiClient) -> None:
    settled(world, api)
    AwaitedSeal.objects.all().delete()
    world.wait(60)
    seal_all()
    settled(world, api)
    AwaitedSeal.objects.filter(next_attempt_at__lte=now()).delete()
    assert (seal_backlog(), RecordSeal.objects.count()) == (False, 1)
    world.wait(3600)
    assert seal_backlog()
    sweep_due()
    assert (RecordSeal.objects.count(), violations()) == (2, [])
    call_command("prepare_rollback", stdout=StringIO())
    assert not SealBacklog.objects.exists()


def test_a_new_database_has_none_that_lack_any(db: None) -> None:
    assert seal_backlog()
