"""The share of failures that the score counts with, by route: assumed by kind, or measured and adopted.

Read at most once a minute per process and mode. Source: docs/adr/0117.
"""

import logging
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import DatabaseError

from core.clock import now
from core.modes import Mode
from payments.models import RouteRisks
from payments.routing.base import ASSUMED, Risks

FRESH_FOR = timedelta(seconds=60)

_LOGGER = logging.getLogger(__name__)
_read_at: dict[Mode, tuple[datetime, Risks]] = {}


def current_risks(mode: Mode) -> Risks:
    """What was adopted for a mode, at most ``FRESH_FOR`` old; what is assumed, where it cannot be read."""
    cached = _read_at.get(mode)
    if cached is not None and timedelta(0) <= now() - cached[0] < FRESH_FOR:
        return cached[1]
    try:
        row = RouteRisks.objects.filter(mode=mode, adopted_at__isnull=False, ended_at=None).order_by("-pk").first()
        risks = ASSUMED if row is None else risks_of(row)
    except (DatabaseError, KeyError, ArithmeticError):
        _LOGGER.exception("the adopted risks of routes cannot be read; those assumed count")
        risks = ASSUMED
    _read_at[mode] = (now(), risks)
    return risks


def risks_of(row: RouteRisks) -> Risks:
    """The shares of a stored set."""
    return {(one["provider"], one["chain"], one["to_chain"]): Decimal(one["share"]) for one in row.shares}


def forget_risks() -> None:
    """Read anew at the next question."""
    _read_at.clear()
