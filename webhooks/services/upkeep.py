"""What happens by the clock: failing endpoints are switched off, old events purged, test time moved."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from core.clock import now
from core.leases import time_limit
from core.purges import AT_ONCE, TURN_SECONDS, IsOver, purge
from webhooks.events import retention
from webhooks.models import Delivery, DeliveryAttempt, Event, SigningSecret, Subscription, WebhookEndpoint
from webhooks.order import place_left_out
from webhooks.services.endpoints import disable_endpoint
from webhooks.services.event_weeks import drop_event_weeks, lies_apart
from webhooks.states import DisabledReason, EndpointKind, Outcome

FAILING_FOR = timedelta(days=5)
"""Source: docs/guides/webhooks.md, Delivery."""


def disable_failing_endpoints() -> int:
    """Switch off every endpoint that has done nothing but fail for five days; how many there were.

    None that is pulled: who fetches sees the failures, and nothing is sent in vain.
    """
    failing = WebhookEndpoint.objects.filter(
        enabled=True, kind=EndpointKind.PUSH, failing_since__lte=now() - FAILING_FOR
    )
    return sum(disable_endpoint(key, DisabledReason.FAILING) for key in failing.values_list("pk", flat=True))


def purge_old_events(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete events past their retention with their deliveries and attempts; how many there were beside whole weeks.

    The oldest go first, whoever they are: a merchant with many neither ends a purge nor lets others wait.
    Those that are on their way again stay until they have arrived, on PostgreSQL with their week. Those that wait to be
    fetched do not: who never fetches fills no table.
    Source: docs/adr/0083, docs/adr/0089.
    """
    cutoff = now() - retention()
    drop_event_weeks(cutoff)
    on_the_way = Delivery.objects.filter(event=OuterRef("pk"), outcome=Outcome.DUE, pull_at=None)
    ended = Event.objects.filter(lies_apart(cutoff), ~Exists(on_the_way), kept_until__lte=now())
    purged = purge(ended, age="kept_until", is_over=is_over, remove=_remove_events, at_once=at_once)
    Subscription.objects.filter(valid_to__lt=cutoff).delete()
    SigningSecret.objects.filter(expires_at__lt=cutoff).delete()
    kept = Delivery.objects.filter(endpoint=OuterRef("pk"))
    WebhookEndpoint.objects.filter(~Exists(kept), deleted_at__lt=cutoff).delete()
    return purged


def _remove_events(keys: Sequence[str]) -> int:
    """Delete these, but those of which somebody just holds a delivery, or has put one on its way again."""
    hanging = Delivery.objects.filter(event_id__in=keys)
    over = hanging.exclude(outcome=Outcome.DUE, pull_at=None)
    free = set(over.select_for_update(skip_locked=True).values_list("pk", flat=True))
    in_use = {event for delivery, event in hanging.values_list("pk", "event_id") if delivery not in free}
    settled = [key for key in keys if key not in in_use]
    DeliveryAttempt.objects.filter(delivery__event_id__in=settled).delete()
    Delivery.objects.filter(event_id__in=settled).delete()
    return Event.objects.filter(pk__in=settled).delete()[0]


def place_events(is_over: IsOver | None = None) -> int:
    """Give their places to events of before there were any, batch by batch until the time is over; how many."""
    is_over, placed = is_over or time_limit(TURN_SECONDS), 0
    while not is_over() and (more := place_left_out()):
        placed += more
    return placed


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Let time pass for one merchant and mode: retries, secret expiries, failing periods and retention.

    Times that are shown stay as they are.
    Source: docs/design/test-mode.md, The test clock.
    """
    step = timedelta(seconds=seconds)
    tenant = {"merchant_id": merchant_id, "mode": mode}
    due = Delivery.objects.filter(outcome=Outcome.DUE, **tenant)
    due.update(next_attempt_at=F("next_attempt_at") - step, pull_at=F("pull_at") - step)
    SigningSecret.objects.filter(expires_at__isnull=False, **tenant).update(expires_at=F("expires_at") - step)
    WebhookEndpoint.objects.filter(failing_since__isnull=False, **tenant).update(
        failing_since=F("failing_since") - step
    )
    Event.objects.filter(**tenant).update(kept_until=F("kept_until") - step)
