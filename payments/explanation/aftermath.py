"""What comes after a payment, told by the apps above: refunds and payouts. A registry, since nobody imports upwards."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from payments.explanation.lines import Actor, Fact, Line
from payments.models import PaymentIntent


class After(NamedTuple):
    """What a refund or payout amounts to, in the merchant's words."""

    actor: Actor
    tone: str
    happened: str
    money: str
    next: str

    def line(self, code: str, since: datetime, facts: Mapping[str, Fact]) -> Line:
        """The line of one such row."""
        return Line(code=code, since=since, facts=facts, **self._asdict())


Aftermath = Callable[[PaymentIntent], Sequence[Line]]
"""Lines on what became of an intent's money afterwards, the most pressing first. At most one query."""

_AFTERMATHS: dict[str, Aftermath] = {}


def register_aftermath(kind: str, aftermath: Aftermath) -> None:
    """Have every explanation tell of it too. Called when an app starts."""
    _AFTERMATHS[kind] = aftermath


def aftermath_of(intent: PaymentIntent) -> list[Line]:
    """Every such line of an intent."""
    return [line for kind in sorted(_AFTERMATHS, reverse=True) for line in _AFTERMATHS[kind](intent)]
