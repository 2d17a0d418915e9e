# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: ping events."""

from __future__ import annotations

from causeway_sdk._models import Model


class PingEventData(Model):
    """PingEventData, as the service sends it."""

    id: str
    """Its id."""
    message: str
    """A sentence for people."""
