"""Judges a URL before it is saved. What is dialled later is judged again at each connect."""

from dataclasses import dataclass

from django.conf import settings

from core.modes import Mode
from core.outbound.addresses import Reach
from core.outbound.destinations import UrlRefused, look_up, read_destination, refuse_private_answers
from webhooks.errors import WebhookUrlNotAllowed

LOOK_UP_SECONDS = 1.0
"""Source: docs/design/requests.md, No network in a request."""


def reach_of(mode: Mode | str) -> Reach:
    """How far deliveries in this mode may go: to this machine only in test mode, where the operator allows it."""
    if mode == Mode.TEST and settings.WEBHOOK_LOOPBACK_ALLOWED:
        return Reach.PUBLIC_AND_LOOPBACK
    return Reach.PUBLIC


@dataclass(frozen=True, kw_only=True)
class CheckedUrl:
    """A URL that may be written, and the addresses its name had when it was looked up."""

    text: str
    reach: Reach
    addresses: frozenset[str]

    def require_public_answers(self) -> None:
        """Raises: WebhookUrlNotAllowed when the name leads only where nothing may be sent.

        Why apart from the look-up: that happens before the transaction, and a replayed answer needs no verdict.
        """
        try:
            refuse_private_answers(self.addresses, self.reach)
        except UrlRefused as refusal:
            raise WebhookUrlNotAllowed(refusal.reason, refusal.message) from refusal


def check_url(mode: Mode, text: str) -> CheckedUrl:
    """Read a URL and look its name up; a name that does not resolve now is accepted. Call outside transactions.

    Raises: WebhookUrlNotAllowed.
    """
    reach = reach_of(mode)
    try:
        destination = read_destination(text, reach)
    except UrlRefused as refusal:
        raise WebhookUrlNotAllowed(refusal.reason, refusal.message) from refusal
    addresses = look_up(destination.name, LOOK_UP_SECONDS) if destination.name else frozenset[str]()
    return CheckedUrl(text=text, reach=reach, addresses=addresses)
