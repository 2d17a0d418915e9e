# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model, each
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from datetime import datetime

    from causeway_sdk._generated.words import (
        Availability,
    )


class CheckResult(Model):
    """CheckResult, as the service sends it."""

    status: Availability
    """Whether this check passed."""
    age_seconds: int | None
    """Of the last heartbeat, of the oldest row that is due, of the newest check of the invariants, or of the last
    reading of a chain.
    """
    detail: str | None
    """What it means, in words."""


class HealthStatus(Model):
    """HealthStatus, as the service sends it."""

    status: str
    """`ok` while the service can reach its database."""
    ts: datetime
    """The time of the answer. ISO 8601 in UTC."""

    _read = {"ts": moment}


class Readiness(Model):
    """Readiness, as the service sends it."""

    status: Availability
    """Whether all checks passed."""
    ts: datetime
    """The time of the answer. ISO 8601 in UTC."""
    checks: dict[str, CheckResult]
    """Each check by its name."""

    _read = {"ts": moment, "checks": each(CheckResult)}
