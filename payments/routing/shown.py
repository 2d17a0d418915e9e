"""What a payer is shown of the routes that were weighed: kept with the quote, so that showing it asks nothing. Pure."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypedDict

from core.money import to_decimal_string
from payments.routing.assets import dollars_up
from payments.routing.base import Candidate, Why
from payments.routing.scoring import cost_usd

MOST_ROUTES = 12


class ShownRoute(TypedDict):
    """One way that was weighed. Without figures where it was refused: then they mean nothing.

    ``cost_usd`` is what the payer loses on it in all, network fee included.
    """

    provider: str
    chain: str
    token: str
    chosen: bool
    cost_usd: str | None
    duration_sec: int | None
    why: Why


def shown_routes(candidates: Sequence[Candidate]) -> list[ShownRoute]:
    """The chosen ones first, then what would work, the best first, then what was refused."""
    ordered = sorted(candidates, key=lambda one: (not one.chosen, one.error is not None, -one.score))
    return [_shown(candidate) for candidate in ordered[:MOST_ROUTES]]


def _shown(candidate: Candidate) -> ShownRoute:
    offer, works = candidate.offer, candidate.error is None
    return ShownRoute(
        provider=offer.provider,
        chain=offer.request.source.chain,
        token=offer.request.source.symbol,
        chosen=candidate.chosen,
        cost_usd=to_decimal_string(dollars_up(max(cost_usd(offer), Fraction(0)))) if works else None,
        duration_sec=offer.duration_sec if works else None,
        why=candidate.why,
    )
