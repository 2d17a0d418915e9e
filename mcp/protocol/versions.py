"""Which revisions of the protocol are spoken, and what each side calls things."""

from typing import Final

MODERN: Final = ("2026-07-28",)
"""Every request stands alone. Source: https://modelcontextprotocol.io/specification/2026-07-28."""
LEGACY: Final = ("2025-11-25", "2025-06-18")
"""A connection begins with ``initialize``; the newest first."""
LEGACY_HEADERS: Final = frozenset({*LEGACY, "2025-03-26"})
"""What a header may say after a handshake. Why the third: it is what a missing header means, though nobody gets it."""

PREFIX: Final = "io.modelcontextprotocol/"
VERSION_KEY: Final = f"{PREFIX}protocolVersion"
CAPABILITIES_KEY: Final = f"{PREFIX}clientCapabilities"
SERVER_KEY: Final = f"{PREFIX}serverInfo"
VENDOR: Final = "dev.causeway"
"""Our own prefix in ``_meta``, the same wherever the service runs."""
