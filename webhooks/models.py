"""Endpoints and their secrets, what they were subscribed to and when, events, deliveries and attempts.

The rows are the queue: an event without ``fanned_out_at`` and a delivery that is due are work still to be done.
"""

import uuid
from datetime import UTC, datetime
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.models import Leased
from core.modes import Mode
from core.outbound.destinations import MAX_URL_LENGTH
from merchants.models import Merchant
from merchants.querysets import ScopedManager
from webhooks.states import DisabledReason, EndpointKind, Outcome

UNKNOWN_WEEK = datetime(1970, 1, 1, tzinfo=UTC)
"""Where a row lies whose week nobody wrote: beside what was written before there were weeks."""


class MerchantOwned(models.Model):
    """A row of one merchant in one mode. Why no index of its own: every table leads one with these two columns."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    mode = models.CharField(max_length=4, choices=Mode.choices)

    objects = ScopedManager()

    class Meta:
        abstract = True


class WebhookEndpoint(MerchantOwned):
    """Where a merchant wants to be told. Deleted ones stay as an empty shell, because deliveries refer to them.

    ``failing_since`` is the first failure after the last success. ``event_sequence`` numbers the events about it.
    ``places`` is how many deliveries it may hold at once where it was found slow, and None where it was not.
    ``rests_until`` is when it is looked at again because nothing could sign for it.
    One that is pulled has no address; its ``url`` holds its place (``pull:`` and its id), and nobody is shown it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=4, choices=EndpointKind, default=EndpointKind.PUSH, db_default=EndpointKind.PUSH)
    url = models.CharField(max_length=MAX_URL_LENGTH)
    events = models.JSONField()
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    disabled_reason = models.CharField(max_length=16, choices=DisabledReason.choices, blank=True)
    failing_since = models.DateTimeField(null=True, blank=True)
    owner_notified = models.PositiveSmallIntegerField(default=0, db_column="owner_told")
    event_sequence = models.PositiveIntegerField(default=0)
    places = models.PositiveSmallIntegerField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="webhook_endpoint_mode_known")
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "-created_at", "-id"], name="webhook_endpoint_of_merchant")
        ]

    def __str__(self) -> str:
        """Where it is."""
        return self.url

    @property
    def is_pulled(self) -> bool:
        """Whether its deliveries are fetched and not posted."""
        return self.kind == EndpointKind.PULL

    @property
    def address(self) -> str | None:
        """Where events are posted; None where they are fetched."""
        return None if self.is_pulled else self.url

    @property
    def title(self) -> str:
        """What people read of it: its address, or of one without address the beginning of its id."""
        return self.address or f"Fetched by you ({str(self.pk)[:8]})"


class SigningSecret(MerchantOwned):
    """A secret that signs for an endpoint; the current one has no ``expires_at``. Encrypted at rest."""

    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="secrets")
    ciphertext = models.BinaryField()
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["endpoint"], condition=Q(expires_at=None), name="one_current_secret_per_endpoint"
            )
        ]

    def __str__(self) -> str:
        """Whose it is, never what it is."""
        return f"secret {self.pk} of {self.endpoint_id}"


class Subscription(MerchantOwned):
    """What an enabled endpoint wanted from one moment to the next; the open one has no ``valid_to``.

    Why dated: an event goes to the endpoints that were enabled and subscribed when it happened.
    """

    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="subscriptions")
    events = models.JSONField()
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["endpoint"], condition=Q(valid_to=None), name="one_open_subscription_per_endpoint"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["merchant", "mode"], name="subscription_of_merchant")]

    def __str__(self) -> str:
        """What is wanted."""
        return ", ".join(self.events)


class Event(MerchantOwned):
    """Something that happened, as the exact text that every receiver gets.

    ``kept_until`` is when it may be purged. ``occurred_at`` never changes: on PostgreSQL the event lies in that
    week's partition, and with it its deliveries and attempts. Source: docs/adr/0089.
    ``position`` is its place in the one order of all events, given when it is fanned out; 0 where it is in no list.
    Source: docs/adr/0104.
    """

    id = models.CharField(primary_key=True, max_length=36)
    type = models.CharField(max_length=64)
    resource_type = models.CharField(max_length=32)
    resource_id = models.UUIDField()
    sequence = models.PositiveIntegerField()
    payload = models.TextField()
    occurred_at = models.DateTimeField()
    fanned_out_at = models.DateTimeField(null=True, blank=True)
    kept_until = models.DateTimeField()
    position = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["resource_id", "sequence"], name="one_event_per_step_of_a_resource")
        ]
        indexes: ClassVar = [
            models.Index(fields=["occurred_at"], condition=Q(fanned_out_at=None), name="event_to_fan_out"),
            models.Index(fields=["merchant", "mode", "-occurred_at", "-id"], name="event_of_merchant"),
            models.Index(fields=["kept_until"], name="event_by_its_end"),
            models.Index(
                fields=["merchant", "mode", "position"], condition=Q(position__isnull=False), name="event_in_order"
            ),
            models.Index(
                fields=["occurred_at"],
                condition=Q(position=None, fanned_out_at__isnull=False),
                name="event_without_place",
            ),
        ]

    def __str__(self) -> str:
        """Its id and type."""
        return f"{self.id} {self.type}"


