"""The internal exact transfer on real EVM chains: the payer already holds the settlement token where it settles."""

from typing import Any

from chains.clients.evm_calls import native_note, token_transfer
from chains.clients.registry import EVM
from chains.registry import Chain, Family, chain
from core.money import BaseUnits
from payments.routing.assets import key_of
from payments.routing.base import LegKind, Prepared, RouteOffer, RouteProvider, RouteRequest, SigningOrder
from payments.routing.gates import OfferError
from payments.routing.network_fees import network_fee_usd
from payments.routing.offers import exact_transfer, refused

TOKEN_TRANSFER_GAS, NATIVE_TRANSFER_GAS = 80_000, 30_000
"""Units of gas: what such a transfer takes at most where the tokens of the list live, rounded up."""
TOKEN_TRANSFER_BYTES, NATIVE_TRANSFER_BYTES = 180, 110
"""Of such a transaction before it is signed, rounded up."""


class LiveDirectTransfer(RouteProvider):
    """Offers the exact amount, and nothing where something would have to be converted."""

    name, title = "direct", "A direct transfer"

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One exact offer with its network fee, refused while that cannot be said. Raises: ChainUnavailable."""
        if key_of(request.source) != key_of(request.destination) or not EVM.reaches(request.source.chain):
            return []
        known = chain(request.source.chain)
        is_coin = known is not None and request.source.address == known.native_address
        gas = NATIVE_TRANSFER_GAS if is_coin else TOKEN_TRANSFER_GAS
        size = NATIVE_TRANSFER_BYTES if is_coin else TOKEN_TRANSFER_BYTES
        gas_usd = network_fee_usd(request.source.chain, gas, size)
        if gas_usd is None:
            return [refused(self.name, request, OfferError.PRICE_UNAVAILABLE, "transfer")]
        return [exact_transfer(self.name, request, gas_usd)]

    def prepare(self, order: SigningOrder) -> Prepared:
        """The settlement token itself, sent to the merchant. Raises: ValueError for any other order."""
        request, known = order.request, chain(order.request.source.chain)
        own = key_of(request.source) == key_of(request.destination)
        if known is None or known.family is not Family.EVM or order.kind is not LegKind.TRANSFER or not own:
            raise ValueError(f"leg {order.tag} is no exact transfer on an EVM chain")
        units = request.target_base_units
        call = _call(known, request, units, order.tag)
        unsigned: dict[str, Any] = {
            "family": "evm",
            "chain": known.name,
            "chain_id": known.chain_id,
            "request": {"from": request.payer_address, **call},
            "approvals": [],
        }
        return Prepared(unsigned=unsigned, input_base_units=units, min_output_base_units=units)


def _call(known: Chain, request: RouteRequest, units: BaseUnits, tag: str) -> dict[str, str]:
    """A transfer to the merchant with the leg's tag behind it."""
    if request.source.address == known.native_address:
        return {"to": request.recipient, "value": hex(units), "data": native_note(tag)}
    calldata = token_transfer(request.recipient, units, tag)
    return {"to": request.source.address, "value": "0x0", "data": calldata}


LIVE_DIRECT = LiveDirectTransfer()
