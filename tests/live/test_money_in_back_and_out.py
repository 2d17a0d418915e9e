"""Money comes in, a part goes back, the rest goes out: over a real EVM node and over Solana's program runtime.

What moved is read from the chains, and what was told is judged by a receiver that shares nothing with the service.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

import pytest
from pytest_django import Settings
from solders.keypair import Keypair

from chains.models import Transfer
from core.clock import now
from core.modes import Mode
from core.outbound.addresses import Reach
from localnet.nodes import fresh_wallet
from merchants.models import Merchant
from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import create_payout
from payouts.services import sweep_due as sweep_payouts
from refunds.models import Refund
from refunds.services.advance import sweep_due as sweep_refunds
from tests.factories.payments import settlement_profile
from tests.journeys.recipe import Receiver, receiving
from tests.live.conftest import Till
from tests.live.signers import settles_with_signer
from tests.live.till import LiveTill
from webhooks.delivery import drain

MOST_ROUNDS = 6
BLOCKS_TO_BE_FINAL = 70
BACK, OUT = 5_000_000, 20_000_000


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A chain of either family, by what differs between them."""

    till: LiveTill
    held: Callable[[str], int]
    go_on: Callable[[], None]
    new_address: Callable[[], str]

    def work(self) -> None:
        """Let workers come round and the chain go on, until nothing is left to do."""
        for _ in range(MOST_ROUNDS):
            for model in (Refund, Payout):
                model.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=now())
            sweep_refunds()
            sweep_payouts()
            self.go_on()
            self.till.sweep()


@pytest.fixture
def ground(any_till: LiveTill, merchant: Merchant, settings: Settings) -> Ground:
    """A till whose merchant is paid at a signing account of its own, with coin for fees in it."""
    node = any_till.node
    if isinstance(any_till, Till):
        wallet = fresh_wallet()
        address, key = str(wallet.address), wallet.key.hex()
        ground = Ground(
            till=any_till,
            held=lambda owner: int(node.balance(any_till.token, owner)),
            go_on=lambda: node.mine(BLOCKS_TO_BE_FINAL),
            new_address=lambda: str(fresh_wallet().address),
        )
    else:
        pair = Keypair()
        address, key = str(pair.pubkey()), str(pair)
        ground = Ground(
            till=any_till,
            held=lambda owner: int(node.held(any_till.token, owner)),
            go_on=node.finalize,
            new_address=lambda: str(Keypair().pubkey()),
        )
    settles_with_signer(any_till, merchant, settings, address, key)
    node.fund(address)
    return ground


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
    ground: Ground, receiver: Receiver, merchant: Merchant
) -> None:
    till, payer, home = ground.till, ground.new_address(), ground.new_address()
    settlement_profile(merchant, family=till.wallet[0], chain=till.chain, token="USDC", address=home)
    told = till.api.post("/webhook-endpoints", {"url": receiver.url, "events": ["refund.*", "payout.*"]})
    receiver.secrets.append(told.body["secret"])
    till.report(attempt := till.issue("25"), till.pay(attempt))
    assert till.finish()["status"] == "settled"
    ground.go_on()

    asked = {"intent_id": till.intent["id"], "amount_usd": 5, "destination": payer}
    refund_id = till.api.post("/refunds", asked).body["id"]
    ground.work()
    shop = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")
    payout_id = create_payout(shop, UUID(till.intent["id"]), "once").payout.pk
    ground.work()

    refund, payout = till.api.get(f"/refunds/{refund_id}").body, till.api.get(f"/payouts/{payout_id}").body
    assert (refund["status"], payout["status"], payout["amount"]) == ("paid", "paid", "20.00")
    assert (ground.held(payer), ground.held(home), ground.held(till.merchant)) == (BACK, OUT, 0)
    assert Transfer.objects.count() == len({refund["tx_hash"], payout["tx_hash"]}) == 2
    drain()
    assert [delivery.genuine for delivery in receiver.deliveries] == [True] * len(receiver.deliveries)
    events = {event["type"]: event["data"] for event in receiver.accepted()}
    assert (events["refund.paid"]["tx_hash"], events["payout.paid"]["tx_hash"]) == (
        refund["tx_hash"],
        payout["tx_hash"],
    )
    assert (events["payout.paid"]["amount"], events["refund.paid"]["destination_tail"]) == ("20.00", f"…{payer[-6:]}")
    assert (receiver.sequences(refund_id), receiver.sequences(str(payout_id))) == ([1, 2, 3], [1, 2, 3])
