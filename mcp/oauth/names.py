"""What clients call themselves, made fit to be shown to a person."""

import unicodedata
from typing import Final

MAX_NAME_LENGTH: Final = 80


def plain_name(text: str, length: int = MAX_NAME_LENGTH) -> str:
    """A client's name on one line, without characters that are invisible or turn the text around.

    Source: agents, Rules to adopt 5.
    """
    visible = "".join(" " if unicodedata.category(one)[0] == "Z" else one for one in text if not _is_hidden(one))
    return " ".join(visible.split())[:length].strip()


def _is_hidden(one: str) -> bool:
    """Control, format (bidi, zero width), surrogate, private and unassigned characters; line breaks become blanks."""
    return unicodedata.category(one)[0] == "C" and one not in "\t\n\r"
