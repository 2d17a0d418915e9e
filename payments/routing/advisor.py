"""A learned second opinion on routes: the offer with the least expected cost by this service's own record.

Costs are averages with an honest prior: a route without a record is expected to behave like an ordinary one, and
its own history outweighs that as it grows. It only ever prefers among offers that passed every gate.
"""

import logging
from collections.abc import Callable, Sequence
from decimal import Decimal

from payments.routing.base import RouteOffer
from payments.routing.record import RouteOutcome
from payments.routing.scoring import cost_ratio, route_of, worth_usd

PRIOR_PAYMENTS = Decimal(20)
"""Pseudo-count: the prior weighs as much as so many real payments."""
PRIOR_FAILURES = Decimal("0.4")
"""Pseudo-count: failures among those, two per cent."""
PRIOR_SHORTFALL = Decimal(0)
PRIOR_SLOWNESS = Decimal(1)
"""Quotes are believed until the record says otherwise."""

SECOND_USD = Decimal("0.0005")
"""What a second of waiting costs a payer."""
FAILURE_USD = Decimal("0.50")
FAILURE_SHARE = Decimal("0.02")
"""What a failed payment costs: time and nerves, and a share of the amount for buyers who leave."""

_LOGGER = logging.getLogger(__name__)


class LearnedRanker:
    """A ``RouteAdvisor`` that ranks by expected cost. ``read_record`` gives the outcomes known so far."""

    def __init__(self, read_record: Callable[[], Sequence[RouteOutcome]]) -> None:
        self._read_record = read_record

    def preferred(self, offers: list[RouteOffer]) -> RouteOffer | None:
        """The offer with the least expected cost; None when there is none, or when the record cannot be read.

        Why so broad a catch: an opinion must never stop a payment.
        """
        try:
            known = {outcome.route: outcome for outcome in self._read_record()}
        except Exception:
            _LOGGER.exception("the record of routes cannot be read; the score decides alone")
            return None
        return min(
            offers,
            key=lambda offer: (expected_cost_usd(offer, known.get(route_of(offer))), offer.provider, repr(offer.raw)),
            default=None,
        )


def expected_cost_usd(offer: RouteOffer, outcome: RouteOutcome | None) -> Decimal:
    """What taking the offer costs the payer on average: quoted cost, shortfall, time, and the risk of failure."""
    record = outcome or RouteOutcome(route=route_of(offer))
    amount = worth_usd(offer)
    failing = failure_probability(record)
    shortfall = _average(PRIOR_SHORTFALL, record.shortfalls, record.confirmed)
    slowness = _average(PRIOR_SLOWNESS, record.slowness, record.confirmed)
    quoted = cost_ratio(offer) * amount
    waiting = SECOND_USD * offer.duration_sec * slowness
    return quoted + amount * shortfall + waiting + failing * (FAILURE_USD + FAILURE_SHARE * amount)


def failure_probability(outcome: RouteOutcome) -> Decimal:
    """The Bayesian average of the record and the prior."""
    trials = PRIOR_PAYMENTS + outcome.confirmed + outcome.failed
    return (PRIOR_FAILURES + outcome.failed) / trials


def _average(prior: Decimal, total: Decimal, count: int) -> Decimal:
    return (PRIOR_PAYMENTS * prior + total) / (PRIOR_PAYMENTS + count)
