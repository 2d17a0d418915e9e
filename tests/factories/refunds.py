"""Paid intents as rows, in either mode and in any token: what live mode would take a chain to make."""

from decimal import Decimal
from typing import Any

from core.clock import now
from core.money import BaseUnits, UsdAmount
from merchants.models import Merchant
from payments.amounts import value_at_frozen_rate
from payments.models import Leg, PaymentIntent
from refunds.models import RefundPolicy
from tests.factories.payments import ANNS_EVM, BOBS_EVM, credit

USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


def sends_anywhere(merchant: Merchant) -> None:
    """Let the merchant's live keys send refunds to addresses that nobody knows yet."""
    RefundPolicy.objects.update_or_create(merchant=merchant, mode="live", defaults={"confirms_new_destinations": False})


def paid_intent(merchant: Merchant, *, mode: str = "live", units: int = 25_000_000, **fields: Any) -> PaymentIntent:
    """An intent over 25 dollars that is settled by one final credit, unless the fields say otherwise."""
    facts = {
        "amount": UsdAmount(Decimal(25)), "status": "settled", "settlement_chain": "base", "settlement_token": "USDC",
        "settlement_token_address": USDC_ON_BASE, "settlement_decimals": 6, "settlement_address": ANNS_EVM,
        "expires_at": now(), "expires_due_at": now(), "target_base_units": units, "settled_at": now(),
    }  # fmt: skip
    intent: PaymentIntent = PaymentIntent.objects.create(merchant=merchant, mode=mode, **facts | fields)
    network = {"network": "simulated"} if mode == "test" else {"network": "localnet"}
    credit(intent, units, block_time=now(), final_at=now(), finalized_at=now(), **network)
    intent.received_usd = value_at_frozen_rate(intent, BaseUnits(units))
    intent.net_settlement_usd, intent.platform_fee_usd = intent.received_usd, UsdAmount(Decimal(0))
    intent.save(update_fields=["received_usd", "net_settlement_usd", "platform_fee_usd"])
    return intent


def paid_leg(intent: PaymentIntent, **fields: Any) -> Leg:
    """The confirmed leg of such an intent: an exact transfer by Bob's wallet on the settlement chain."""
    facts = {
        "merchant_id": intent.merchant_id, "mode": intent.mode, "status": "confirmed",
        "sequence": intent.legs.count() + 1, "kind": "transfer", "provider": "direct", "chain": intent.settlement_chain,
        "to_chain": intent.settlement_chain, "token": intent.settlement_token, "to_token": intent.settlement_token,
        "token_address": intent.settlement_token_address, "token_decimals": intent.settlement_decimals,
        "to_token_decimals": intent.settlement_decimals, "input_base_units": 25_000_000,
        "min_output_base_units": 25_000_000, "amount_usd": UsdAmount(Decimal(25)), "tx_hash": "0x" + "ab" * 32,
        "payer_address": BOBS_EVM,
    }  # fmt: skip
    made: Leg = Leg.objects.create(intent=intent, **facts | fields)
    return made
