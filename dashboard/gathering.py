"""What waits for a person and what a newcomer did, of all apps: one question to the database for each, however many."""

from dataclasses import replace

from django.db.models import QuerySet

from core.asking import any_of_each, count_each
from dashboard.panels import NEEDS, STEPS, Need, Step, Visit

MOST = 1000
"""Nobody needs to know of more, and a table is never counted whole."""


def needs_of(visit: Visit) -> list[Need]:
    """Everything that waits, without what counts nothing."""
    asked = [need for ask in NEEDS for need in ask(visit)]
    open_ones = [need.count for need in asked if isinstance(need.count, QuerySet)]
    counts = iter(count_each(open_ones, MOST))
    counted = [replace(need, count=next(counts)) if isinstance(need.count, QuerySet) else need for need in asked]
    return [need for need in counted if need.count]


def steps_of(visit: Visit) -> list[tuple[Step, bool]]:
    """The steps of the visit's mode, and whether each is done."""
    steps = [step for step in STEPS if visit.mode in step.modes]
    results = [step.done(visit) for step in steps]
    found = iter(any_of_each(one for one in results if isinstance(one, QuerySet)))
    return [(step, next(found) if isinstance(one, QuerySet) else one) for step, one in zip(steps, results, strict=True)]
