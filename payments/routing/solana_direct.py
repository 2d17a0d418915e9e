"""The internal exact transfer on Solana: the payer already holds the settlement token there."""

from typing import Any

from chains.clients.registry import SOLANA
from chains.errors import TransferRejected
from chains.instructions.transactions import ExactTransfer, reference_of
from chains.registry import Chain, Family, chain
from payments.routing.assets import key_of
from payments.routing.base import (
    LegKind,
    Prepared,
    RouteOffer,
    RouteProvider,
    RouteRequest,
    RouteWithdrawn,
    SigningOrder,
)
from payments.routing.gates import OfferError
from payments.routing.network_fees import coin_usd
from payments.routing.offers import exact_transfer, refused

TOOL = "transfer"
FAILS_IN_TRIAL = "SIMULATION_FAILED"
"""The code of a transfer that a node says would fail, say because its payer has spent the money meanwhile."""


class SolanaDirectTransfer(RouteProvider):
    """Offers the exact amount, and nothing where something would have to be converted."""

    name, title = "direct", "A direct transfer"

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One exact offer with its network fee and what opening the merchant's account costs, or why there is none.

        Raises: ChainUnavailable.
        """
        known = _solana(request)
        if known is None or not SOLANA.reaches(known.name):
            return []
        try:
            cost = SOLANA.transfer_cost(known.name, request.recipient, request.destination.address)
        except TransferRejected:
            return [refused(self.name, request, OfferError.NO_ROUTE, TOOL)]
        if request.target_base_units < cost.least:
            return [refused(self.name, request, OfferError.AMOUNT_TOO_LOW, TOOL)]
        gas_usd = coin_usd(known.name, cost.lamports)
        if gas_usd is None:
            return [refused(self.name, request, OfferError.PRICE_UNAVAILABLE, TOOL)]
        return [exact_transfer(self.name, request, gas_usd)]

    def prepare(self, order: SigningOrder) -> Prepared:
        """The settlement token itself, sent to the merchant with the leg's reference.

        Raises: RouteWithdrawn, ChainUnavailable; ValueError for any other order.
        """
        request, known = order.request, _solana(order.request)
        if known is None or order.kind is not LegKind.TRANSFER:
            raise ValueError(f"leg {order.tag} is no exact transfer on Solana")
        transfer = ExactTransfer(
            payer=request.payer_address,
            recipient=request.recipient,
            token_address=request.destination.address,
            base_units=request.target_base_units,
            tag=order.tag,
            decimals=request.destination.decimals,
        )
        try:
            issued = SOLANA.issue_transfer(known.name, transfer)
        except TransferRejected as rejection:
            raise RouteWithdrawn(FAILS_IN_TRIAL) from rejection
        unsigned: dict[str, Any] = {
            "family": "solana",
            "chain": known.name,
            "transaction_base64": issued.transaction_base64,
            "reference": reference_of(order.tag),
            "last_valid_block_height": issued.last_valid_block_height,
        }
        units = request.target_base_units
        return Prepared(unsigned=unsigned, input_base_units=units, min_output_base_units=units)


def _solana(request: RouteRequest) -> Chain | None:
    """Solana, if the payer's token is the one that settles, and settles there."""
    known = chain(request.source.chain)
    own = key_of(request.source) == key_of(request.destination)
    return known if known is not None and known.family is Family.SOLANA and own else None


SOLANA_DIRECT = SolanaDirectTransfer()
