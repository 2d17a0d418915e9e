"""Signing that an operator pauses: nothing is signed or sent, and all of it goes once it is resumed."""

import pytest

from chains.models import SimulatedTransaction, Transfer, TransferAttempt
from chains.rails.simulated import SimulatedRail
from core.pauses import Paused, pause, resume
from merchants.principal import Principal
from payouts.services import sweep_due as sweep_payouts
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.merchants.people import OWNER, sign_in
from tests.payments.world import World
from tests.payouts.stories import asked
from tests.refunds.stories import PAYEE, refund, settled, shown, work

BY = "root@service.example"


def stop() -> None:
    pause(Paused.SIGNING, reason="a key may have leaked", by=BY)


def sent() -> int:
    """What the chain was given by the service."""
    return SimulatedTransaction.objects.filter(tag__startswith="refund:").count()


def test_a_refund_and_a_payout_wait_unsigned_and_go_once_it_is_resumed(
    world: World, api: ApiClient, principal: Principal
) -> None:
    back, out = settled(world, api), settled(world, api)
    stop()
    made, payout = refund(api, back, destination=PAYEE), asked(principal, out)
    work(world, 60)
    sweep_payouts()
    assert (TransferAttempt.objects.count(), sent()) == (0, 0)
    waits = Transfer.objects.order_by("purpose", "pk").values_list("purpose", "status", "blocker")
    assert list(waits) == [("payout", "new", "signing_paused"), ("refund", "new", "signing_paused")]
    payout.refresh_from_db()
    assert (shown(api, made)["status"], payout.status, payout.failure_reason) == (
        "pending",
        "paused",
        "signing_paused",
    )
    assert (shown(api, made)["attempts"], payout.attempts) == (1, 0)
    page = sign_in(OWNER).get(f"/dashboard/test/refunds/{made['id']}/").content.decode()
    assert "The operator of this service has paused everything that is sent." in page
    assert resume(Paused.SIGNING, by=BY)
    work(world, 60)
    for _ in range(4):
        sweep_payouts()
        world.wait(31)
    payout.refresh_from_db()
    assert (shown(api, made)["status"], payout.status, sent()) == ("paid", "paid", 1)
    assert violations() == []


def test_what_was_signed_before_the_pause_is_not_sent_in_it(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = refund(api, settled(world, api), destination=PAYEE)
    sign = SimulatedRail._sign

    def sign_and_stop(self: SimulatedRail, transfer: Transfer) -> bool:
        is_more = sign(self, transfer)
        stop()
        return is_more

    monkeypatch.setattr(SimulatedRail, "_sign", sign_and_stop)
    work(world, 30)
    assert (Transfer.objects.get().status, TransferAttempt.objects.count(), sent()) == ("signed", 1, 0)
    resume(Paused.SIGNING, by=BY)
    work(world, 30)
    assert (shown(api, made)["status"], TransferAttempt.objects.count(), sent()) == ("paid", 1, 1)


def test_what_is_cancelled_in_the_pause_never_leaves(world: World, api: ApiClient) -> None:
    """Nothing of it was signed, so it needs no signature to be called off."""
    stop()
    made = refund(api, settled(world, api), destination=PAYEE)
    assert api.post(f"/refunds/{made['id']}/cancel").status == 200
    resume(Paused.SIGNING, by=BY)
    work(world, 30)
    assert (shown(api, made)["status"], TransferAttempt.objects.count(), sent()) == ("cancelled", 0, 0)
