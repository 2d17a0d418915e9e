"""Looking at signed legs on their chains, with no transaction open; what was seen is written down in ``follow``."""

import logging
from uuid import UUID

from chains.clients.base import ChainClient, IssuedCall, IssuedLeg, LegView
from chains.errors import ChainUnavailable
from payments.models import Leg, PaymentIntent
from payments.routing.base import LegKind
from payments.services.hints import with_hint
from payments.services.schedule import watched_legs
from payments.states import FLYING_LEG

logger = logging.getLogger("causeway.payments")


def look_at_legs(intent: PaymentIntent, client: ChainClient) -> dict[UUID, LegView]:
    """Ask the chain about every leg whose money has not arrived.

    A leg that no node can speak of now is left out: silence changes nothing.
    """
    views = {}
    for leg in watched_legs(intent):
        try:
            views[leg.pk] = with_hint(leg, client.look(issued_leg(intent, leg)))
        except ChainUnavailable as error:
            logger.warning("no node of %s spoke of leg %s; looking again later", error.chain_name, leg.pk)
    return views


def issued_leg(intent: PaymentIntent, leg: Leg) -> IssuedLeg:
    """All by which a leg's money is recognised."""
    credited = list(leg.credits.values_list("tx_hash", "block_number")) if leg.status in FLYING_LEG else []
    first = leg.start_block if leg.chain == leg.to_chain else leg.destination_start_block
    return IssuedLeg(
        tag=str(leg.pk),
        chain=leg.chain,
        to_chain=leg.to_chain,
        sender=leg.payer_address,
        recipient=intent.settlement_address,
        token_address=intent.settlement_token_address,
        call=_call(leg),
        reference=leg.issued.get("reference", ""),
        last_valid_height=leg.issued.get("last_valid_block_height"),
        bridge=leg.bridge,
        order_id=leg.order_id,
        tx_hash=leg.tx_hash,
        known_hashes=tuple(tx_hash for tx_hash, _ in credited),
        nonce=leg.source_nonce,
        start_block=leg.start_block,
        scanned_to=leg.scanned_block,
        destination_start_block=leg.destination_start_block,
        destination_scanned_to=leg.destination_scanned_block,
        least_head=max([first or 0, *(number for _, number in credited)]),
    )


def _call(leg: Leg) -> IssuedCall | None:
    """The call as it was issued; None for a transfer, which its tag alone marks."""
    request = leg.issued.get("request")
    if request is None or leg.kind == LegKind.TRANSFER:
        return None
    calldata = bytes.fromhex(request["data"].removeprefix("0x"))
    return IssuedCall(to=request["to"], value=int(request["value"], 16), calldata=calldata)
