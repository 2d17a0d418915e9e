"""Rows of the payments app that no endpoint makes yet: settlement profiles, and many intents at once."""

from typing import Any

from merchants.models import Merchant
from payments.models import Credit, PaymentIntent, SettlementProfile

ANNS_EVM = "0x52908400098527886E0F7030069857D2E4169EE7"
BOBS_EVM = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
ANNS_SOLANA = "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg"


def settlement_profile(merchant: Merchant, **fields: Any) -> SettlementProfile:
    """A live profile on Ethereum unless the fields say otherwise."""
    defaults = {
        "mode": "live", "family": "evm", "chain": "ethereum", "token": "PYUSD", "address": ANNS_EVM, "is_default": True,
    }  # fmt: skip
    profile: SettlementProfile = SettlementProfile.objects.create(merchant=merchant, **defaults | fields)
    return profile


def credit(intent: PaymentIntent, units: int, **fields: Any) -> Credit:
    """Money seen at the intent's settlement address, as a node would show it."""
    number = Credit.objects.count() + 1
    facts = {
        "network": "simulated", "chain": intent.settlement_chain, "tx_hash": f"0x{number:064x}", "kind": "log",
        "position": "0", "purpose": "settlement", "merchant_id": intent.merchant_id, "mode": intent.mode,
        "intent": intent, "token_address": intent.settlement_token_address, "base_units": units, "value_usd": 0,
        "sender": BOBS_EVM, "recipient": intent.settlement_address, "block_number": number,
        "block_hash": f"0x{number:064x}",
    }  # fmt: skip
    made: Credit = Credit.objects.create(**facts | fields)
    return made
