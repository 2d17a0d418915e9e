"""Histories of several rows as one column for people: when, what, why and by whom."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from core.models import TransitionRecord
from dashboard.actors import actor_words
from dashboard.visit import Visit


class HistoryStep(NamedTuple):
    """One thing that happened, who did it, and why."""

    at: datetime
    what: str
    why: str
    by: str


def steps_of(
    visit: Visit, lines: Iterable[tuple[TransitionRecord, str]], why: Callable[[str], str]
) -> list[HistoryStep]:
    """Lines of histories, each with what it says, oldest first. ``why`` puts a reason into words."""
    ordered = sorted(lines, key=lambda one: one[0].created_at)
    by = actor_words(visit, {line.actor for line, _ in ordered})
    return [
        HistoryStep(at=line.created_at, what=what, why=why(line.reason), by=by[line.actor]) for line, what in ordered
    ]
