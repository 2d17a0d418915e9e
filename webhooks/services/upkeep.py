"""What happens by the clock: failing endpoints are switched off, old events purged, test time moved."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from core.clock import now
from core.modes import Mode
from merchants.models import Merchant
from webhooks.events import RETENTION
from webhooks.models import Delivery, DeliveryAttempt, Event, SigningSecret, Subscription, WebhookEndpoint
from webhooks.services.endpoints import disable_endpoint
from webhooks.states import DisabledReason, Outcome

FAILING_FOR = timedelta(days=5)
"""Source: docs/webhooks.md, Delivery."""
_PURGED_AT_ONCE = 1000


def disable_failing_endpoints() -> int:
    """Switch off every endpoint that has done nothing but fail for five days; how many there were."""
    failing = WebhookEndpoint.objects.filter(enabled=True, failing_since__lte=now() - FAILING_FOR)
    return sum(disable_endpoint(key, DisabledReason.FAILING) for key in failing.values_list("pk", flat=True))


def purge_old_events() -> int:
    """Delete events past their retention with their deliveries and attempts; how many events there were.

    Why per merchant: the index by merchant and time finds the oldest ones without one more index on every insert.
    """
    purged = sum(
        _purge_of(merchant_id, mode)
        for merchant_id in Merchant.objects.values_list("pk", flat=True)
        for mode in Mode.values
    )
    cutoff = now() - RETENTION
    Subscription.objects.filter(valid_to__lt=cutoff).delete()
    kept = Delivery.objects.filter(endpoint=OuterRef("pk"))
    WebhookEndpoint.objects.filter(~Exists(kept), deleted_at__lt=cutoff).delete()
    return purged


def _purge_of(merchant_id: int, mode: str) -> int:
    purged, moment = 0, now()
    oldest = Event.objects.filter(merchant_id=merchant_id, mode=mode).order_by("occurred_at", "id")
    while True:
        batch = list(oldest.values_list("pk", "kept_until")[:_PURGED_AT_ONCE])
        # Why takewhile: within a merchant and mode retention ends in the order of the events.
        expired = [key for key, _ in takewhile(lambda row: row[1] <= moment, batch)]
        deleted = _delete_events(expired)
        purged += deleted
        if deleted < _PURGED_AT_ONCE:
            return purged


@transaction.atomic
def _delete_events(keys: Sequence[str]) -> int:
    """Delete these events, but those that are on their way again."""
    if not keys:
        return 0
    on_the_way = Delivery.objects.filter(event=OuterRef("pk"), outcome=Outcome.DUE)
    settled = list(Event.objects.filter(~Exists(on_the_way), pk__in=keys).values_list("pk", flat=True))
    DeliveryAttempt.objects.filter(delivery__event_id__in=settled).delete()
    Delivery.objects.filter(event_id__in=settled).delete()
    Event.objects.filter(pk__in=settled).delete()
    return len(settled)


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Let time pass for one merchant and mode: retries, secret expiries, failing periods and retention.

    Times that are shown stay as they are.
    Source: docs/design/test-mode.md, The test clock.
    """
    step = timedelta(seconds=seconds)
    tenant = {"merchant_id": merchant_id, "mode": mode}
    Delivery.objects.filter(outcome=Outcome.DUE, **tenant).update(next_attempt_at=F("next_attempt_at") - step)
    SigningSecret.objects.filter(expires_at__isnull=False, **tenant).update(expires_at=F("expires_at") - step)
    WebhookEndpoint.objects.filter(failing_since__isnull=False, **tenant).update(
        failing_since=F("failing_since") - step
    )
    Event.objects.filter(**tenant).update(kept_until=F("kept_until") - step)
