"""Upkeep of what is remembered about callers."""

from core.dispatch import nudge
from core.purges import in_turn
from merchants import mail, services
from merchants.services import forget_ended_sessions, forget_expired_answers, forget_old_requests


def purge_idempotency_records() -> None:
    """Delete answers whose replay window is over."""
    if in_turn(forget_expired_answers):
        nudge("merchants.purge_idempotency_records")


def make_request_days() -> None:
    """Make the days of the request log that are to come."""
    services.make_request_days()


def purge_request_records() -> None:
    """Delete lines of the request log whose time is over."""
    if in_turn(forget_old_requests):
        nudge("merchants.purge_request_records")


def purge_sessions() -> None:
    """Delete sessions of people that are over."""
    if in_turn(forget_ended_sessions):
        nudge("merchants.purge_sessions")


def send_mail() -> None:
    """Hand the mails that are due to the mail server."""
    mail.send_due()


def purge_mail() -> None:
    """Forget mails of long ago."""
    if in_turn(mail.forget_old_mail):
        nudge("merchants.purge_mail")
