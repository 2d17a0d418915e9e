"""A database of before the migrations were put together, with money in flight: it migrates, and everything goes on.

``filled_before.sql`` was written by that release: three paid intents, a payout that waits for its provider, two refunds
under way and two that wait for an address.
"""

import sqlite3
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.structure import dumped
from core.clock import now
from core.modes import Mode
from ledger.models import Opening, Posting
from merchants.models import ApiKey, Merchant
from merchants.principal import Principal
from merchants.services import roll_key_pair
from operations.opening import open_books
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.world import World
from tests.payouts.stories import run
from tests.refunds.stories import PAYEE, refund, work

FILLED = Path(__file__).with_name("filled_before.sql")

pytestmark = [pytest.mark.embedded, pytest.mark.django_db(transaction=True)]


def kept(database: sqlite3.Connection) -> set[str]:
    return {line for line in dumped(database) if "django_migrations" not in line}


def test_it_takes_the_new_migrations_as_applied_and_refunds_and_payouts_end(world: World) -> None:
    with closing(sqlite3.connect(":memory:")) as filled:
        filled.executescript(FILLED.read_text())
        connection.ensure_connection()
        filled.backup(connection.connection)
    world.wait(60)
    before = kept(connection.connection)
    for app, name in sorted(MigrationLoader(connection).disk_migrations):
        if name == "0001_tables":
            call_command("migrate", app, name, verbosity=0)
    assert kept(connection.connection) == before
    assert ("payments", "0001_tables") in MigrationRecorder(connection).applied_migrations()
    call_command("migrate", verbosity=0)
    assert not open_books()

    principal = Principal(merchant_id=Merchant.objects.get().pk, mode=Mode.TEST, actor="user:1")
    shown = ApiKey.objects.get(kind="sk", mode="test").pk
    api = ApiClient(roll_key_pair(principal, timedelta(0), shown_key_id=shown).secret_key)

    listed = api.get("/payment-intents").body["data"]
    orders = {one["metadata"]["order"]: one["status"] for one in listed}
    assert orders == dict.fromkeys(("refunded", "paid out", "both"), "settled")
    for waiting in Refund.objects.filter(status="waiting"):
        answer = api.post(f"/refunds/{waiting.pk}/destination", {"destination": PAYEE})
        assert answer.status == 200
    refund(api, next(one for one in listed if one["metadata"]["order"] == "both"), 5, destination=PAYEE)
    for _ in range(6):
        work(world, 8)
        run(world, 60)

    paid = Refund.objects.filter(status="paid").values_list("amount_usd", flat=True)
    assert sorted(paid) == [Decimal(amount) for amount in (2, 5, 5, 10, 20)]
    assert Payout.objects.get().status == "paid"
    Opening.objects.update(began_at=now() - timedelta(hours=1))
    assert open_books()
    assert set(Posting.objects.values_list("kind", flat=True)) == {"opened", "booked", "changed"}
    assert violations() == []
