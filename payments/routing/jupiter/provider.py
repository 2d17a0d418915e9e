"""The route provider over Jupiter: an exchange on Solana that ends in the exact amount for the merchant."""

import base64
import logging
import math
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.conf import settings

from chains.clients.registry import SOLANA
from chains.clients.solana_exchange import (
    TOKEN_ACCOUNT_LAMPORTS,
    Assembled,
    ExchangeReads,
    assemble,
    read_mint,
)
from chains.clients.solana_issue import SIGNATURE_LAMPORTS
from chains.instructions.exact_payment import ExactPayment, priority_lamports, priority_price
from chains.instructions.exchange import swap_check
from chains.instructions.programs import TOKEN_PROGRAM, token_account
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.terms import ExchangeTerms, Mint
from chains.instructions.transactions import reference_of
from chains.registry import SOLANA_NATIVE_ADDRESS, Family, chain
from core.money import BaseUnits, UsdAmount
from payments.routing.answer_faults import AnswerFault
from payments.routing.assets import ceiling, dollars_down, dollars_up, key_of, value_usd
from payments.routing.base import (
    Asset,
    LegKind,
    Prepared,
    RouteOffer,
    RouteProvider,
    RouteRequest,
    RouteWithdrawn,
    SigningOrder,
)
from payments.routing.gates import MAX_PRICE_IMPACT_BPS, Gate, OfferError
from payments.routing.jupiter.client import FEWER_ACCOUNTS, NAME, JupiterRefused, is_configured, sol_usd_price
from payments.routing.jupiter.refusals import program_refusal
from payments.routing.jupiter.solving import TOOL, Quoted, impact_bps, mint_address, solve
from payments.routing.offers import counting_seconds, refused

HEADROOM = Fraction(10_050, 10_000)
"""Over the input of an offer: the exchange is asked for anew when the payer signs."""
USUAL_UNITS = 300_000
"""Compute units of an exchange with its payment, before one was simulated."""
SOL_PRICE_SECONDS = 60
MOST_REMEMBERED = 10_000
_LAMPORTS = 10**9
_LOGGER = logging.getLogger("causeway.routing")

ReadsOf = Callable[[str], ExchangeReads | None]
"""What reads a chain; None where no node is configured for it."""


