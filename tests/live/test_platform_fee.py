"""The operator's own fee: what a call really gave it, told wherever a payment's figures are told."""

from decimal import Decimal

import orjson
import pytest
from django.test import Client
from pytest_django import Settings

from localnet.lifi.calldata import INTEGRATOR_WALLET
from localnet.market import Asset
from merchants.principal import Principal
from payments.models import PaymentIntent
from tests.invariants import violations
from tests.live.buyer import Buyer, asset
from tests.mcp.charter.stories import caller_of, connected
from tests.mcp.tools.calls import call
from webhooks.models import Event

FEE_BPS = 100
PRICES = {"ETH": Decimal(2500), "USDC": Decimal(1)}


@pytest.fixture
def buyer(buyer: Buyer, settings: Settings) -> Buyer:
    """A payer, while the operator takes one percent."""
    settings.PLATFORM_FEE_BPS = FEE_BPS
    return buyer


WAYS = [
    pytest.param(asset("base", "ETH"), asset("base", "USDC"), 10**18, id="coin swapped"),
    pytest.param(asset("base", "USDC"), asset("base", "ETH"), 100_000_000, id="token swapped"),
    pytest.param(asset("arbitrum", "ETH"), asset("base", "USDC"), 10**18, id="swapped and bridged"),
    pytest.param(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000, id="bridged"),
]


@pytest.mark.parametrize(("paid", "wanted", "units"), WAYS)
def test_what_the_operator_was_given_is_told(
    buyer: Buyer, caller: Principal, paid: Asset, wanted: Asset, units: int
) -> None:
    """Each way is a payment that settles: a coin needs no approval, what arrived is what counts, and every door tells
    one percent on top of it."""
    buyer.pays(paid, wanted, units)
    before = buyer.source.balance(paid.address, INTEGRATOR_WALLET)
    attempt = buyer.issue_and_pay("25")
    settled = buyer.arrive()
    assert settled["status"] == "settled"
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

    fee, net = settled["platform_fee_usd"], settled["amount_received"]
    assert (Decimal(fee), Decimal(net)) == (leg.platform_fee_usd, row.received_usd)
    event = orjson.loads(Event.objects.get(type="payment_intent.settled", resource_id=settled["id"]).payload)["data"]
    told = call(caller_of(connected(caller)), "poll_settlement", payment_intent_id=settled["id"])
    for one in (event, told):
        assert (one["platform_fee_usd"], one["net_settlement_usd"]) == (fee, net)
    assert Decimal(told["amount_received_usd"]) == Decimal(net) + Decimal(fee)
    explained = buyer.api.get(f"/payment-intents/{settled['id']}/explain").body
    assert explained["facts"]["platform_fee_usd"] == fee
    receipt = Client().get(f"/checkout/{settled['id']}/receipt").content.decode()
    assert "<bdi>$0.25</bdi>, paid on top of that. A refund does not send it back." in receipt
