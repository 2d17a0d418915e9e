"""What can be seen of a text that somebody else wrote. Pure. Source: docs/adr/0025."""

import unicodedata
from typing import Final

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Control, format (zero-width, bidi, tags), private, surrogate, unassigned, line and paragraph separators."""
_ALSO_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters of other kinds that show nothing."""
_VARIATION_SELECTORS: Final = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
"""Why stripped: they are marks that show nothing, and bytes can be written in them."""
MAX_NAME_LENGTH: Final = 80


def visible_line(text: str) -> str:
    """The text on one line, without anything that cannot be seen or turns the text around."""
    spaced = " ".join(text.split())
    return "".join(
        character
        for character in spaced
        if unicodedata.category(character) not in _INVISIBLE
        and character not in _ALSO_INVISIBLE
        and not any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    )


def plain_name(text: str, length: int = MAX_NAME_LENGTH) -> str:
    """A client's name on one line, without characters that are invisible or turn the text around."""
    return " ".join(visible_line(text).split())[:length].strip()
