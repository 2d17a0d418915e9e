"""Upkeep of what is remembered about callers."""

from merchants import mail
from merchants.services import forget_expired_answers, forget_old_requests


def purge_idempotency_records() -> None:
    """Delete answers whose replay window is over."""
    forget_expired_answers()


def purge_request_records() -> None:
    """Delete lines of the request log that are over thirty days old."""
    forget_old_requests()


def send_mail() -> None:
    """Hand the mails that are due to the mail server."""
    mail.send_due()


def purge_mail() -> None:
    """Forget mails of long ago."""
    mail.forget_old_mail()
