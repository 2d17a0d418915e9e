"""Checking by the clock: once an hour and when an operator asks for it, by one worker at a time, and written down.

Source: docs/adr/0078.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction

from core.clock import now
from core.models import InvariantCheck, InvariantWalk
from operations.invariants.hourly import Found, look_since
from operations.invariants.suspects import left_by_walks, take_over
from operations.invariants.walk import walk_a_while
from operations.invariants.watermark import held_back, settled_moment

logger = logging.getLogger("causeway.invariants")

EVERY = timedelta(hours=1)
AGAIN_AFTER = timedelta(minutes=10)
"""When the last check found something. Why sooner: what repaired itself must not be said for an hour."""
GIVEN_UP_AFTER = timedelta(minutes=45)
"""A check that began and never ended, say because its worker was stopped, keeps nobody waiting for longer."""
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
    """Check what changed if that is requested or the last is old enough; None where nothing was due.

    The watermark moves when all of it was read, and never past what was open when the check began.
    """
    check = _claim()
    if check is None:
        return None
    last, left = last_check(), left_by_walks()
    since, settled = _watermark(last) or now(), settled_moment()
    covered = since if settled is None else max(since, held_back(settled))
    if settled is None:
        logger.warning("invariants_watermark_stays check=%s since=%s", check.pk, since.isoformat())
    before = (last.suspects if last else None) or []
    found = look_since(since, [*before, *(one for some in left.values() for one in some)])
    if found.is_cut or found.is_late:  # what it did not come to is still to be looked at
        found.suspects += [one for one in before if one not in found.suspects]
    if found.is_late and not found.sentences:
        logger.error("invariants_unfinished check=%s since=%s", check.pk, since.isoformat())
        return check
    _write_down(check, found, since if found.is_cut or found.is_late else covered)
    if not (found.is_cut or found.is_late):
        take_over(left)
    _say(check)
    return check


def walk_on() -> None:
    """Walk on over the whole history for some seconds. What is found calls for a check, which says it."""
    if walk_a_while():
        request_check()


def _watermark(last: InvariantCheck | None) -> datetime | None:
    """Up to where all is read: by the last check that ended, or by the last walk. An older version's read all."""
    walks = InvariantWalk.objects.filter(finished_at__isnull=False, covered_until__isnull=False)
    known = [None if last is None else last.covered_until or last.started_at]
    known.append(walks.order_by("-pk").values_list("covered_until", flat=True).first())
    return max((one for one in known if one is not None), default=None)


def _write_down(check: InvariantCheck, found: Found, covered_until: datetime) -> None:
    check.finished_at, check.covered_until = now(), covered_until
    check.violations, check.suspects = found.sentences, found.suspects
    check.is_cut = found.is_cut or found.is_late
    check.save(update_fields=["finished_at", "covered_until", "violations", "suspects", "is_cut"])
    kept = InvariantCheck.objects.order_by("-pk").values_list("pk", flat=True)[:KEPT]
    InvariantCheck.objects.exclude(pk__in=list(kept)).delete()


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
    if requested is None and last is not None and last.finished_at is not None:
        pause = AGAIN_AFTER if last.violations else EVERY
        if now() - last.finished_at < pause:
            return None
    check = requested or InvariantCheck(asked_at=now())
    check.started_at = now()
    check.save()
    return check
