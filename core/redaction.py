"""Text without what opens something: keys, passwords, links that sign in. For whatever is written into a log."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

REPLACEMENT = "[credential]"
SHORTEST = 12
"""Units: characters of a value that is replaced wherever it stands. Why: a shorter password may be a word of a line."""
_SEGMENT = 16
"""Units: characters of a part of a node's address that is taken for a key of its provider."""
_FORMS = (
    r"(?:sk|pk|rk)_(?:test|live)_\w{4,}",
    r"whsec_[\w+/=-]{4,}",
    r"inv_\w{20,}",
    r"(?i:bearer|basic)\s+[\w.~+/-]{8,}=*",
    r"(?<=://)(?:[^\s@:]*:[^\s@]+|[^\s/@:]+)(?=@)",
    r"(?<=/reset/key/)[^\s/\"'<>]+",
    r"(?<=/signup/)[^\s/\"'<>]{16,}",
    r"(?i:(?<=password=)|(?<=passphrase=)|(?<=client_secret=)|(?<=refresh_token=)|(?<=access_token=))[^\s&\"',;]+",
)


class Redaction:
    """Replaces what has the form of a credential, and this service's own secrets whatever form they have."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        own = sorted({re.escape(secret) for secret in secrets if len(secret) >= SHORTEST}, key=len, reverse=True)
        self._pattern = re.compile("|".join([*own, *_FORMS]))

    def __call__(self, text: str) -> str:
        """The text with each of them replaced."""
        return self._pattern.sub(REPLACEMENT, text)


def secrets_of_address(url: str) -> list[str]:
    """What of a node's or provider's address is a key: a long part of its path or a long value of its query."""
    address = urlsplit(url)
    parts = [*address.path.split("/"), *re.split(r"[&=]", address.query), address.password or ""]
    return [part for part in parts if len(part) >= _SEGMENT or (part and part == address.password)]
