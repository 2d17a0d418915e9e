"""How much must go in so that enough surely comes out, where an aggregator only answers the other question. Pure."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar

from payments.routing.assets import ceiling

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
