# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: test helpers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model

if TYPE_CHECKING:
    from causeway_sdk._generated.words import (
        ScenarioName,
        ScenarioSubject,
    )


class AdvancedTestClock(Model):
    """AdvancedTestClock, as the service sends it."""

    advanced_seconds: int
    """By how many seconds the test clock was moved."""


class Scenario(Model):
    """Scenario, as the service sends it."""

    name: ScenarioName
    """Its name."""
    about: str
    """What it does, in one sentence."""
    applies_to: ScenarioSubject
    """Which resource it can be asked of."""
    ends_in: str
    """The status in which that ends when nothing more is done."""


class TriggeredTestEvent(Model):
    """TriggeredTestEvent, as the service sends it."""

    id: str
    """Its id."""
    type: str
    """The type of the event."""
