"""The route provider over Jupiter: an exchange on Solana that ends in the exact amount for the merchant."""

import base64
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.conf import settings

from chains.clients.solana_exchange import (
    SIGNATURE_LAMPORTS,
    TOKEN_ACCOUNT_LAMPORTS,
    Assembled,
    ExchangeReads,
    assemble,
    missing_accounts,
    read_mint,
)
from chains.clients.solana_transactions import reference_of
from chains.instructions.exact_payment import ExactPayment, priority_lamports, priority_price
from chains.instructions.exchange import check_exchange
from chains.instructions.programs import token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.terms import ExchangeTerms, Mint, PlatformFee
from chains.registry import Family, chain
from core.money import BaseUnits, UsdAmount
from payments.routing.assets import ceiling, dollars_down, dollars_up, key_of, value_usd
from payments.routing.base import (
    Asset,
    LegKind,
    Prepared,
    RouteOffer,
    RouteRequest,
    RouteWithdrawn,
    SigningOrder,
)
from payments.routing.gates import MAX_PRICE_IMPACT_BPS, Gate, OfferError
from payments.routing.jupiter.answers import BuildAnswer, BuildQuestion
from payments.routing.jupiter.client import (
    FEWER_ACCOUNTS,
    NAME,
    BuildRequest,
    JupiterRefused,
    build,
    is_configured,
    sol_usd_price,
)
from payments.routing.jupiter.refusals import program_refusal
from payments.routing.jupiter.sizing import enough_for
from payments.routing.offers import refused, settling_seconds

TOOL = "metis"
"""Jupiter's own router, the only one behind ``/build``. Source: chains, Jupiter."""
HEADROOM = Fraction(10_050, 10_000)
"""Over the input of an offer: the exchange is asked for anew when the payer signs."""
USUAL_UNITS = 300_000
"""Compute units of an exchange with its payment, before one was simulated."""
SOL_PRICE_SECONDS = 60
COST_ROSE = "COST_ROSE"
_BPS = 10_000
_LOGGER = logging.getLogger("causeway.routing")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Quoted:
    """An answer that yields the target, held against the question; ``said`` is its text."""

    answer: BuildAnswer
    said: str

    @property
    def input_base_units(self) -> int:
        return self.answer.input_base_units

    @property
    def least_output(self) -> int:
        return self.answer.least_output


