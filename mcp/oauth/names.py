"""What clients call themselves, made fit to be shown to a person."""

from typing import Final

from mcp.visible import visible_line

MAX_NAME_LENGTH: Final = 80


def plain_name(text: str, length: int = MAX_NAME_LENGTH) -> str:
    """A client's name on one line, without characters that are invisible or turn the text around."""
    return " ".join(visible_line(text).split())[:length].strip()
