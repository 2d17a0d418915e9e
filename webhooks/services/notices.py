"""Mails to a merchant's team about an endpoint that fails. The endpoint's row remembers what they were told.

Why a sweep of its own: a mail server may be slow, and deliveries must not wait for it.
"""

import logging
from datetime import timedelta
from enum import IntEnum

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Q

from core.clock import now
from core.modes import Mode
from merchants.models import Membership, Role
from webhooks.models import DeliveryAttempt, WebhookEndpoint
from webhooks.states import DisabledReason, EndpointKind

logger = logging.getLogger("causeway.webhooks")

FAILURES_IN_A_ROW = 3
A_DAY = timedelta(hours=24)
"""Source: docs/design/events.md, Who is told of failures."""
_TEAM = (Role.OWNER, Role.ADMIN, Role.DEVELOPER)
_BY_SERVICE = (DisabledReason.GONE, DisabledReason.FAILING)


class Notice(IntEnum):
    """What the team was told last, in the order in which things get worse."""

    NONE = 0
    FAILING = 1
    FAILING_FOR_A_DAY = 2
    DISABLED = 3


_SENTENCES = {
    Notice.FAILING: "The last deliveries to it failed. They are tried again for about a day each.",
    Notice.FAILING_FOR_A_DAY: "Every delivery to it has failed for a day. After five days it will be disabled.",
    Notice.DISABLED: "It was disabled and gets nothing more. Enable it again, then recover what it missed.",
}


def tell_teams() -> int:
    """Send every mail that is owed; how many endpoints were written about."""
    suspects = WebhookEndpoint.objects.filter(
        Q(failing_since__isnull=False, kind=EndpointKind.PUSH) | Q(disabled_reason__in=_BY_SERVICE), deleted_at=None
    )
    return sum(_tell(endpoint) for endpoint in suspects.exclude(owner_notified=Notice.DISABLED))


def _tell(endpoint: WebhookEndpoint) -> bool:
    notice = _owed(endpoint)
    claimed = WebhookEndpoint.objects.filter(pk=endpoint.pk, owner_notified__lt=notice).update(owner_notified=notice)
    if not claimed:
        return False
    team = Membership.objects.filter(merchant_id=endpoint.merchant_id, role__in=_TEAM)
    text = (
        f"{_SENTENCES[notice]}\n\nEndpoint: {endpoint.title}\nMode: {endpoint.mode}\n{settings.BASE_URL}/dashboard/\n"
    )
    try:
        send_mail("A webhook endpoint needs attention", text, None, list(team.values_list("user__email", flat=True)))
    except OSError as error:
        logger.warning("mail about endpoint %s not sent: %s", endpoint.pk, error)
    return True


def _owed(endpoint: WebhookEndpoint) -> Notice:
    """Why live only before the end: a test receiver that is switched off is everyday life."""
    if not endpoint.enabled:
        return Notice.DISABLED
    if endpoint.mode != Mode.LIVE or endpoint.failing_since is None:
        return Notice.NONE
    if endpoint.failing_since <= now() - A_DAY:
        return Notice.FAILING_FOR_A_DAY
    failures = DeliveryAttempt.objects.filter(delivery__endpoint=endpoint, at__gte=endpoint.failing_since)
    return Notice.FAILING if failures[:FAILURES_IN_A_ROW].count() >= FAILURES_IN_A_ROW else Notice.NONE
