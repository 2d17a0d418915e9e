"""A merchant over its share of what a chain is asked: its older payments are seen in turns; on a real node."""

from datetime import timedelta

import pytest

from chains.models import WatchedAddress
from localnet.devchain import fresh_wallet
from payments.models import AwaitedBy, PaymentIntent
from payments.services import resting, shares
from payments.services.marks import heights, watch_for
from tests.live.evm_till import Till
from tests.live.test_odd_answers import another
from tests.live.till import read_chains


def test_what_is_over_the_share_settles_in_its_turn_and_holds_up_nobody(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "SHARE", 1)
    monkeypatch.setattr(resting, "SOON", timedelta(0))
    older = till.issue("25")
    newer = another(till)
    newer.merchant = fresh_wallet().address
    attempt = newer.issue("25")
    assert AwaitedBy.objects.values("merchant").distinct().count() == 1
    AwaitedBy.objects.filter(watched__address=till.merchant).update(turn_at=None)
    till.pass_for_good()
    read_chains()
    assert {address for _, address in watch_for("base").transfers} == {newer.merchant}
    waits = WatchedAddress.objects.get(address=till.merchant)
    assert waits.read_to is not None
    till.pay(older)
    newer.pay(attempt)
    assert newer.finish()["status"] == "settled"
    till.pass_for_good()
    read_chains()
    read_chains()
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])
    intent = PaymentIntent.objects.get(pk=till.intent["id"])
    assert heights(intent)["base"] == WatchedAddress.objects.get(address=till.merchant).read_to
