"""The operator's own fee: what a call really gave it, told wherever a payment's figures are told."""

from decimal import Decimal
from typing import Any

import orjson
import pytest
from django.test import Client
from pytest_django import Settings

from core.modes import Mode
from localnet.lifi import Lifi
from localnet.lifi.calldata import INTEGRATOR_WALLET
from localnet.market import Asset
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.live.buyer import Buyer, asset
from tests.mcp.charter.stories import caller_of, connected
from tests.mcp.tools.calls import call
from webhooks.models import Event

FEE_BPS = 100
PRICES = {"ETH": Decimal(2500), "USDC": Decimal(1)}


@pytest.fixture
def buyer(live_api: ApiClient, lifi: Lifi, settings: Settings) -> Buyer:
    """A payer, while the operator takes one percent."""
    settings.PLATFORM_FEE_BPS = FEE_BPS
    return Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)


WAYS = [
    pytest.param(asset("base", "ETH"), asset("base", "USDC"), 10**18, id="coin swapped"),
    pytest.param(asset("base", "USDC"), asset("base", "ETH"), 100_000_000, id="token swapped"),
    pytest.param(asset("arbitrum", "ETH"), asset("base", "USDC"), 10**18, id="swapped and bridged"),
    pytest.param(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000, id="bridged"),
]


@pytest.mark.parametrize(("paid", "wanted", "units"), WAYS)
def test_what_the_operator_was_given_is_told(buyer: Buyer, paid: Asset, wanted: Asset, units: int) -> None:
    """Each way is a payment that settles: a coin needs no approval, and what arrived is what counts."""
    buyer.pays(paid, wanted, units)
    before = buyer.source.balance(paid.address, INTEGRATOR_WALLET)
    attempt = buyer.issue_and_pay("25")
    assert buyer.arrive()["status"] == "settled"
    taken = buyer.source.balance(paid.address, INTEGRATOR_WALLET) - before
    leg, row = buyer.leg(), PaymentIntent.objects.get(pk=buyer.intent["id"])
    if paid.is_native:
        value = attempt["transactions"][0]["request"]["value"]
        assert (buyer.approvals(), value) == ([], hex(int(leg.input_base_units)))
    arrived = buyer.node.balance(wanted.address, buyer.merchant)
    assert (buyer.credited(), arrived >= int(25 / PRICES[wanted.symbol] * 10**wanted.decimals)) == ([arrived], True)
    assert taken == leg.platform_fee_base_units == leg.input_base_units * FEE_BPS // 10_000
    worth = Decimal(taken) * PRICES[paid.symbol] / 10**paid.decimals
    assert leg.platform_fee_usd == worth.quantize(Decimal("0.000001"), rounding="ROUND_DOWN")
    assert (row.platform_fee_usd, row.net_settlement_usd) == (leg.platform_fee_usd, row.received_usd)
    assert Decimal("0.25") < leg.platform_fee_usd < Decimal("0.26")
    assert violations() == []


def told(intent_id: str) -> dict[str, Any]:
    """What the event of its settling says."""
    event = Event.objects.get(type="payment_intent.settled", resource_id=intent_id)
    body: dict[str, Any] = orjson.loads(event.payload)["data"]
    return body


def test_it_is_told_at_every_door(buyer: Buyer, merchant: Merchant) -> None:
    """One percent of what 25 dollars take of ETH at 2,500: 0.2546 dollars, on top of what arrived."""
    buyer.pays(asset("base", "ETH"), asset("base", "USDC"), 10**18)
    buyer.issue_and_pay()
    settled = buyer.arrive()
    arrived = Decimal(settled["amount_received"])
    fee = Decimal(settled["platform_fee_usd"])
    assert round(fee, 4) == Decimal("0.2546")
    agent = caller_of(connected(Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="test")))
    answer = call(agent, "poll_settlement", payment_intent_id=settled["id"])
    assert (answer["platform_fee_usd"], answer["net_settlement_usd"]) == (str(fee), str(arrived))
    assert Decimal(answer["amount_received_usd"]) == arrived + fee
    assert told(settled["id"])["platform_fee_usd"] == str(fee)
    assert told(settled["id"])["net_settlement_usd"] == str(arrived)
    explained = buyer.api.get(f"/payment-intents/{settled['id']}/explain").body
    assert explained["facts"]["platform_fee_usd"] == str(fee)
    receipt = Client().get(f"/checkout/{settled['id']}/receipt").content.decode()
    assert "<bdi>$0.25</bdi>, paid on top of that. A refund does not send it back." in receipt
