"""What a node cannot say of one part of a question, so that the rest of it is answered all the same.

Parts are transactions by their hashes, and the search for more. Why parts: anybody can send a transaction that no node
can trace, with the mark of somebody else's leg inside.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from chains.clients.base import IssuedLeg
from chains.clients.outcomes import CannotSay, outcome_of

SEARCH, ARRIVALS, WHOLE = "search", "arrivals", "whole"
"""Parts that are no transaction: the search for what a payer sent and for what came, and all that is asked of a leg."""
T = TypeVar("T")


@dataclass(kw_only=True)
class Gaps:
    """The parts of one look that no answer was had of: asked now in vain, or left alone for a while."""

    leg: IssuedLeg
    unsaid: dict[str, str] = field(default_factory=dict)
    left_alone: set[str] = field(default_factory=set)

    def tried(self, part: str, question: Callable[[], T]) -> T | None:
        """The answer; None where the node cannot say, or the part is left alone now.

        Raises: NoAnswer of any other kind, BudgetSpent.
        """
        if part in self.leg.left_alone or part in self.leg.given_up:
            self.left_alone.add(part)
            return None
        try:
            return question()
        except Exception as error:
            found = outcome_of(error)
            if not isinstance(found, CannotSay):
                raise
            self.unsaid[part] = found.reason
            return None

    @property
    def parts(self) -> frozenset[str]:
        """Everything of which nothing is known from this look."""
        return frozenset(self.unsaid) | self.left_alone

    @property
    def is_open(self) -> bool:
        """Whether what is missing may still come: then nothing may be called over for want of it."""
        return bool(self.parts - self.leg.given_up)
