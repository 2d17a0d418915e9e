"""The transactions that test mode gives to wallets: recognisable make-believe ones."""

import base64
import hashlib
from typing import Any
from uuid import UUID

from chains.registry import Family, chain
from payments.routing.base import Prepared, SigningOrder

UNKNOWN_CHAIN_ID = 2_147_480_000
"""For chains that only test mode knows: a number no real network uses."""


def simulated_transaction(provider: str, order: SigningOrder) -> Prepared:
    """What a simulated wallet is asked to sign, at exactly the agreed price.

    Why the leg's id is inside: it is the tag by which the payment is recognised on chain.
    """
    return Prepared(
        unsigned=_unsigned(provider, order),
        input_base_units=order.most_input_base_units,
        min_output_base_units=order.request.target_base_units,
    )


def _unsigned(provider: str, order: SigningOrder) -> dict[str, Any]:
    request, source = order.request, order.request.source.chain
    known = chain(source)
    if known is not None and known.family is Family.SOLANA:
        message = f"causeway-test:{order.tag}:{order.most_input_base_units}:{request.recipient}"
        encoded = base64.b64encode(message.encode()).decode()
        return {"family": "solana", "chain": source, "transaction_base64": encoded}
    router = "0x" + hashlib.sha256(f"simulated router {provider}".encode()).hexdigest()[:40]
    return {
        "family": "evm",
        "chain": source,
        "chain_id": known.chain_id if known is not None else UNKNOWN_CHAIN_ID,
        "request": {
            "from": request.payer_address,
            "to": router,
            "value": "0x0",
            "data": f"0x7e57{UUID(order.tag).hex}{int(order.most_input_base_units):064x}",
        },
    }
