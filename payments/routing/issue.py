"""The unsigned transaction of a leg, as a wallet takes it. Test mode issues recognisable make-believe ones."""

import base64
import hashlib
from typing import Any

from chains.clients.evm_calls import native_note, token_transfer
from chains.registry import Chain, Family, chain
from core.modes import Mode
from payments.models import Leg, PaymentIntent
from payments.routing.base import LegKind

UNKNOWN_CHAIN_ID = 2_147_480_000
"""For chains that only test mode knows: a number no real network uses."""


def unsigned_transaction(intent: PaymentIntent, leg: Leg) -> dict[str, Any]:
    """What the payer's wallet is asked to sign for this leg.

    EVM: ``request`` for eth_sendTransaction. Solana: ``transaction_base64``.
    Why the leg's id is inside: it is the tag by which the payment is recognised on chain.
    """
    known = chain(leg.chain)
    if intent.mode == Mode.LIVE:
        return _exact_transfer(intent, leg, known)
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


def _exact_transfer(intent: PaymentIntent, leg: Leg, known: Chain | None) -> dict[str, Any]:
    """The settlement token itself, sent to the merchant. Raises: ValueError for any other leg of live mode."""
    own = (leg.to_chain, leg.token_address) == (leg.chain, intent.settlement_token_address)
    if known is None or known.family is not Family.EVM or leg.kind != LegKind.TRANSFER or not own:
        raise ValueError(f"leg {leg.pk} is no exact transfer on an EVM chain")
    tag, units, recipient = str(leg.pk), int(leg.input_base_units), intent.settlement_address
    is_native = leg.token_address == known.native_address
    return {
        "family": "evm",
        "chain": leg.chain,
        "chain_id": known.chain_id,
        "request": {
            "from": leg.payer_address,
            "to": recipient if is_native else leg.token_address,
            "value": hex(units) if is_native else "0x0",
            "data": native_note(tag) if is_native else token_transfer(recipient, units, tag),
        },
    }
