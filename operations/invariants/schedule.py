"""Checking by the clock: once an hour and when an operator asks for it, by one worker at a time, and written down."""

import logging
from datetime import timedelta
from itertools import islice

from django.db import transaction

from core.clock import now
from core.models import InvariantCheck
from operations.invariants import violations
from operations.invariants.reading import one_long_moment

logger = logging.getLogger("causeway.invariants")

EVERY = timedelta(hours=1)
AGAIN_AFTER = timedelta(minutes=10)
"""When the last check found something. Why sooner: what repaired itself must not be said for an hour."""
GIVEN_UP_AFTER = timedelta(minutes=45)
"""A check that began and never ended, say because its worker was stopped, keeps nobody waiting for longer."""
MOST_SENTENCES = 200
MOST_LINES = 50
LONGEST_LINE = 500
"""In characters. What is longer stands whole in the table."""
KEPT = 100


@transaction.atomic
def request_check() -> InvariantCheck:
    """Have a worker check soon. While one is requested and has not begun, asking again changes nothing."""
    waiting = InvariantCheck.objects.filter(started_at=None).first()
    return waiting or InvariantCheck.objects.create(asked_at=now())


def last_check() -> InvariantCheck | None:
    """The newest check that ended."""
    return InvariantCheck.objects.exclude(finished_at=None).order_by("-pk").first()


def run_due_check() -> InvariantCheck | None:
    """Check if one is requested or the last is old enough, and say what was found; None where nothing was due."""
    check = _claim()
    if check is None:
        return None
    with one_long_moment():
        found = list(islice(violations(), MOST_SENTENCES + 1))
    check.finished_at, check.violations = now(), found[:MOST_SENTENCES]
    check.is_cut = len(found) > MOST_SENTENCES
    check.save(update_fields=["finished_at", "violations", "is_cut"])
    kept = InvariantCheck.objects.order_by("-pk").values_list("pk", flat=True)[:KEPT]
    InvariantCheck.objects.exclude(pk__in=list(kept)).delete()
    _say(check)
    return check


def _say(check: InvariantCheck) -> None:
    """A line of the log for each sentence, so that whoever watches the log is called; one line where all is well."""
    if not check.violations:
        logger.info("invariants_hold check=%s", check.pk)
        return
    for sentence in check.violations[:MOST_LINES]:
        logger.error("invariant_broken check=%s %s", check.pk, sentence[:LONGEST_LINE])
    more = len(check.violations) - MOST_LINES
    if more > 0:
        logger.error("invariant_broken check=%s and %s more%s", check.pk, more, ", at least" if check.is_cut else "")


@transaction.atomic
def _claim() -> InvariantCheck | None:
    """Take what is due, unless another worker is at it."""
    newest = list(InvariantCheck.objects.select_for_update().order_by("-pk")[:10])
    if any(one.finished_at is None and one.started_at and now() - one.started_at < GIVEN_UP_AFTER for one in newest):
        return None
    requested = next((one for one in newest if one.started_at is None), None)
    last = next((one for one in newest if one.finished_at is not None), None)
    if requested is None and last is not None and not _is_due_after(last):
        return None
    check = requested or InvariantCheck(asked_at=now())
    check.started_at = now()
    check.save()
    return check


def _is_due_after(last: InvariantCheck) -> bool:
    pause = AGAIN_AFTER if last.violations else EVERY
    return last.finished_at is not None and now() - last.finished_at >= pause