class EventOrder(models.Model):
    """The one row that gives events their places; who holds it gives places alone, so they are seen in their order.

    Units: places are microseconds since 1970, and never twice the same. ``last`` was given last. ``began`` is when the
    order began; what occurred before lies in front of it, up to ``past``, and is seen once ``is_whole``.
    Source: docs/adr/0104.
    """

    id = models.PositiveSmallIntegerField(primary_key=True)
    last = models.BigIntegerField()
    began = models.BigIntegerField()
    past = models.BigIntegerField(default=0)
    is_whole = models.BooleanField(default=False)

    def __str__(self) -> str:
        """How far it is."""
        return f"order up to {self.last}"


class Delivery(MerchantOwned, Leased):
    """One event on its way to one endpoint.

    ``attempts`` counts attempts begun, so a number is never used twice even if a worker dies.
    ``attempts_before`` is what it was at the last resend, from where the schedule of eight starts again.
    ``event_at`` is when its event occurred: on PostgreSQL it lies in that week's partition. Source: docs/adr/0089.
    ``leased_until`` says that a worker is sending it. Why not by ``next_attempt_at``: that one is indexed, and a
    claim that changes no index costs the database half.
    ``pull_at`` is when one that is fetched is due; for workers it is due never. Source: docs/adr/0104.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    event = models.ForeignKey(Event, on_delete=models.DO_NOTHING, related_name="deliveries", db_index=False)
    endpoint = models.ForeignKey(
        WebhookEndpoint, on_delete=models.DO_NOTHING, related_name="deliveries", db_index=False
    )
    event_at = models.DateTimeField(db_default=UNKNOWN_WEEK)
    outcome = models.CharField(max_length=12, choices=Outcome.choices, default=Outcome.DUE)
    leased_until = models.DateTimeField(null=True, blank=True)
    pull_at = models.DateTimeField(null=True, blank=True)
    attempts_before = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "endpoint"], name="one_delivery_per_event_and_endpoint"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="delivery_outcome_known"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.DUE, next_attempt_at__isnull=False)
                | (~Q(outcome=Outcome.DUE) & Q(next_attempt_at=None)),
                name="delivery_due_exactly_when_planned",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_attempt_at"], condition=Q(outcome=Outcome.DUE), name="delivery_due"),
            models.Index(
                fields=["endpoint", "next_attempt_at", "id"],
                condition=Q(next_attempt_at__isnull=False),
                name="delivery_due_of_endpoint",
            ),
            models.Index(
                fields=["endpoint", "pull_at", "id"], condition=Q(pull_at__isnull=False), name="delivery_to_pull"
            ),
            models.Index(fields=["endpoint", "-created_at", "-id"], name="delivery_of_endpoint"),
            models.Index(fields=["endpoint", "outcome", "-created_at", "-id"], name="delivery_of_endpoint_outcome"),
        ]

    def __str__(self) -> str:
        """What goes where."""
        return f"{self.event_id} to {self.endpoint_id}"

    @property
    def planned_at(self) -> datetime | None:
        """When it may be attempted next, by whoever does that; None where it is over."""
        return self.next_attempt_at and (self.pull_at or self.next_attempt_at)


class DeliveryAttempt(MerchantOwned):
    """One POST and what came of it: an answer, or an error word where none came. Bounded in every column.

    ``event_at`` is its delivery's.
    """

    delivery = models.ForeignKey(Delivery, on_delete=models.DO_NOTHING, related_name="tries", db_index=False)
    event_at = models.DateTimeField(db_default=UNKNOWN_WEEK)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    latency_ms = models.PositiveIntegerField()
    response_status = models.PositiveSmallIntegerField(null=True, blank=True)
    response_headers = models.JSONField(default=dict, blank=True)
    response_body = models.TextField(blank=True)
    error = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["delivery", "number"], name="one_attempt_per_number")]
        ordering: ClassVar = ["number"]

    def __str__(self) -> str:
        """Which attempt of what."""
        return f"attempt {self.number} of {self.delivery_id}"


class ReceiverCertificate(MerchantOwned):
    """What the last battery of tests said of an endpoint's receiver: one row for each endpoint, written over.

    ``due_at`` is when a worker runs the next battery, or takes it over; None where none was asked for. The rest is of
    the last one that ended: its address, and each check as ``webhooks.battery`` judged it. Source: docs/adr/0116.
    """

    endpoint = models.OneToOneField(WebhookEndpoint, on_delete=models.CASCADE, related_name="certificate")
    requested_at = models.DateTimeField(default=now)
    due_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    url = models.CharField(max_length=MAX_URL_LENGTH, blank=True)
    checks = models.JSONField(default=list)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="certificate_due"),
        ]

    def __str__(self) -> str:
        """Whose it is."""
        return f"certificate of {self.endpoint_id}"

    @property
    def score(self) -> int:
        """How many checks the receiver passed."""
        return sum(bool(check["passed"]) for check in self.checks)
