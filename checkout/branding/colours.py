"""Colours that can be read, whatever a merchant chooses. Pure, in whole numbers.

Source: https://www.w3.org/TR/WCAG22/, contrast (minimum) 4.5:1 and its definition of relative luminance.
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

LEAST_CONTRAST: Final = Fraction(9, 2)
_FORM: Final = re.compile(r"#[0-9a-f]{6}")
_STEPS: Final = 64
_SCALE: Final = 10**9
_WEIGHTS: Final = (2126, 7152, 722)
_OFFSET: Final = Fraction(1, 20)
_LINEAR_BELOW: Final = 10
_TINT: Final = Fraction(12, 100)
"""How much accent is in the ground of small marks. Source: checkout/static/checkout/checkout.css, ``color-mix``."""
Colour = tuple[int, int, int]
BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)


class Ground(NamedTuple):
    """The colours of one scheme that an accent stands on, and the end towards which it is moved until it is read."""

    colours: tuple[Colour, ...]
    towards: Colour


LIGHT: Final = Ground(((0xF4, 0xF6, 0xF9), (0xFF, 0xFF, 0xFF), (0xF2, 0xF4, 0xF8)), BLACK)
DARK: Final = Ground(((0x0E, 0x11, 0x16), (0x17, 0x1B, 0x22), (0x1E, 0x24, 0x2D)), WHITE)
"""Source: checkout/static/checkout/checkout.css, the paper, card and soft ground of both schemes. The card stands
second."""


class Accent(NamedTuple):
    """A chosen colour as it is drawn in both schemes, with what is written on it."""

    chosen: str
    light: str
    on_light: str
    dark: str
    on_dark: str


def read_colour(text: str) -> Colour | None:
    """A colour written ``#rrggbb``; None for anything else."""
    if not _FORM.fullmatch(text):
        return None
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def write_colour(colour: Colour) -> str:
    """The colour as style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def contrast(one: Colour, other: Colour) -> Fraction:
    """How far two colours stand apart in brightness: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + _OFFSET) / (low + _OFFSET)


def readable(colour: Colour, ground: Ground) -> Colour:
    """The nearest colour towards the ground's end that can be read on all of it, and on its own tint."""
    moved = (_mixed(ground.towards, colour, Fraction(step, _STEPS)) for step in range(_STEPS + 1))
    return next((one for one in moved if _least_contrast(one, ground) >= LEAST_CONTRAST), ground.towards)


def written_on(colour: Colour) -> Colour:
    """Black or white, whichever is read better on it: one of them always is."""
    return max((WHITE, BLACK), key=lambda one: contrast(one, colour))


@cache
def accent_of(chosen: str) -> Accent:
    """How a chosen colour is drawn. Raises: ValueError unless it is one."""
    colour = read_colour(chosen)
    if colour is None:
        raise ValueError(chosen)
    light, dark = readable(colour, LIGHT), readable(colour, DARK)
    return Accent(
        chosen=chosen,
        light=write_colour(light),
        on_light=write_colour(written_on(light)),
        dark=write_colour(dark),
        on_dark=write_colour(written_on(dark)),
    )


def shown_contrast(chosen: str, ground: Ground) -> str:
    """The contrast of a chosen colour on the worst of a ground, to one place, cut: 4.49 is never called 4.5."""
    colour = read_colour(chosen)
    tenths = 10 if colour is None else int(_least_contrast(colour, ground) * 10)
    return f"{tenths // 10}.{tenths % 10}"


def _least_contrast(colour: Colour, ground: Ground) -> Fraction:
    tints = [_mixed(colour, place, _TINT) for place in ground.colours[1:2]]
    return min(contrast(colour, place) for place in [*ground.colours, *tints])


def _mixed(one: Colour, other: Colour, share: Fraction) -> Colour:
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> Fraction:
    parts = zip(_WEIGHTS, colour, strict=True)
    return Fraction(sum(weight * _linear(channel) for weight, channel in parts), 10_000 * _SCALE)


@cache
def _linear(channel: int) -> int:
    """A channel's light, in parts of a billion. Why decimals: a power of 2.4 is no fraction."""
    share = Decimal(channel) / 255
    if channel <= _LINEAR_BELOW:
        return int(share / Decimal("12.92") * _SCALE)
    return int(((share + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4") * _SCALE)
