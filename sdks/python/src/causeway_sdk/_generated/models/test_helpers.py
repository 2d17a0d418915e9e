# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: test helpers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model

if TYPE_CHECKING:
    from causeway_sdk._generated.words import (
        ScenarioSubject,
    )


class AdvancedTestClock(Model):
    """AdvancedTestClock, as the service sends it."""

    advanced_seconds: int


class Scenario(Model):
    """Scenario, as the service sends it."""

    name: str
    about: str
    applies_to: ScenarioSubject
    """What a scenario of test mode can be asked of."""
    ends_in: str
    """The status in which that ends when nothing more is done."""


class TriggeredTestEvent(Model):
    """TriggeredTestEvent, as the service sends it."""

    id: str
    type: str
