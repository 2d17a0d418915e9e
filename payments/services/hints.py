"""What the operator of a route says of a payment: where to look and when to worry, never that money arrived."""

import logging
from dataclasses import replace
from datetime import timedelta

from chains.clients.base import BridgeReport, LegView, SeenStatus
from core.clock import now
from payments.models import Leg
from payments.routing.registry import operator_report
from payments.states import FLYING_LEG

USUALLY_DONE = timedelta(minutes=2)
"""Before this, or the route's own time, nobody is asked: an answer would change nothing."""
OVERDUE_TIMES, OVERDUE_AT_LEAST = 3, timedelta(minutes=10)
"""When a payment under way counts as in doubt: this many of the route's usual times after it was sent."""
_LOGGER = logging.getLogger("causeway.payments")


def with_hint(leg: Leg, view: LegView) -> LegView:
    """The view of a leg between chains whose arrival is due, with what the operator says of it.

    Why an operator's word never ends it: only a chain can say that money arrived, or that it never can.
    Called outside any database transaction.
    """
    if not _is_awaited(leg, view):
        return view
    report = operator_report(leg.provider, leg.tx_hash, leg.bridge, (leg.chain, leg.to_chain))
    overdue = _age(leg) > max(OVERDUE_TIMES * timedelta(seconds=leg.typical_seconds), OVERDUE_AT_LEAST)
    if report == BridgeReport.DONE:
        _LOGGER.error("payment_claimed_done: %s says leg %s arrived; its chain does not show it", leg.provider, leg.pk)
    is_doubtful = overdue or report in {BridgeReport.REFUNDED, BridgeReport.UNKNOWN}
    return replace(view, report=BridgeReport.UNKNOWN) if is_doubtful else view


def _is_awaited(leg: Leg, view: LegView) -> bool:
    """Whether the payer's side is done, the merchant's is not, and it should be."""
    departed = view.seen is not None and view.seen.status == SeenStatus.INCLUDED
    is_open = view.report == BridgeReport.WAITING and leg.status in FLYING_LEG and bool(leg.bridge)
    return departed and is_open and _age(leg) > max(timedelta(seconds=leg.typical_seconds), USUALLY_DONE)


def _age(leg: Leg) -> timedelta:
    return timedelta(0) if leg.submitted_at is None else now() - leg.submitted_at
