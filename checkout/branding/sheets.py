"""The style sheet that a merchant's look becomes: our own words alone, by lists and checked colours."""

from typing import Final, NamedTuple

from checkout.branding.colours import accent_of

DEFAULT_ACCENT: Final = "#1f4fd1"


class Shape(NamedTuple):
    """How round things are: a label, the radius of cards, and of buttons. Units: pixels."""

    label: str
    card: int
    button: int


SHAPES: Final = {
    "round": Shape("Round", 16, 12),
    "soft": Shape("Soft", 8, 6),
    "sharp": Shape("Sharp", 0, 0),
    "pill": Shape("Very round", 24, 28),
}
FONTS: Final = {
    "system": ("The device’s own", 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'),
    "rounded": (
        "Rounded",
        'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Quicksand, system-ui, sans-serif',
    ),
    "serif": ("Serif", 'ui-serif, "Iowan Old Style", Charter, Cambria, Georgia, "Noto Serif", serif'),
    "mono": ("Typewriter", 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'),
}
"""Stacks of fonts that devices have: none is loaded."""


class Style(NamedTuple):
    """What a sheet is made of; each is a key of the lists above, or a colour that was checked."""

    accent: str = DEFAULT_ACCENT
    shape: str = "round"
    font: str = "system"


def checkout_sheet(style: Style) -> str:
    """For the payer's page, after its own."""
    accent, shape = accent_of(style.accent), SHAPES[style.shape]
    light, dark = _variables(accent.light, accent.on_light), _variables(accent.dark, accent.on_dark)
    return (
        f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f".embedded[data-theme=light]{{{light}}}.embedded[data-theme=dark]{{{dark}}}"
        f"html{{font-family:{FONTS[style.font][1]}}}"
        f".pay{{border-radius:{shape.card}px}}.option,.button,.note{{border-radius:{shape.button}px}}"
        ".logo{display:block;max-width:min(240px,70vw);max-height:56px;width:auto;height:auto;margin-bottom:.5rem}"
        "footer .links{display:flex;flex-wrap:wrap;gap:0 1.25rem}"
    )


def preview_sheet(style: Style) -> str:
    """For the two miniatures beside the form, whatever scheme the person's own device has."""
    accent, shape = accent_of(style.accent), SHAPES[style.shape]
    return (
        f'.mini[data-scheme="light"]{{{_variables(accent.light, accent.on_light)}}}'
        f'.mini[data-scheme="dark"]{{{_variables(accent.dark, accent.on_dark)}}}'
        f".mini{{font-family:{FONTS[style.font][1]}}}.mini .pay{{border-radius:{shape.card}px}}"
        f".mini .press,.mini .pick{{border-radius:{shape.button}px}}"
    )


def _variables(accent: str, on_accent: str) -> str:
    return f"--accent:{accent};--on-accent:{on_accent}"
