"""What the proof reads of the rows: of payments and refunds that went well, and of rows that no run may end with."""

from pathlib import Path

import pytest
from django.db import connection

from chains.models import SimulatedTransaction
from core.clock import now
from merchants.models import Merchant
from payments.models import Credit
from scripts.cluster.books import Rows, count_undone, judge, rows_of
from scripts.cluster.journal import CREATED, LIVE_SENT, PAID, REFUNDED, Reading
from scripts.cluster.load import DESTINATION
from tests.cluster.recorded import journal_of
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.factories.refunds import paid_intent
from tests.payments.world import World, create, pay
from tests.refunds.stories import refund, settled, work
from webhooks.models import Event

pytestmark = pytest.mark.postgres


@pytest.fixture
def journal(world: World, api: ApiClient, merchant: Merchant, tmp_path: Path) -> Reading:
    """A payment and its refund that ended well, and a live one."""
    intent, live = settled(world, api), paid_intent(merchant)
    made = refund(api, intent, destination=DESTINATION)
    work(world)
    found = journal_of(
        tmp_path,
        {"at": 1, "what": CREATED, "id": intent["id"]},
        {"at": 2, "what": PAID, "id": intent["id"]},
        {"at": 3, "what": REFUNDED, "id": intent["id"], "refund": made["id"]},
        {"at": 4, "what": LIVE_SENT, "id": str(live.pk)},
    )
    found.refresh()
    return found


def kept(journal: Reading) -> Rows:
    return rows_of(connection.connection, journal)


def test_what_went_well_is_found_whole(journal: Reading) -> None:
    rows = kept(journal)
    assert rows.events == {str(one) for one in Event.objects.values_list("pk", flat=True)} != set()
    books = judge(journal, rows)
    assert (books.acknowledged, books.refunds, books.live, rows.moved) == (1, 1, 1, 1)
    assert [books.lost, books.lost_refunds, books.sent_twice, books.never_sent, books.live_unsettled] == [0] * 5


def test_what_is_not_kept_is_missing(journal: Reading) -> None:
    journal.lines += [
        {"at": 5, "what": CREATED, "id": "00000000-0000-0000-0000-000000000001"},
        {"at": 6, "what": REFUNDED, "id": "", "refund": "00000000-0000-0000-0000-000000000002"},
    ]
    books = judge(journal, kept(journal))
    assert (books.lost, books.lost_refunds) == (1, 1)


def test_a_transaction_of_the_same_movement_is_sent_twice(journal: Reading) -> None:
    """By its tag, whoever it went to; and to where refunds go, whatever its tag."""
    sent = SimulatedTransaction.objects.get(recipient=DESTINATION)
    sent.pk, sent.tx_hash, sent.recipient = None, "0xtwice", "0x" + "12" * 20
    sent.save()
    assert judge(journal, kept(journal)).sent_twice == 1
    sent.tag, sent.recipient = "of nothing", DESTINATION
    sent.save()
    assert judge(journal, kept(journal)).sent_twice == 1


def test_a_live_payment_that_counted_twice_or_in_part_did_not_settle_once(journal: Reading) -> None:
    only = Credit.objects.get(intent__mode="live")
    assert only.intent is not None
    credit(only.intent, 1, block_time=only.block_time, final_at=only.final_at, network="localnet")
    assert judge(journal, kept(journal)).live_unsettled == 1
    Credit.objects.exclude(pk=only.pk).filter(intent=only.intent).delete()
    assert judge(journal, kept(journal)).live_unsettled == 0
    only.intent.received_usd -= 1
    only.intent.save()
    assert judge(journal, kept(journal)).live_unsettled == 1


def test_what_is_under_way_is_waited_for(world: World, api: ApiClient, journal: Reading) -> None:
    """A payment until it settled, an event until it was handed to who wants it."""
    Event.objects.update(fanned_out_at=now())
    assert count_undone(connection.connection, journal) == 0
    intent = create(api)
    assert pay(api, intent).status == 200
    journal.lines.append({"at": 7, "what": PAID, "id": intent["id"]})
    Event.objects.update(fanned_out_at=now())
    assert count_undone(connection.connection, journal) == 1
    Event.objects.filter(resource_id=intent["id"]).update(fanned_out_at=None)
    told = Event.objects.filter(resource_id=intent["id"]).count()
    assert count_undone(connection.connection, journal) == told + 1
    work(world)
    Event.objects.update(fanned_out_at=now())
    assert count_undone(connection.connection, journal) == 0


def test_a_refund_is_waited_for_until_it_is_paid(world: World, api: ApiClient, journal: Reading) -> None:
    made = refund(api, settled(world, api), destination=DESTINATION)
    journal.lines.append({"at": 8, "what": REFUNDED, "id": "", "refund": made["id"]})
    Event.objects.update(fanned_out_at=now())
    assert count_undone(connection.connection, journal) == 1
    work(world)
    Event.objects.update(fanned_out_at=now())
    assert (count_undone(connection.connection, journal), kept(journal).moved) == (0, 2)
