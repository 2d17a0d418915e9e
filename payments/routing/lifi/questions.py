"""What LI.FI is asked. Source: docs/routing.md, LI.FI."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from django.conf import settings

from core.outbound.providers import ProviderAnswer, ProviderSession
from payments.routing.base import LegKind
from payments.routing.lifi.pins import BRIDGES, lifi_id
from payments.routing.lifi.platform_fee import asked_bps
from payments.routing.lifi.terms import Terms

QUOTE, STATUS = "/quote/toAmount", "/status"
OFFER_SECONDS = 3.5
"""For one answer. Why below the registry's patience: so that its own reason is told."""


class Order(StrEnum):
    """Which of several ways LI.FI answers with."""

    CHEAPEST = "CHEAPEST"
    FASTEST = "FASTEST"


def is_configured() -> bool:
    """Whether LI.FI may be asked at all."""
    return bool(settings.LIFI_URL)


def ask_quote(terms: Terms, order: Order, tool: str = "") -> ProviderAnswer:
    """A way to bring the target to the merchant; ``tool`` names the one bridge to use. Raises: ProviderUnreachable."""
    return _session().get(QUOTE, _parameters(terms, order, tool), OFFER_SECONDS)


def ask_status(tx_hash: str, bridge: str, from_chain_id: int, to_chain_id: int) -> ProviderAnswer:
    """What became of a payment. Raises: ProviderUnreachable."""
    asked = {"txHash": tx_hash, "fromChain": str(from_chain_id), "toChain": str(to_chain_id)}
    return _session().get(STATUS, asked | ({"bridge": bridge} if bridge else {}))


def _parameters(terms: Terms, order: Order, tool: str) -> Mapping[str, str]:
    """Why no destination call: one that fails leaves the merchant with another token."""
    request = terms.request
    asked = {
        "fromChain": str(lifi_id(terms.source_chain)),
        "toChain": str(lifi_id(terms.destination_chain)),
        "fromToken": request.source.address,
        "toToken": request.destination.address,
        "fromAddress": request.payer_address,
        "toAddress": request.recipient,
        "toAmount": str(request.target_base_units),
        "slippage": _share(settings.MAX_SLIPPAGE_BPS),
        "order": order,
        "allowDestinationCall": "false",
    }
    if terms.kind is LegKind.BRIDGE:
        asked["allowBridges"] = tool or ",".join(BRIDGES)
    if terms.integrator:
        asked["integrator"] = terms.integrator
        if (fee_bps := asked_bps(terms)) > 0:
            asked["fee"] = _share(fee_bps)
    return asked


def _share(bps: int) -> str:
    """Basis points as a decimal fraction: 50 is 0.005."""
    return f"{Decimal(bps).scaleb(-4):f}"


def _session() -> ProviderSession:
    return _session_for(settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR)


@lru_cache(maxsize=4)
def _session_for(url: str, key: str, integrator: str) -> ProviderSession:
    """One session per address and key, so that its limits and its circuit breaker are kept."""
    named = {"x-lifi-api-key": key, "x-lifi-integrator": integrator}
    return ProviderSession("lifi", url, {name: value for name, value in named.items() if value}, (STATUS, {}))