class JupiterProvider:
    """Exchanges whatever Solana token the payer holds into the settlement token, within one transaction.

    Asked in a thread of its own: nothing here reads the database.
    """

    name = NAME

    def __init__(self, reads: Callable[[], ExchangeReads | None]) -> None:
        self._reads = reads
        self._mints: dict[str, Mint] = {}
        self._sol_price, self._sol_priced_at = Decimal(0), float("-inf")

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One offer, or Jupiter's no. Nothing where it is not asked. Raises: ChainUnavailable."""
        reads = self._reads()
        if reads is None or not is_configured() or not _is_exchange(request):
            return []
        try:
            return [self._offer(reads, request)]
        except JupiterRefused as no:
            return [_refused(request, no.code, no.said)]
        except TransactionRefused as no:
            _LOGGER.warning("jupiter's answer refused: %s", no)
            return [_refused(request, no.code, no.detail)]

    def prepare(self, order: SigningOrder) -> Prepared:
        """The exact payment over a fresh answer, tried on a node. Raises: RouteWithdrawn, ChainUnavailable."""
        reads = self._reads()
        if reads is None or not is_configured() or order.kind is not LegKind.SWAP:
            raise RouteWithdrawn(OfferError.PROVIDER_UNAVAILABLE)
        try:
            return self._prepared(reads, order)
        except JupiterRefused as no:
            raise RouteWithdrawn(no.code) from no
        except TransactionRefused as no:
            _LOGGER.warning("jupiter's firm answer refused: %s", no)
            is_program = no.code is Refusal.SIMULATION_FAILED
            raise RouteWithdrawn(program_refusal(no.program_error) if is_program else no.code) from no

    def _offer(self, reads: ExchangeReads, request: RouteRequest) -> RouteOffer:
        """Raises: JupiterRefused, TransactionRefused, ChainUnavailable."""
        quoted, terms = self._solved(reads, request)
        check_exchange(quoted.answer.exchange, terms, settings.NETWORK_PROFILE)
        paid, target = BaseUnits(quoted.input_base_units), request.target_base_units
        lost = value_usd(request.source, paid) - value_usd(request.destination, quoted.answer.expected_output)
        return RouteOffer(
            provider=self.name,
            request=request,
            kind=LegKind.SWAP,
            input_base_units=ceiling(paid * HEADROOM),
            min_output_base_units=target,
            expected_output_base_units=target,
            to_amount_usd=dollars_down(value_usd(request.destination, target)),
            fee_usd=dollars_up(max(lost, Fraction(0))),
            gas_usd=self._gas_usd(reads, quoted, _payment(request, terms)),
            duration_sec=settling_seconds(request.source.chain),
            price_impact_bps=_impact_bps(request, quoted.answer),
            raw=_kept(quoted),
        )

    def _prepared(self, reads: ExchangeReads, order: SigningOrder) -> Prepared:
        """Raises: JupiterRefused, TransactionRefused, ChainUnavailable, RouteWithdrawn."""
        try:
            quoted, assembled = self._assembled(reads, order, None)
        except TransactionRefused as no:
            if no.code is not Refusal.TRANSACTION_TOO_LARGE:
                raise
            quoted, assembled = self._assembled(reads, order, FEWER_ACCOUNTS)
        unsigned = {
            "family": "solana",
            "chain": order.request.source.chain,
            "transaction_base64": base64.b64encode(assembled.transaction).decode(),
            "reference": reference_of(order.tag),
            "last_valid_block_height": assembled.last_valid_block_height,
        }
        return Prepared(
            unsigned=unsigned,
            input_base_units=BaseUnits(quoted.input_base_units),
            min_output_base_units=order.request.target_base_units,
            raw=_kept(quoted),
        )

    def _assembled(
        self, reads: ExchangeReads, order: SigningOrder, most_accounts: int | None
    ) -> tuple[_Quoted, Assembled]:
        quoted, terms = self._solved(reads, order.request, most_accounts)
        if quoted.input_base_units > order.most_input_base_units:
            raise RouteWithdrawn(COST_ROSE)
        if _impact_bps(order.request, quoted.answer) > MAX_PRICE_IMPACT_BPS:
            raise RouteWithdrawn(Gate.PRICE_IMPACT_TOO_HIGH)
        payment = _payment(order.request, terms, order.tag)
        return quoted, assemble(reads, quoted.answer.exchange, payment, settings.NETWORK_PROFILE)

    def _solved(
        self, reads: ExchangeReads, request: RouteRequest, most_accounts: int | None = None
    ) -> tuple[_Quoted, ExchangeTerms]:
        """The cheapest answer that yields the target, and the terms it has to keep."""
        if request.source.usd_price <= 0 or request.destination.usd_price <= 0:
            raise JupiterRefused(OfferError.PRICE_UNAVAILABLE)
        source, destination = self._mint(reads, request.source), self._mint(reads, request.destination)
        if source.address == destination.address:
            raise JupiterRefused(OfferError.SAME_TOKEN)
        fee = _platform_fee(destination)

        def ask(amount: int) -> _Quoted:
            question = BuildQuestion(
                input_mint=source.address,
                output_mint=destination.address,
                amount=amount,
                slippage_bps=settings.MAX_SLIPPAGE_BPS,
            )
            asked = BuildRequest(
                question=question,
                taker=request.payer_address,
                wraps_sol=source.is_native or destination.is_native,
                fee=fee,
                most_accounts=most_accounts,
            )
            answer, said = build(asked)
            return _Quoted(answer=answer, said=said)

        quoted = enough_for(request.target_base_units, _first_input(request, fee), ask)
        if quoted is None:
            raise JupiterRefused(OfferError.INSUFFICIENT_LIQUIDITY)
        terms = ExchangeTerms(
            payer=request.payer_address,
            source=source,
            destination=destination,
            input_base_units=quoted.input_base_units,
            least_output=request.target_base_units,
            most_slippage_bps=settings.MAX_SLIPPAGE_BPS,
            fee=fee,
        )
        return quoted, terms

    def _mint(self, reads: ExchangeReads, asset: Asset) -> Mint:
        """A token as the chain says it is, asked once: neither program nor decimals ever change."""
        found = self._mints.get(asset.address)
        if found is None or found.decimals != asset.decimals:
            found = self._mints[asset.address] = read_mint(reads, asset.address, asset.decimals)
        return found

    def _gas_usd(self, reads: ExchangeReads, quoted: _Quoted, payment: ExactPayment) -> UsdAmount:
        """The network fee, and the SOL that new token accounts lock, in dollars."""
        price = priority_price(quoted.answer.exchange, USUAL_UNITS)
        lamports = SIGNATURE_LAMPORTS + priority_lamports(price, USUAL_UNITS)
        lamports += missing_accounts(reads, payment) * TOKEN_ACCOUNT_LAMPORTS
        return dollars_up(Fraction(self._sol_usd()) * lamports / 10**9)

    def _sol_usd(self) -> Decimal:
        """What one SOL costs, at most a minute old. Raises: JupiterRefused."""
        if time.monotonic() - self._sol_priced_at > SOL_PRICE_SECONDS:
            self._sol_price, self._sol_priced_at = sol_usd_price(), time.monotonic()
        return self._sol_price


