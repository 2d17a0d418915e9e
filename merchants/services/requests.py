"""Upkeep of the request log."""

from datetime import timedelta

from core.clock import now
from merchants.models import RequestRecord

KEPT_FOR = timedelta(days=30)
"""Source: docs/adr/0029."""


def forget_old_requests(at_once: int = 1000) -> int:
    """Delete lines whose time is over, in small transactions; returns how many.

    Why in pieces: one long delete would hold its locks, and the log, for as long as it takes.
    """
    ended, deleted = now() - KEPT_FOR, 0
    while True:
        old = (
            RequestRecord.objects.filter(created_at__lt=ended).order_by("created_at", "pk").values_list("pk", flat=True)
        )
        count, _ = RequestRecord.objects.filter(pk__in=list(old[:at_once])).delete()
        deleted += count
        if count < at_once:
            return deleted
