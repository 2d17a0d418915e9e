"""What comes after a payment, told by the apps above: refunds and payouts. A registry, since nobody imports upwards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from payments.explanation.lines import Actor, Fact, Line
from payments.explanation.situations import Situation
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
_CODES: dict[str, tuple[str, ...]] = {}
_REASONS: dict[str, tuple[str, ...]] = {}


class LineCodes:
    """Every code that a line can have: situations, and what comes afterwards. Read once all apps started."""

    def __iter__(self) -> Iterator[str]:
        yield from (situation.value for situation in Situation)
        for kind in sorted(_CODES):
            yield from _CODES[kind]


class LineReasons:
    """Every reason why what comes afterwards failed or waits, each once. Read once all apps started."""

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(reason for kind in sorted(_REASONS) for reason in _REASONS[kind]))


def register_aftermath(kind: str, aftermath: Aftermath, codes: tuple[str, ...], reasons: tuple[str, ...]) -> None:
    """Have every explanation tell of it too, with lines of these codes and these reasons. Called when an app starts."""
    _AFTERMATHS[kind], _CODES[kind], _REASONS[kind] = aftermath, codes, reasons


def aftermath_of(intent: PaymentIntent) -> list[Line]:
    """Every such line of an intent."""
    return [line for kind in sorted(_AFTERMATHS, reverse=True) for line in _AFTERMATHS[kind](intent)]