class JupiterProvider(RouteProvider):
    """Exchanges whatever token of Solana the payer holds into the settlement token, within one transaction."""

    name, title, is_remote = NAME, "Jupiter", True

    def __init__(self, reads_of: ReadsOf) -> None:
        self._reads_of = reads_of
        self._mints: dict[str, Mint] = {}
        self._existing: set[str] = set()
        self._sol_price, self._sol_priced_at = Decimal(0), -math.inf

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One offer, or Jupiter's no; nothing where it is not asked.

        Why neither chain nor database is read: this runs in a thread of its own, beside other providers.
        """
        if not is_configured() or not _is_exchange(request) or self._reads_of(request.source.chain) is None:
            return []
        try:
            return [self._offer(request)]
        except JupiterRefused as no:
            return [_refused(request, no.code, no.answer_text)]
        except TransactionRefused as no:
            _LOGGER.warning("jupiter's answer refused: %s", no)
            return [_refused(request, no.code, no.detail)]

    def prepare(self, order: SigningOrder) -> Prepared:
        """The exact payment over a fresh answer, tried on a node. Raises: RouteWithdrawn, ChainUnavailable."""
        reads = self._reads_of(order.request.source.chain)
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

    def _offer(self, request: RouteRequest) -> RouteOffer:
        """Raises: JupiterRefused, TransactionRefused."""
        quoted = solve(request)
        swap_check(quoted.answer.exchange.swap.program, settings.NETWORK_PROFILE)
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
            gas_usd=self._gas_usd(request, quoted),
            duration_sec=counting_seconds(request),
            price_impact_bps=impact_bps(request, quoted.answer),
            raw=quoted.kept(),
        )

    def _prepared(self, reads: ExchangeReads, order: SigningOrder) -> Prepared:
        """Raises: JupiterRefused, TransactionRefused, ChainUnavailable, RouteWithdrawn."""
        try:
            quoted, assembled = self._assembled(reads, order, None)
        except TransactionRefused as no:
            if no.code is not Refusal.TRANSACTION_TOO_LARGE:
                raise
            quoted, assembled = self._assembled(reads, order, FEWER_ACCOUNTS)
        unsigned: dict[str, Any] = {
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
            platform_fee_usd=dollars_down(value_usd(order.request.destination, quoted.fee_base_units)),
            raw=quoted.kept(),
        )

    def _assembled(
        self, reads: ExchangeReads, order: SigningOrder, most_accounts: int | None
    ) -> tuple[Quoted, Assembled]:
        request = order.request
        source, destination = self._mint(reads, request.source), self._mint(reads, request.destination)
        quoted = solve(request, most_accounts)
        if quoted.input_base_units > order.most_input_base_units:
            raise RouteWithdrawn(AnswerFault.COSTS_ROSE)
        if impact_bps(request, quoted.answer) > MAX_PRICE_IMPACT_BPS:
            raise RouteWithdrawn(Gate.PRICE_IMPACT_TOO_HIGH)
        terms = ExchangeTerms(
            payer=request.payer_address,
            source=source,
            destination=destination,
            input_base_units=quoted.input_base_units,
            least_output=request.target_base_units,
            most_slippage_bps=settings.MAX_SLIPPAGE_BPS,
            fee=quoted.fee,
        )
        payment = ExactPayment(
            terms=terms, merchant=request.recipient, base_units=request.target_base_units, tag=order.tag
        )
        assembled = assemble(reads, quoted.answer.exchange, payment, settings.NETWORK_PROFILE)
        if len(self._existing) > MOST_REMEMBERED:
            self._existing.clear()
        self._existing |= assembled.existing
        return quoted, assembled

    def _mint(self, reads: ExchangeReads, asset: Asset) -> Mint:
        """A token as the chain says it is, asked once: neither program nor decimals ever change."""
        found = self._mints.get(asset.address)
        if found is None or found.decimals != asset.decimals:
            found = self._mints[asset.address] = read_mint(reads, asset.address, asset.decimals)
        return found

    def _gas_usd(self, request: RouteRequest, quoted: Quoted) -> UsdAmount:
        """The most that the network takes, in dollars: its fee, and the SOL that new token accounts lock.

        An account counts as missing until an earlier payment showed it.
        """
        price = priority_price(quoted.answer.exchange, USUAL_UNITS)
        lamports = SIGNATURE_LAMPORTS + priority_lamports(price, USUAL_UNITS)
        if request.destination.address != SOLANA_NATIVE_ADDRESS:
            mint = mint_address(request.destination)
            needed = {token_account(owner, mint, TOKEN_PROGRAM) for owner in (request.recipient, request.payer_address)}
            lamports += len(needed - self._existing) * TOKEN_ACCOUNT_LAMPORTS
        return dollars_up(Fraction(self._sol_usd(request)) * lamports / _LAMPORTS)

    def _sol_usd(self, request: RouteRequest) -> Decimal:
        """What one SOL costs: this service's own price where SOL is a side, else Jupiter's. Raises: JupiterRefused."""
        for asset in (request.source, request.destination):
            if asset.address == SOLANA_NATIVE_ADDRESS:
                return asset.usd_price
        if time.monotonic() - self._sol_priced_at > SOL_PRICE_SECONDS:
            self._sol_price, self._sol_priced_at = sol_usd_price(), time.monotonic()
        return self._sol_price


def _is_exchange(request: RouteRequest) -> bool:
    """Whether both tokens are different ones of Solana."""
    known = chain(request.source.chain)
    on_solana = known is not None and known.family is Family.SOLANA
    is_other = key_of(request.source) != key_of(request.destination)
    return on_solana and request.destination.chain == request.source.chain and is_other


def _refused(request: RouteRequest, code: str, answer_text: str) -> RouteOffer:
    return replace(refused(NAME, request, code, TOOL), raw={"tool": TOOL, "answer": answer_text})


def _live_reads(chain_name: str) -> ExchangeReads | None:
    return SOLANA.exchange_reads(chain_name) if SOLANA.reaches(chain_name) else None


JUPITER = JupiterProvider(_live_reads)
