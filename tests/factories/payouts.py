"""Payouts as the service would have left them, without a settlement before: for lists, doors and other modes."""

from decimal import Decimal
from typing import Any

from core import transitions
from core.clock import now
from core.money import BaseUnits, UsdAmount
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.services.transition import PAYOUT_LIFECYCLE, apply_trigger
from tests.factories.payments import credit


def stored_payout(intent_id: str, amount_usd: str = "25", **fields: Any) -> Payout:
    """A payout of this intent, queued, which no worker takes up."""
    intent = PaymentIntent.objects.get(pk=intent_id)
    amount = Decimal(amount_usd)
    facts = {
        "merchant_id": intent.merchant_id, "mode": intent.mode, "intent": intent,
        "rail": "simulated" if intent.mode == "test" else "evm", "destination": intent.settlement_address,
        "chain": intent.settlement_chain, "token": intent.settlement_token,
        "token_address": intent.settlement_token_address, "token_decimals": intent.settlement_decimals,
        "base_units": BaseUnits(int(amount * 10**intent.settlement_decimals)), "amount_usd": UsdAmount(amount),
    }  # fmt: skip
    payout = Payout(**facts | fields)
    transitions.initial(PAYOUT_LIFECYCLE, payout, actor="test")
    return payout


def failed_payout(intent_id: str) -> Payout:
    """A payout that failed for good before anything was signed; its intent is settled."""
    moment, units = now(), 25_000_000
    figures = {"received_usd": 25, "net_settlement_usd": 25, "platform_fee_usd": 0, "settled_less_usd": 0}
    found = PaymentIntent.objects.filter(pk=intent_id)
    found.update(status="settled", settled_at=moment, target_base_units=units, **figures)
    network = "simulated" if found.get().mode == "test" else "localnet"
    credit(found.get(), units, network=network, block_time=moment, final_at=moment, finalized_at=moment)
    payout = stored_payout(intent_id)
    apply_trigger(payout, "claim")
    apply_trigger(payout, "fail", failure_reason="invalid_destination", attempts=1)
    return payout