def _is_exchange(request: RouteRequest) -> bool:
    """Whether both tokens are different ones of Solana."""
    known = chain(request.source.chain)
    on_solana = known is not None and known.family is Family.SOLANA
    return on_solana and request.destination.chain == request.source.chain and _differ(request)


def _differ(request: RouteRequest) -> bool:
    return key_of(request.source) != key_of(request.destination)


def _payment(request: RouteRequest, terms: ExchangeTerms, tag: str = "") -> ExactPayment:
    """The payment; without a tag, enough to say what it costs."""
    return ExactPayment(terms=terms, merchant=request.recipient, base_units=request.target_base_units, tag=tag)


def _first_input(request: RouteRequest, fee: PlatformFee) -> int:
    """What would do at this service's own prices, with slippage and fee on top; rounded up."""
    kept = Fraction(_BPS - settings.MAX_SLIPPAGE_BPS, _BPS) * Fraction(_BPS - fee.bps, _BPS)
    needed = value_usd(request.destination, request.target_base_units) / kept
    return ceiling(needed / value_usd(request.source, 1))


def _impact_bps(request: RouteRequest, answer: BuildAnswer) -> int:
    """What the exchange loses by this service's own prices, or by Jupiter's word if that is more; rounded up."""
    paid = value_usd(request.source, answer.input_base_units)
    lost = (paid - value_usd(request.destination, answer.expected_output)) / paid * _BPS
    return max(ceiling(lost), answer.said_impact_bps, 0)


def _platform_fee(destination: Mint) -> PlatformFee:
    """The operator's share, only where it is set together with the account it goes to."""
    if not settings.PLATFORM_FEE_BPS or not settings.JUPITER_FEE_WALLET:
        return PlatformFee()
    account = token_account(settings.JUPITER_FEE_WALLET, destination.address, destination.program)
    return PlatformFee(bps=settings.PLATFORM_FEE_BPS, account=account)


def _kept(quoted: _Quoted) -> dict[str, Any]:
    """What is remembered of an answer."""
    return {
        "tool": TOOL,
        "in_amount": str(quoted.input_base_units),
        "out_amount": str(quoted.answer.expected_output),
        "least_output": str(quoted.least_output),
        "markets": list(quoted.answer.labels),
        "answer": quoted.said,
    }


def _refused(request: RouteRequest, code: str, said: str) -> RouteOffer:
    return replace(refused(NAME, request, code, TOOL), raw={"tool": TOOL, "answer": said})
