"""Which providers serve which mode and chain family: one table, and the door through which they are asked."""

import logging
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import replace

from chains.clients.base import BridgeReport
from chains.errors import ChainUnavailable
from chains.registry import Family, chain
from core.modes import Mode
from payments.routing.advisor import LearnedRanker
from payments.routing.base import RouteAdvisor, RouteOffer, RouteProvider, RouteRequest
from payments.routing.direct import LIVE_DIRECT
from payments.routing.estimates import estimates
from payments.routing.gates import OfferError
from payments.routing.jupiter.provider import JUPITER
from payments.routing.lifi.provider import LIFI
from payments.routing.offers import refused
from payments.routing.record import recent_outcomes
from payments.routing.simulated import DIRECT, SIMULATED_ATLAS, SIMULATED_MERIDIAN
from payments.routing.solana_direct import SOLANA_DIRECT

_LOGGER = logging.getLogger(__name__)
_SIMULATED: tuple[RouteProvider, ...] = (DIRECT, SIMULATED_ATLAS, SIMULATED_MERIDIAN)

PATIENCE_SECONDS = 4
"""Source: docs/design/providers.md, Patience."""
_ASKING = ThreadPoolExecutor(max_workers=8, thread_name_prefix="routes")

PROVIDERS: dict[tuple[Mode, Family], tuple[RouteProvider, ...]] = {
    (Mode.TEST, Family.EVM): _SIMULATED,
    (Mode.TEST, Family.SOLANA): _SIMULATED,
    (Mode.LIVE, Family.EVM): (LIVE_DIRECT, LIFI),
    (Mode.LIVE, Family.SOLANA): (SOLANA_DIRECT, JUPITER, LIFI),
}
"""An aggregator without an address in the settings offers nothing. Source: docs/design/providers.md, None
configured."""


PROVIDER_NAMES = tuple(dict.fromkeys(one.name for several in PROVIDERS.values() for one in several))
"""What candidates and legs can be called by."""
TITLES = {
    one.name: one.title for several in PROVIDERS.values() for one in several if one.title and one.name != DIRECT.name
}
"""What people call the aggregators; one that is not here goes by its own name."""


def providers_for(mode: Mode, chain_name: str) -> tuple[RouteProvider, ...]:
    """The providers that may be asked to pay from this chain; one that only test mode knows counts as EVM."""
    known = chain(chain_name)
    return PROVIDERS[mode, Family.EVM if known is None else known.family]


def provider_named(mode: Mode, chain_name: str, name: str) -> RouteProvider | None:
    """The provider that made an offer; None if it serves no longer."""
    return next((provider for provider in providers_for(mode, chain_name) if provider.name == name), None)


def ask_providers(request: RouteRequest) -> list[RouteOffer]:
    """Every provider's offers. One that breaks or is slow is a refused offer, so that the others still serve.

    Raises: ChainUnavailable, since no provider can pay from a silent chain. Called outside any database transaction.
    """
    asked = providers_for(request.mode, request.source.chain)
    remote = [provider for provider in asked if provider.is_remote]
    waiting = {provider.name: _ASKING.submit(copy_context().run, _ask, provider, request) for provider in remote}
    offers = [offer for provider in asked if not provider.is_remote for offer in _ask(provider, request)]
    wait(waiting.values(), timeout=PATIENCE_SECONDS)
    for name, future in waiting.items():
        late = [refused(name, request, OfferError.PROVIDER_UNAVAILABLE)]
        offers += future.result() if future.done() else late
    return offers


def ask_for_estimates(request: RouteRequest) -> list[RouteOffer]:
    """What a way from this asset would roughly cost: the providers' own word where asking is free, else an estimate.

    Raises: ChainUnavailable.
    """
    if request.mode == Mode.TEST:
        return ask_providers(request)
    return estimates(request, _ask_exactly)


def _ask_exactly(request: RouteRequest) -> list[RouteOffer]:
    """The internal exact transfer of the chain's family."""
    own = provider_named(request.mode, request.source.chain, LIVE_DIRECT.name)
    return [] if own is None else _ask(own, request)


def operator_report(provider: str, tx_hash: str, bridge: str, chains: tuple[str, str]) -> BridgeReport:
    """What a route's operator says of a payment, from the first chain to the second; a hint only."""
    known = provider_named(Mode.LIVE, chains[0], provider)
    return BridgeReport.WAITING if known is None else known.reported(tx_hash, bridge, chains)


def advisor_for(mode: Mode) -> RouteAdvisor:
    """The second opinion of a mode, learned from that mode's own payments."""
    return LearnedRanker(lambda: recent_outcomes(mode))


def _ask(provider: RouteProvider, request: RouteRequest) -> list[RouteOffer]:
    try:
        return [replace(offer, title=provider.title) for offer in provider.offers(request)]
    except ChainUnavailable:
        raise
    except Exception:
        _LOGGER.exception("route provider %s failed", provider.name)
        return [refused(provider.name, request, OfferError.PROVIDER_UNAVAILABLE)]
