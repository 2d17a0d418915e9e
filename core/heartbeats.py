"""Who was alive when: workers of each kind and the clock say so, and others ask."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection

from core.clock import now, ticks
from core.dispatch import SIGN_OF_LIFE_SECONDS
from core.models import Heartbeat
from core.pauses import look_for_restore

SILENCE = timedelta(seconds=10)
"""Who said nothing for so long was away: just longer than readiness waits for a sign of life."""


def note_alive(*names: str) -> None:
    """Write down that kinds of workers, or the clock, are alive now; before it, whether the database was put back."""
    if connection.vendor == "postgresql":
        look_for_restore()
    moment = now()
    Heartbeat.objects.filter(name__in=names, at__lt=moment - SILENCE).update(since=moment)
    alive = [Heartbeat(name=name, at=moment, since=moment) for name in names]
    Heartbeat.objects.bulk_create(alive, update_conflicts=True, unique_fields=["name"], update_fields=["at"])


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


def came_back_since(moment: datetime, names: Collection[str]) -> bool:
    """Whether any of these was away and came back after a moment, so that what waited for it may still be late."""
    return Heartbeat.objects.filter(name__in=names, since__gt=moment).exists()
