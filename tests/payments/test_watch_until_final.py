"""What arrived is looked at until its chain calls it final: refunds and payouts wait for nothing less."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from chains.clients.base import BridgeReport, LegView, Mark, ObservedTransfer, TransferKind
from core.clock import now
from core.money import BaseUnits, usd
from merchants.models import Merchant
from payments.models import Credit, IntentTransition, PaymentIntent
from payments.services.follow import record_sightings
from payments.services.schedule import next_look
from payments.services.standing import guarded, standings, watched
from payments.services.underway import open_attempts
from payments.services.watch import Sighting, issued_leg
from payments.states import REVERTED
from tests.factories.payments import credit
from tests.factories.refunds import paid_intent, paid_leg

pytestmark = pytest.mark.usefixtures("db")
LONG_OVER = timedelta(days=2)


def arrives(merchant: Merchant, leg: dict[str, Any], **facts: Any) -> PaymentIntent:
    """A settled live intent, long over, to which a little came under the mark of such a leg."""
    ended = now() - LONG_OVER
    intent = paid_intent(merchant, expires_at=ended, expires_due_at=ended)
    marked = paid_leg(intent, issued={"reference": "r"}, **leg)
    credit(intent, 10_000, leg=marked, network="localnet", mark="tag", block_time=now(), **facts)
    return intent


@pytest.mark.parametrize(
    "leg",
    [{"status": "failed", "error": "rejected"}, {"status": "failed", "error": REVERTED}, {"status": "confirming"}],
)
@pytest.mark.parametrize("counts", [False, True])
def test_the_last_credit_is_looked_at_after_the_watch(merchant: Merchant, leg: dict[str, Any], counts: bool) -> None:
    intent = arrives(merchant, leg, final_at=now() if counts else None)
    assert [one.status for one in watched(standings(intent), {})] == [leg["status"]]
    assert next_look(intent, open_attempts(intent), standings(intent)) is not None
    intent.credits.update(final_at=now(), finalized_at=now() - LONG_OVER)
    assert next_look(intent, open_attempts(intent), standings(intent)) is None


def test_what_counts_beside_a_bridges_return_is_guarded_and_what_is_gone_is_not_waited_for(merchant: Merchant) -> None:
    intent = arrives(merchant, {"status": "refunded"}, final_at=now())
    assert [one.status for one in guarded(intent, standings(intent))] == ["refunded"]
    for gone in ("reversed_at", "vanished_at"):
        intent = arrives(merchant, {"status": "failed", "error": REVERTED}, **{gone: now()})
        assert next_look(intent, open_attempts(intent), standings(intent)) is None, gone


def test_what_is_nobodys_is_not_missed_where_the_leg_brought_nothing(merchant: Merchant) -> None:
    """A node that shows none of it among the leg's own transfers hides nothing, and is at no fault."""
    intent = paid_intent(merchant)
    leg = paid_leg(intent, status="confirming", issued={"reference": "r"})
    facts = {"leg": leg, "network": "localnet", "block_time": now(), "final_at": now(), "finalized_at": now()}
    counted = credit(intent, 5, mark="event", **facts)
    nobodys = credit(intent, 7, purpose="unattributed", **facts)
    Credit.objects.filter(pk=nobodys.pk).update(intent=None)
    assert [known.tx_hash for known in issued_leg(intent, leg).known_blocks] == [counted.tx_hash]


@pytest.mark.parametrize(
    ("units", "final", "ended"),
    [
        (24_999_999, False, ("executing", "24.999999")),
        (25_300_000, False, ("settled", "25.3")),
        (24_999_999, True, ("settled", "25")),
    ],
    ids=["less", "more", "less than was final"],
)
def test_what_stands_with_another_amount_counts_for_that_until_it_is_final(
    merchant: Merchant, settings: Settings, units: int, final: bool, ended: tuple[str, str]
) -> None:
    """As a swap may bring in another block, at the same place of the same transaction."""
    settings.NETWORK_PROFILE = "localnet"
    intent = paid_intent(merchant)
    leg, [counted] = paid_leg(intent, issued={"reference": "r"}), intent.credits.all()
    Credit.objects.update(leg=leg, mark="event", finalized_at=now() if final else None)
    IntentTransition.objects.create(
        subject=intent, from_status="executing", to_status="settled", trigger="settle", actor="worker"
    )
    seen = ObservedTransfer(
        chain="base", tx_hash=counted.tx_hash, kind=TransferKind.LOG, position=counted.position,
        token_address=counted.token_address, base_units=BaseUnits(units), sender=counted.sender,
        recipient=counted.recipient, block_number=counted.block_number + 1, block_hash="0x" + "cd" * 32,
        block_time=counted.block_time, confirmations=99, mark=Mark.EVENT,
    )  # fmt: skip
    view = LegView(
        seen=None, transfers=(seen,), refund=None, report=BridgeReport.DONE, checked=frozenset({counted.tx_hash})
    )
    record_sightings(intent.pk, {leg.pk: Sighting(view=view, at=now())})
    intent.refresh_from_db()
    [after] = Credit.objects.all()
    assert (after.pk, after.base_units) == (counted.pk, 25_000_000 if final else units)
    assert (intent.status, intent.received_usd) == (ended[0], usd(ended[1]))
    assert after.block_hash == seen.block_hash
