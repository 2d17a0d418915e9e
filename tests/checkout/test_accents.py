"""A merchant's colour on the sheets as they are served: it is read in both schemes, by the standard's own formula.

Why not by the service's contrast: what it gets wrong, it would get wrong here too.
"""

import random
import re
from pathlib import Path

from checkout.branding.sheets import Style, checkout_sheet

STATIC = Path(__file__).resolve().parents[2] / "checkout/static/checkout"
LEAST = 4.5
"""Source: WCAG 2.2, contrast (minimum)."""
TINT = 0.12
"""How much accent is in the ground of small marks. Source: checkout.css, ``color-mix``."""
GROUNDS = ("paper", "card", "soft")
Colour = list[int]


def colours_in(sheet: str) -> list[dict[str, Colour]]:
    """The colours of each block that gives some, by name: light, dark, and both again for a frame's page to choose."""
    blocks = [re.findall(r"--([a-z-]+): ?#([0-9a-f]{6}|[0-9a-f]{3})\b", block) for block in sheet.split("}")]
    return [
        {
            name: list(bytes.fromhex(code if len(code) == 6 else "".join(2 * digit for digit in code)))
            for name, code in block
        }
        for block in blocks
        if block
    ]


def luminance(colour: Colour) -> float:
    """Source: WCAG 2.2, definition of relative luminance."""
    shares = [part / 255 for part in colour]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """Source: WCAG 2.2, definition of contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def least_contrast(accent: dict[str, Colour], page: dict[str, Colour]) -> float:
    """Of the text on the accent, and of the accent on every ground and on its own tint."""
    tint = [round(TINT * mine + (1 - TINT) * card) for mine, card in zip(accent["accent"], page["card"], strict=True)]
    grounds = [tint, *(page[name] for name in GROUNDS)]
    return min(contrast(accent["accent"], other) for other in [accent["on-accent"], *grounds])


def test_a_hundred_colours_are_read_on_every_sheet() -> None:
    chance = random.Random(7)  # noqa: S311 - the same colours in every run
    chosen = [f"#{chance.randrange(0x1000000):06x}" for _ in range(100)]
    own = colours_in((STATIC / "checkout.css").read_text(encoding="utf-8"))
    framed = colours_in((STATIC / "embed.css").read_text(encoding="utf-8"))
    pages = [*own, *framed]
    assert [page["paper"] for page in own] == [[0xF4, 0xF6, 0xF9], [0x0E, 0x11, 0x16]]
    assert len(pages) == 4
    assert min(least_contrast(page, page) for page in own) >= LEAST, "the service's own colour"
    for colour in [*chosen, "#000000", "#ffffff", "#777777", "#ff0000", "#00ff00", "#0000ff", "#ffff00"]:
        drawn = colours_in(checkout_sheet(Style(accent=colour)))
        assert len(drawn) == 4, colour
        for accent, page in zip(drawn, pages, strict=True):
            assert least_contrast(accent, page) >= LEAST, (colour, accent)
