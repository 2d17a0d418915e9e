"""From a request to an answer of Jupiter that surely yields the target. Nothing here reads a chain or the database."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from django.conf import settings

from chains.instructions.programs import TOKEN_PROGRAM, WRAPPED_SOL, token_account
from chains.instructions.terms import PlatformFee
from chains.registry import SOLANA_NATIVE_ADDRESS
from payments.routing.assets import ceiling, value_usd
from payments.routing.base import Asset, RouteRequest
from payments.routing.gates import OfferError
from payments.routing.jupiter.answers import BuildAnswer, BuildQuestion
from payments.routing.jupiter.client import BuildRequest, JupiterRefused, build

TOOL = "metis"
"""Jupiter's own router, the only one behind ``/build``. Source: https://github.com/jup-ag/docs, swap."""
_BPS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Quoted:
    """An answer that was held against the question; ``answer_text`` is its text, bounded."""

    answer: BuildAnswer
    answer_text: str
    fee: PlatformFee

    @property
    def input_base_units(self) -> int:
        """What the payer pays."""
        return self.answer.input_base_units

    @property
    def least_output(self) -> int:
        """What the exchange yields at least."""
        return self.answer.least_output

    @property
    def fee_base_units(self) -> int:
        """What the operator is given of what comes out as expected: the merchant's part is what that leaves."""
        return self.answer.expected_output * self.fee.bps // (_BPS - self.fee.bps)

    def kept(self) -> dict[str, Any]:
        """What is remembered of it."""
        return {
            "tool": TOOL,
            "in_amount": str(self.input_base_units),
            "out_amount": str(self.answer.expected_output),
            "least_output": str(self.least_output),
            "markets": list(self.answer.labels),
            "answer": self.answer_text,
        }


def solve(request: RouteRequest, most_accounts: int | None = None) -> Quoted:
    """The cheapest answer seen that yields the target. Raises: JupiterRefused, TransactionRefused."""
    if request.source.usd_price <= 0 or request.destination.usd_price <= 0:
        raise JupiterRefused(OfferError.PRICE_UNAVAILABLE)
    source, destination = mint_address(request.source), mint_address(request.destination)
    if source == destination:
        raise JupiterRefused(OfferError.SAME_TOKEN)
    fee = platform_fee(destination)

    def ask(amount: int) -> Quoted:
        asked = BuildRequest(
            question=BuildQuestion(
                input_mint=source,
                output_mint=destination,
                amount=amount,
                slippage_bps=settings.MAX_SLIPPAGE_BPS,
            ),
            taker=request.payer_address,
            wraps_sol=SOLANA_NATIVE_ADDRESS in {request.source.address, request.destination.address},
            fee=fee,
            most_accounts=most_accounts,
        )
        answer, answer_text = build(asked)
        return Quoted(answer=answer, answer_text=answer_text, fee=fee)

    quoted = enough_for(request.target_base_units, _first_input(request, fee), ask)
    if quoted is None:
        raise JupiterRefused(OfferError.INSUFFICIENT_LIQUIDITY)
    return quoted


def mint_address(asset: Asset) -> str:
    """What Jupiter calls a token: SOL is wrapped SOL."""
    return WRAPPED_SOL if asset.address == SOLANA_NATIVE_ADDRESS else asset.address


def impact_bps(request: RouteRequest, answer: BuildAnswer) -> int:
    """What the exchange loses by this service's own prices, or by Jupiter's word if that is more; rounded up."""
    paid = value_usd(request.source, answer.input_base_units)
    lost = (paid - value_usd(request.destination, answer.expected_output)) / paid * _BPS
    return max(ceiling(lost), answer.quoted_impact_bps, 0)


def platform_fee(destination_mint: str) -> PlatformFee:
    """The operator's share of what comes out, only where it is set together with the wallet it goes to."""
    if not settings.PLATFORM_FEE_BPS or not settings.JUPITER_FEE_WALLET:
        return PlatformFee()
    account = token_account(settings.JUPITER_FEE_WALLET, destination_mint, TOKEN_PROGRAM)
    return PlatformFee(bps=settings.PLATFORM_FEE_BPS, account=account)


def _first_input(request: RouteRequest, fee: PlatformFee) -> int:
    """What would do at this service's own prices, with slippage and fee on top; rounded up."""
    kept = Fraction(_BPS - settings.MAX_SLIPPAGE_BPS, _BPS) * Fraction(_BPS - fee.bps, _BPS)
    needed = value_usd(request.destination, request.target_base_units) / kept
    return ceiling(needed / value_usd(request.source, 1))


MOST_CALLS = 3
"""Source: docs/routing.md, Jupiter."""
EXCESS = Fraction(10, 10_000)
"""Over the target: what is close enough not to ask again."""
SHORTFALL_MARGIN = Fraction(5, 10_000)
"""On top of the next try when one fell short: larger trades get worse prices."""
LARGEST_AMOUNT = 2**64 - 1
"""What an amount on Solana can say."""


class Sized(Protocol):
    """An answer for a given input."""

    @property
    def input_base_units(self) -> int:
        """What goes in."""

    @property
    def least_output(self) -> int:
        """What surely comes out."""


Answer = TypeVar("Answer", bound=Sized)


def enough_for(target: int, first: int, ask: Callable[[int], Answer]) -> Answer | None:
    """The cheapest answer seen that surely yields the target; None where a few tries found none.

    Every input is rounded up.
    """
    best: Answer | None = None
    amount = first
    for _ in range(MOST_CALLS):
        if not 0 < amount <= LARGEST_AMOUNT:
            break
        answer = ask(amount)
        if answer.least_output <= 0:
            break
        if answer.least_output >= target and (best is None or answer.input_base_units < best.input_base_units):
            best = answer
        if 0 <= answer.least_output - target <= target * EXCESS:
            break
        margin = 1 if answer.least_output >= target else 1 + SHORTFALL_MARGIN
        following = ceiling(Fraction(amount * target, answer.least_output) * margin)
        if following == amount:
            break
        amount = following
    return best
