"""A bar chart of dollars per day, as whole numbers for a template to draw. No library, no script, no styles.

The drawing is stretched to its place; the words beside it are ordinary text, so that they stay readable on phones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, Decimal

from core.money import UsdAmount

WIDTH, HEIGHT = 9000, 1000
GAP_PERMILLE = 300
"""How much of a day's width stays empty."""
STEPS = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
LEAST_TOP = Decimal(10)


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One day: where it stands, and what it says when one rests on it."""

    x: int
    y: int
    width: int
    height: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Bars on a field of ``width`` by ``height``, with the figures of its upper line and of the middle one."""

    bars: tuple[Bar, ...]
    top: Decimal
    middle: Decimal
    first: date
    centre: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT
    half: int = HEIGHT // 2


def bar_chart(days: Sequence[tuple[date, UsdAmount]]) -> Chart:
    """The chart of at least one day's dollars, none below zero."""
    largest: Decimal = max(LEAST_TOP, *(amount for _, amount in days))
    power = Decimal(1).scaleb(largest.adjusted())
    top = next(step * power for step in STEPS if step * power >= largest)  # the least round figure not below it
    slot = WIDTH // len(days)
    bars = (_bar(number * slot, slot, day, amount, top) for number, (day, amount) in enumerate(days))
    return Chart(
        bars=tuple(bar for bar in bars if bar.height),
        top=top,
        middle=top / 2,
        first=days[0][0],
        centre=days[len(days) // 2][0],
        last=days[-1][0],
    )


def _bar(x: int, slot: int, day: date, amount: UsdAmount, top: Decimal) -> Bar:
    """Why rounded up: a day with the smallest amount must be seen."""
    height = int((amount * HEIGHT / top).to_integral_value(ROUND_CEILING))
    gap = slot * GAP_PERMILLE // 1000
    words = f"{day:%-d %b}: ${amount:,.2f}"
    return Bar(x=x + gap // 2, y=HEIGHT - height, width=slot - gap, height=height, words=words)
