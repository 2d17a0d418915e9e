"""Mail leaves by a worker: whoever sends one writes a row in its own transaction, and a sweep hands it to the server.

Why: no web request waits for a mail server, and no mail speaks of what was rolled back. At least once, as webhooks.
"""

import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction

from core.backoff import Backoff
from core.clock import now
from core.dispatch import nudge
from core.leases import take_due, time_limit
from core.pauses import Paused, is_paused
from core.purges import AT_ONCE, IsOver, purge
from core.secrets import decrypt, encrypt
from core.sweeps import Claim, Sweep
from merchants.models import OutgoingMail

logger = logging.getLogger("causeway.mail")

SEND_MAIL = "merchants.send_mail"
RETRIES: Final = Backoff(delays_seconds=(60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600))
GIVES_UP_AFTER = timedelta(days=1)
BATCH, SWEEP_SECONDS = 10, 20
_LISTS: Final = ("to", "cc", "bcc", "reply_to")


class OutboxBackend(BaseEmailBackend):
    """Django's mail backend for everything in the service: keeps the messages for the sweep."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write a row each. Raises: ValueError or ValidationError for what could never be sent, and then none is."""
        sealed = [_seal(message) for message in email_messages if message.recipients()]
        with transaction.atomic():
            for one in sealed:
                OutgoingMail.objects.create(sealed=one)
            nudge(SEND_MAIL)
        return len(sealed)


def send_due(seconds: int = SWEEP_SECONDS) -> int:
    """Hand what is due to the mail server, for about so many seconds; returns how many were tried."""
    is_over = time_limit(seconds)
    return SWEEP.run(lambda: is_over() or is_paused(Paused.SENDING))


def forget_old_mail(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete rows of mails that were sent or given up long ago; returns how many."""
    ended = now() - timedelta(days=settings.KEEP_MAIL_DAYS)
    old = OutgoingMail.objects.filter(next_attempt_at=None, created_at__lte=ended)
    return purge(old, age="created_at", is_over=is_over, at_once=at_once)


def _send(claim: Claim[int]) -> None:
    """One mail, with no transaction open. Why any failure: the next mail must not wait for this one's."""
    mail = OutgoingMail.objects.get(pk=claim.key)
    try:
        with get_connection(settings.MAIL_DELIVERY) as server:
            kept = json.loads(decrypt(bytes(mail.sealed)))
            alternatives = [tuple(one) for one in kept.pop("alternatives")]
            EmailMultiAlternatives(**kept, alternatives=alternatives, connection=server).send()
    except Exception as error:
        _try_later(mail, error)
        return
    OutgoingMail.objects.filter(pk=claim.key).update(sent_at=now(), next_attempt_at=None, sealed=b"")


SWEEP = Sweep[int](
    model=OutgoingMail,
    take=lambda until: (
        [] if is_paused(Paused.SENDING) else take_due(OutgoingMail.objects.all(), most=BATCH, until=until)
    ),
    advance=_send,
    lease=timedelta(minutes=2),  # longer than EMAIL_TIMEOUT: who takes a mail is done before somebody else may take it
)


def _try_later(mail: OutgoingMail, error: Exception) -> None:
    """Why the kind of failure alone: a mail server's words repeat the address."""
    attempts = mail.attempts + 1
    wait = RETRIES.wait_after(attempts)
    row = OutgoingMail.objects.filter(pk=mail.pk)
    if wait is None or now() + wait > mail.created_at + GIVES_UP_AFTER:
        logger.error("%s given up after %s attempts: %s", mail, attempts, type(error).__name__)
        row.update(attempts=attempts, given_up_at=now(), next_attempt_at=None, sealed=b"")
        return
    logger.warning("%s not sent, attempt %s: %s", mail, attempts, type(error).__name__)
    row.update(attempts=attempts, next_attempt_at=now() + wait)


def _seal(message: EmailMessage) -> bytes:
    if message.attachments:
        raise ValueError("mails with attachments are not kept")
    for address in message.recipients():
        validate_email(address)
    message.message()  # Django refuses here what would forge a header
    kept = {
        "subject": str(message.subject),
        "body": str(message.body),
        "from_email": message.from_email,
        "headers": {name: str(value) for name, value in message.extra_headers.items()},
        "alternatives": [list(one) for one in getattr(message, "alternatives", [])],
        **{name: list(getattr(message, name)) for name in _LISTS},
    }
    return encrypt(json.dumps(kept).encode())
