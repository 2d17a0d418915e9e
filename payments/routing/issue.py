"""The unsigned transaction of a leg, as a wallet takes it. Test mode issues recognisable make-believe ones."""

import base64
import hashlib
from typing import Any

from chains.registry import Family, chain
from payments.models import Leg, PaymentIntent

UNKNOWN_CHAIN_ID = 2_147_480_000
"""For chains that only test mode knows: a number no real network uses."""


def unsigned_transaction(intent: PaymentIntent, leg: Leg) -> dict[str, Any]:
    """What the payer's wallet is asked to sign for this leg.

    EVM: ``request`` for eth_sendTransaction. Solana: ``transaction_base64``.
    Why the leg's id is inside: it is the tag by which the payment is recognised on chain.
    """
    known = chain(leg.chain)
    if known is not None and known.family is Family.SOLANA:
        message = f"causeway-test:{leg.pk}:{leg.input_base_units}:{intent.settlement_address}"
        return {
            "family": "solana",
            "chain": leg.chain,
            "transaction_base64": base64.b64encode(message.encode()).decode(),
        }
    router = "0x" + hashlib.sha256(f"simulated router {leg.provider}".encode()).hexdigest()[:40]
    return {
        "family": "evm",
        "chain": leg.chain,
        "chain_id": known.chain_id if known is not None else UNKNOWN_CHAIN_ID,
        "request": {
            "from": leg.payer_address,
            "to": router,
            "value": "0x0",
            "data": f"0x7e57{leg.pk.hex}{int(leg.input_base_units):064x}",
        },
    }
