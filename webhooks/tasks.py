"""The clock's doors: one service call each."""

from core.dispatch import DELIVERY, UPKEEP, nudge
from core.heartbeats import show_life
from core.pauses import Paused, is_paused
from core.purges import in_turn
from webhooks import delivery, services
from webhooks.delivery import certifying


def drain() -> None:
    """Send what is due, and say meanwhile that this worker is alive."""
    delivery.drain(each_round=lambda: show_life(DELIVERY))


def certify_receivers() -> None:
    """Run the batteries that merchants asked for, and say meanwhile that this worker is alive; then look again."""
    if certifying.certify_receivers(each_round=lambda: show_life(UPKEEP)):
        nudge("webhooks.certify_receivers")


def disable_failing_endpoints() -> None:
    """Switch off what only fails, and write to the teams concerned. Not while nothing is sent: nobody fails then."""
    if is_paused(Paused.SENDING):
        return
    services.disable_failing_endpoints()
    services.tell_teams()


def make_event_weeks() -> None:
    """Make the weeks of events that are to come."""
    services.make_event_weeks()


def place_events() -> None:
    """Give their places to events that a program of before fanned out."""
    if in_turn(services.place_events):
        nudge("webhooks.place_events")


def purge_old_events() -> None:
    """Delete what is past its retention."""
    if in_turn(services.purge_old_events):
        nudge("webhooks.purge_old_events")
