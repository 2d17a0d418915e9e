"""A database of before the one balance, with money in flight: it migrates, and everything goes on to its end.

Rows are made by the service and its newest tables are taken away from below them, as an older release left them.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.money import usd
from mcp.errors import ApprovalRequired, ApprovalUnplanned
from mcp.models import ApprovalRequest
from mcp.services.approvals import approve, deny
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.mcp.charter.stories import ask_payout, connected, owner_of
from tests.payments.world import World, advance
from tests.payouts.stories import asked, run, settled
from tests.refunds.stories import PAYEE, ask, refund, work

BEFORE = [
    ("payments", "0012_answer_home_by_index"),
    ("refunds", "0003_claims_and_queue"),
    ("payouts", "0002_who_made_it"),
    ("chains", "0004_retire_signing_accounts"),
    ("mcp_server", "0007_client_documents"),
    ("merchants", "0007_request_log"),
]

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _newest_tables_again() -> Iterator[None]:
    yield
    to_newest()


def to_newest() -> None:
    """Migrate as a deployment does."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def as_it_was() -> None:
    """Take away what came since."""
    MigrationExecutor(connection).migrate(BEFORE)


def go_on(world: World) -> None:
    """Let workers of every kind come round until nothing is under way."""
    for _ in range(6):
        work(world, 8)
        run(world, 60)


def pays_out_what_the_waiting_refund_leaves(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    """Twenty of its twenty-five dollars wait for an address."""
    payout = asked(principal, intent, "after")
    run(world, 10)
    payout.refresh_from_db()
    assert (payout.status, payout.amount_usd) == ("paid", Decimal(5))
    assert Credit.objects.filter(intent_id=UUID(intent["id"])).count() == 1


def test_refunds_payouts_and_approvals_in_flight_go_on(world: World, api: ApiClient, principal: Principal) -> None:
    refunded, paid_out, both, asked_for = (settled(world, api) for _ in range(4))
    queued = refund(api, refunded, 10, destination=PAYEE)
    waiting = refund(api, refunded, 5)
    assert ask(api, refunded, 2, key="again", destination=PAYEE).status == 201
    payout = asked(principal, paid_out)
    retried = asked(principal, settled(world, api, metadata={"simulate": "payout_retry"}), "retried")
    run(world, 2)
    open_refund = refund(api, both, 20)
    agent = connected(principal, approval_above_usd=usd("1"))
    with pytest.raises(ApprovalRequired):
        ask_payout(agent, asked_for, "agents")
    advance(api, 5)

    as_it_was()
    to_newest()

    assert PaymentIntent.objects.get(pk=refunded["id"]).returned_usd == Decimal(17)
    assert PaymentIntent.objects.get(pk=both["id"]).settled_less_usd == Decimal(0)
    with pytest.raises(ApprovalUnplanned):
        approve(principal, owner_of(principal), ApprovalRequest.objects.get().pk)
    assert deny(principal, owner_of(principal), ApprovalRequest.objects.get().pk).status == "denied"
    answer = api.post(f"/refunds/{waiting['id']}/destination", {"destination": PAYEE})
    assert answer.status == 200
    assert ask(api, refunded, 2, key="again", destination=PAYEE).body["amount_usd"] == 2
    go_on(world)
    assert {one.status for one in Refund.objects.exclude(pk=open_refund["id"])} == {"paid"}
    assert Refund.objects.filter(pk__in=[queued["id"], waiting["id"]], status="paid").count() == 2
    assert set(Payout.objects.filter(pk__in=[payout.pk, retried.pk]).values_list("status", flat=True)) == {"paid"}
    pays_out_what_the_waiting_refund_leaves(world, principal, both)
    assert violations() == []
