"""What an answer must agree with: our own request, in the spellings that answers use."""

from dataclasses import dataclass
from datetime import datetime

from chains.registry import Chain, Family, chain
from payments.routing.assets import key_of
from payments.routing.base import Asset, LegKind, RouteRequest
from payments.routing.gates import OfferError
from payments.routing.lifi.faults import LifiRefused
from payments.routing.lifi.pins import ROUTERS, SOLANA_INPUTS, WRAPPED_COINS


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """The terms of one question. EVM addresses in lower case; ``at`` is when it was asked.

    ``integrator`` is empty where the operator has no name with LI.FI.
    """

    request: RouteRequest
    source_chain: Chain
    destination_chain: Chain
    integrator: str
    at: datetime

    @property
    def kind(self) -> LegKind:
        """A swap on one chain, or a bridge between two."""
        return LegKind.SWAP if self.source_chain is self.destination_chain else LegKind.BRIDGE

    @property
    def is_solana(self) -> bool:
        """Whether the payer is on Solana."""
        return self.source_chain.family is Family.SOLANA

    @property
    def router(self) -> str:
        """LI.FI's contract on the source chain."""
        return ROUTERS[self.source_chain.name].lower()

    @property
    def payer(self) -> str:
        """Who signs."""
        return self._spelled(self.request.payer_address)

    @property
    def merchant(self) -> str:
        """Who is paid."""
        return self.request.recipient.lower()

    @property
    def source_token(self) -> str:
        """What the payer gives; the native coin is the zero address."""
        return self._spelled(self.request.source.address)

    @property
    def source_coin(self) -> str:
        """The native coin of the payer's chain."""
        return self._spelled(self.source_chain.native_address)

    @property
    def destination_token(self) -> str:
        """What the merchant gets."""
        return self.request.destination.address.lower()

    @property
    def takes_native(self) -> bool:
        """Whether the payer gives the native coin."""
        return self.source_token == self.source_coin

    @property
    def gives_native(self) -> bool:
        """Whether the merchant gets the native coin."""
        return self.destination_token == self.destination_chain.native_address.lower()

    @property
    def wrapped_source_coin(self) -> str:
        """The source chain's native coin as a token."""
        return WRAPPED_COINS[self.source_chain.name].lower()

    def _spelled(self, address: str) -> str:
        """An address of the payer's chain as answers are compared. Why not on Solana: its letters' case counts."""
        return address if self.is_solana else address.lower()


def terms_of(request: RouteRequest, integrator: str, at: datetime) -> Terms | None:
    """The terms of a request that LI.FI may be asked; None where there is nothing to ask it.

    Raises: LifiRefused where the money could not be recognised when it arrives.
    """
    source, destination = _paying_chain(request.source), _served(request.destination)
    if source is None or destination is None or key_of(request.source) == key_of(request.destination):
        return None
    # Across gives wallets native coin in place of its wrapped form, and that leaves no log.
    if source is not destination and request.destination.address in {
        destination.native_address,
        WRAPPED_COINS[destination.name],
    }:
        raise LifiRefused(OfferError.NATIVE_OUTPUT_UNSUPPORTED)
    return Terms(request=request, source_chain=source, destination_chain=destination, integrator=integrator, at=at)


def _paying_chain(asset: Asset) -> Chain | None:
    """Where LI.FI may be asked to take this from."""
    known = chain(asset.chain)
    if known is not None and known.family is Family.SOLANA:
        return known if asset.address in SOLANA_INPUTS else None
    return _served(asset)


def _served(asset: Asset) -> Chain | None:
    known = chain(asset.chain)
    return known if known is not None and known.family is Family.EVM and known.name in ROUTERS else None
