"""LI.FI as a route provider: asked, checked gate by gate, and never believed."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.conf import settings

from chains.clients.base import BridgeReport
from core.clock import now
from core.money import BaseUnits, UsdAmount, round_usd_up
from core.outbound.providers import ProviderAnswer, ProviderUnreachable
from payments.routing.answer_faults import AnswerFault
from payments.routing.assets import ceiling, dollars_down, dollars_up, value_usd
from payments.routing.base import (
    LegKind,
    Prepared,
    RouteOffer,
    RouteProvider,
    RouteRequest,
    RouteWithdrawn,
    SigningOrder,
)
from payments.routing.estimates import SOLANA_FEE_USD
from payments.routing.gates import OfferError
from payments.routing.lifi.checks import CheckedDeposit, CheckedQuote, checked, checked_on_solana, refuse_price_impact
from payments.routing.lifi.faults import LifiRefused, meaning_of
from payments.routing.lifi.pins import BRIDGES
from payments.routing.lifi.platform_fee import platform_fee
from payments.routing.lifi.questions import Order, ask_quote, is_configured
from payments.routing.lifi.quote import read_quote, read_solana_quote
from payments.routing.lifi.reading import malformed
from payments.routing.lifi.signing import unsigned_deposit, unsigned_transaction
from payments.routing.lifi.status import status
from payments.routing.lifi.terms import Terms, terms_of
from payments.routing.offers import counting_seconds, refused

NAME = "lifi"
LONGEST_TOOL = 32
Checked = CheckedQuote | CheckedDeposit
MOST_TRIES = 2
"""Of the firm quote, where asking again may help."""
APPROVAL_GAS = 60_000
"""Units of gas of one approval, rounded up."""
HEADROOM_BPS = 50
"""What the input may rise between the offer and the firm quote without asking the payer again."""
_BPS = 10_000


class LifiProvider(RouteProvider):
    """Swaps on one EVM chain, bridges between two, and bridges from Solana."""

    name, title, is_remote = NAME, "LI.FI", True

    @property
    def bridges(self) -> bool:
        """Wherever it may be asked."""
        return is_configured()

    def reported(self, tx_hash: str, bridge: str, chains: tuple[str, str]) -> BridgeReport:
        """Its word of how far a payment is."""
        return status(tx_hash, bridge, *chains).report

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """What LI.FI answers, refused where it fails a gate; nothing where it is not asked.

        Why no node is asked here: what only a chain can say is asked once, when the payer has decided.
        """
        if not is_configured():
            return []
        try:
            terms = terms_of(request, settings.LIFI_INTEGRATOR, now())
        except LifiRefused as refusal:
            return [refused(self.name, request, refusal.code)]
        if terms is None:
            return []
        found = [_offer(answer, terms) for answer in _ask_all(terms)]
        # Every way once: two orders often name the same tool at the same price, or fail alike.
        return list({(offer.raw.get("tool"), offer.input_base_units, offer.error): offer for offer in found}.values())

    def prepare(self, order: SigningOrder) -> Prepared:
        """The firm transaction, checked in full and tried on the chain. Raises: RouteWithdrawn, ChainUnavailable."""
        try:
            terms = terms_of(order.request, settings.LIFI_INTEGRATOR, now())
            if terms is None or terms.kind is not order.kind or not is_configured():
                raise LifiRefused(OfferError.NO_ROUTE)
            found, body = _firm_quote(terms, order)
            fee = platform_fee(found, terms)
            unsigned = (
                unsigned_deposit(found, terms, order.tag)
                if isinstance(found, CheckedDeposit)
                else unsigned_transaction(found, terms)
            )
            return Prepared(
                unsigned=unsigned,
                input_base_units=BaseUnits(found.quote.from_amount),
                min_output_base_units=BaseUnits(found.least_output),
                bridge=found.quote.tool if terms.kind is LegKind.BRIDGE else "",
                platform_fee_base_units=fee,
                platform_fee_usd=dollars_down(value_usd(terms.request.source, fee)),
                raw={"tool": found.quote.tool, "answer": kept(body)},
            )
        except LifiRefused as refusal:
            raise RouteWithdrawn(refusal.code) from None


def _ask_all(terms: Terms) -> list[ProviderAnswer | ProviderUnreachable]:
    """The answers. A second one only between chains, and only with a key, since without one questions are few."""
    if terms.kind is LegKind.SWAP or not settings.LIFI_API_KEY:
        return [_ask(terms, Order.CHEAPEST)]
    with ThreadPoolExecutor(max_workers=1) as beside:
        second = beside.submit(_ask, terms, Order.FASTEST)
        return [_ask(terms, Order.CHEAPEST), second.result()]


def _ask(terms: Terms, order: Order, tool: str = "") -> ProviderAnswer | ProviderUnreachable:
    try:
        return ask_quote(terms, order, tool)
    except ProviderUnreachable as silence:
        return silence


def _offer(answer: ProviderAnswer | ProviderUnreachable, terms: Terms) -> RouteOffer:
    try:
        found, body = _checked(answer, terms)
        return _accepted(found, body, terms)
    except LifiRefused as refusal:
        offer = refused(NAME, terms.request, refusal.code, _tool_of(answer))
        text = answer.reason if isinstance(answer, ProviderUnreachable) else kept(answer.body)
        return replace(offer, raw={**offer.raw, "answer": text, "retryable": refusal.retryable})


def _checked(answer: ProviderAnswer | ProviderUnreachable, terms: Terms) -> tuple[Checked, object]:
    """Raises: LifiRefused."""
    if isinstance(answer, ProviderUnreachable):
        raise LifiRefused(OfferError.PROVIDER_UNAVAILABLE, retryable=answer.reason != "paused")
    if not answer.is_success:
        meaning = meaning_of(answer)
        raise LifiRefused(meaning.code, retryable=meaning.retryable)
    if terms.is_solana:
        return checked_on_solana(read_solana_quote(answer.body), terms, settings.MAX_SLIPPAGE_BPS), answer.body
    return checked(read_quote(answer.body), terms, settings.MAX_SLIPPAGE_BPS), answer.body


def _accepted(found: Checked, body: object, terms: Terms) -> RouteOffer:
    """The offer promises the target and no more, since its transaction is made anew for exactly that."""
    request = terms.request
    target = request.target_base_units
    return RouteOffer(
        provider=NAME,
        request=request,
        kind=terms.kind,
        input_base_units=ceiling(Fraction(found.quote.from_amount * (_BPS + HEADROOM_BPS), _BPS)),
        min_output_base_units=target,
        expected_output_base_units=BaseUnits(max(found.quote.to_amount, target)),
        to_amount_usd=dollars_down(value_usd(request.destination, target)),
        fee_usd=_fee_usd(found, terms),
        gas_usd=_gas_usd(found, terms),
        duration_sec=found.quote.seconds + counting_seconds(request),
        price_impact_bps=max(found.price_impact_bps, 0),
        native_fee_base_units=BaseUnits(found.native_fee),
        native_fee_usd=round_usd_up(found.native_fee_usd),
        raw={"tool": found.quote.tool, "answer": kept(body)},
    )


def _firm_quote(terms: Terms, order: SigningOrder) -> tuple[Checked, object]:
    """The quote to sign, within what the payer agreed to. Raises: LifiRefused."""
    tool = order.tool if order.tool in BRIDGES else ""
    for attempt in range(1, MOST_TRIES + 1):
        try:
            found, body = _checked(_ask(terms, Order.CHEAPEST, tool), terms)
            break
        except LifiRefused as refusal:
            if attempt == MOST_TRIES or not refusal.retryable:
                raise
    refuse_price_impact(found)
    if found.quote.from_amount > order.most_input_base_units:
        raise LifiRefused(AnswerFault.COSTS_ROSE)
    return found, body


def _tool_of(answer: ProviderAnswer | ProviderUnreachable) -> str:
    """The tool that a refused answer names, if it names one in the usual form."""
    body = None if isinstance(answer, ProviderUnreachable) else answer.body
    tool = body.get("tool") if isinstance(body, dict) else None
    return tool if isinstance(tool, str) and tool.isascii() and tool.isprintable() and len(tool) <= LONGEST_TOOL else ""


LIFI = LifiProvider()


MOST_CHARACTERS = 48_000


def kept(body: Any) -> Any:
    """The answer with exact numbers as text; only its beginning where it is too long."""
    clean = _storable(body)
    text = json.dumps(clean)
    return clean if len(text) <= MOST_CHARACTERS else {"cut": text[:MOST_CHARACTERS]}


def _storable(value: Any) -> Any:
    """Without what PostgreSQL cannot store: the zero character, and halves of characters."""
    if isinstance(value, dict):
        return {_text(name): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_storable(inner) for inner in value]
    if isinstance(value, str):
        return _text(value)
    return str(value) if isinstance(value, Decimal) else value


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode().replace("\0", "")


def _fee_usd(found: Checked, terms: Terms) -> UsdAmount:
    """What is lost on the way: the input's value above the target's, and what is paid on top; rounded up."""
    given = value_usd(terms.request.source, found.quote.from_amount)
    wanted = value_usd(terms.request.destination, terms.request.target_base_units)
    return dollars_up(max(given - wanted, Fraction(0)) + Fraction(found.native_fee_usd))


def _gas_usd(found: Checked, terms: Terms) -> UsdAmount:
    """The network fee, with that of an approval where a token is paid; rounded up.

    Raises: LifiRefused where none is told, since no transaction is free.
    """
    costs = found.quote.gas
    total = sum((cost.usd for cost in costs), Decimal(0))
    units = sum(cost.units for cost in costs)
    if total <= 0 or units <= 0:
        raise malformed()
    if terms.is_solana:
        return dollars_up(max(Fraction(total), SOLANA_FEE_USD))
    approval = 0 if terms.takes_native else APPROVAL_GAS
    return dollars_up(Fraction(total) * (units + approval) / units)
