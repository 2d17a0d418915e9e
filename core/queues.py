"""The tables whose rows come due, and who was alive when. Apart from the views: workers need no web framework."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import models

from core.clock import now, ticks
from core.dispatch import SIGN_OF_LIFE_SECONDS
from core.models import Heartbeat

OldestDue = Callable[[], datetime | None]
"""When the oldest row of a queue came due, or None when nothing is due."""

QUEUES: dict[str, OldestDue] = {}


def register_queue(name: str, oldest_due: OldestDue) -> None:
    """Have readiness watch a table. Called by apps when they are ready."""
    QUEUES[name] = oldest_due


def longest_due(rows: models.QuerySet[Any], moment: str = "next_attempt_at") -> datetime | None:
    """When the first of these rows came due, by the column that says so."""
    due = rows.filter(**{f"{moment}__lte": now()})
    return due.order_by(moment).values_list(moment, flat=True).first()


def note_alive(name: str) -> None:
    """Write down that a kind of worker, or the clock, is alive now."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": now()})


class SignOfLife:
    """Says that something is alive, once in a while, for who has work to do between two messages."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}

    def __call__(self, name: str) -> None:
        """Write it down, unless this process did so a moment ago."""
        if ticks() >= self._due.get(name, 0.0):
            self._due[name] = ticks() + SIGN_OF_LIFE_SECONDS
            note_alive(name)


show_life = SignOfLife()


def last_alive(name: str) -> datetime | None:
    """When a kind of worker, or the clock, last gave a sign of life."""
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()
