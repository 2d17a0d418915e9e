"""Money comes in, a part goes back, the rest goes out: over a real EVM node and over Solana's program runtime.

What moved is read from the chains, and what was told is judged by a receiver that shares nothing with the service.
"""

from collections.abc import Iterator
from uuid import UUID

import pytest
from pytest_django import Settings

from chains.models import Transfer
from core.outbound.addresses import Reach
from merchants.models import Merchant
from merchants.principal import Principal
from payouts.services import create_payout
from tests.factories.payments import settlement_profile
from tests.journeys.recipe import Receiver, receiving
from tests.live.signers import money_goes, settles_with_signer
from tests.live.till import LiveTill
from webhooks.delivery import drain

BACK, OUT = 5_000_000, 20_000_000


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """An independent receiver on this machine. Live events never go there; for this test they may."""
    for user in ("webhooks.services.urls", "webhooks.delivery.rounds"):
        monkeypatch.setattr(f"{user}.reach_of", lambda mode: Reach.PUBLIC_AND_LOOPBACK)
    with receiving() as made:
        yield made


@pytest.mark.spec("What the service does 5")
@pytest.mark.spec("Events: payout.paid")
@pytest.mark.django_db
def test_a_part_goes_back_and_the_rest_goes_out_once_each(
    any_till: LiveTill, receiver: Receiver, merchant: Merchant, caller: Principal, settings: Settings
) -> None:
    till, (payer, _), (home, _) = any_till, any_till.new_key(), any_till.new_key()
    settles_with_signer(till, merchant, settings)
    settlement_profile(merchant, family=till.wallet[0], chain=till.chain, token="USDC", address=home)
    told = till.api.post("/webhook-endpoints", {"url": receiver.url, "events": ["refund.*", "payout.*"]})
    receiver.secrets.append(told.body["secret"])
    till.report(attempt := till.issue("25"), till.pay(attempt))
    assert till.finish()["status"] == "settled"
    till.pass_for_good()

    asked = {"intent_id": till.intent["id"], "amount_usd": 5, "destination": payer}
    refund_id = till.api.post("/refunds", asked).body["id"]
    money_goes(till)
    payout_id = create_payout(caller, UUID(till.intent["id"]), "once").payout.pk
    money_goes(till)

    refund, payout = till.api.get(f"/refunds/{refund_id}").body, till.api.get(f"/payouts/{payout_id}").body
    assert (refund["status"], payout["status"], payout["amount"]) == ("paid", "paid", "20.00")
    assert (till.held(payer), till.held(home), till.held()) == (BACK, OUT, 0)
    assert Transfer.objects.count() == len({refund["tx_hash"], payout["tx_hash"]}) == 2
    drain()
    assert [delivery.genuine for delivery in receiver.deliveries] == [True] * len(receiver.deliveries)
    events = {event["type"]: event["data"] for event in receiver.accepted()}
    hashes = (events["refund.paid"]["tx_hash"], events["payout.paid"]["tx_hash"])
    assert hashes == (refund["tx_hash"], payout["tx_hash"])
    assert (events["payout.paid"]["amount"], events["refund.paid"]["destination_tail"]) == ("20.00", f"…{payer[-6:]}")
    assert (receiver.sequences(refund_id), receiver.sequences(str(payout_id))) == ([1, 2, 3], [1, 2, 3])
