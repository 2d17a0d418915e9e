"""Abstract tables: a row with a status, the history of that status, and a row that comes due."""

from typing import ClassVar

from django.db import models

from core.append_only import AppendOnlyModel, GrowsOnly
from core.clock import now


class StatefulModel(models.Model):
    """A row whose ``status`` only ``core.transitions`` writes.

    ``event_sequence`` numbers the events told about this row, gapless from 1.
    """

    status = models.CharField(max_length=24)
    event_sequence = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class TransitionRecord(models.Model):
    """One append-only line of a row's history. Concrete tables add ``subject``, a key to the row."""

    from_status = models.CharField(max_length=24, blank=True)
    trigger = models.CharField(max_length=32)
    to_status = models.CharField(max_length=24)
    actor = models.CharField(max_length=80)
    reason = models.CharField(max_length=200, blank=True)
    request_id = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        abstract = True
        ordering: ClassVar = ["id"]


class Leased(models.Model):
    """A row that is its own queue entry: whoever claims it moves ``next_attempt_at`` ahead by a lease.

    Why: if the claimer dies, the row simply comes due again.
    """

    next_attempt_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class CacheEntry(models.Model):
    """Django's cache in the production form: the counters that lock out whoever guesses passwords.

    Why no Redis: nobody could sign in while it is away, and then an operator wants to.
    Source: https://docs.djangoproject.com/en/5.2/topics/cache/, database caching, which names the columns.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "core_cache"

    def __str__(self) -> str:
        """What is counted, and until when."""
        return f"{self.cache_key} until {self.expires}"


class Heartbeat(models.Model):
    """When a worker last took a message from the broker: one row per name.

    ``since`` is when it came back after its last silence; None where no program that knows of it has written yet.
    """

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
    since = models.DateTimeField(null=True)

    def __str__(self) -> str:
        """Who was alive when."""
        return f"{self.name} at {self.at}"


class MetricTotal(models.Model):
    """What all processes together counted of something, or its microseconds. ``labels``: values, joined by ``|``."""

    name = models.CharField(max_length=64)
    labels = models.CharField(max_length=120)
    total = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["name", "labels"], name="one_total_of_each_series")]

    def __str__(self) -> str:
        """What was counted."""
        return f"{self.name}{{{self.labels}}} {self.total}"


class Pause(models.Model):
    """One pause of something for the whole service, by a person. It stands until ``ended_at``; the rest is its history.

    ``kind``: as ``core.pauses`` says. ``by`` and ``ended_by``: who, as audits name people.
    """

    kind = models.CharField(max_length=16)
    reason = models.CharField(max_length=200)
    since = models.DateTimeField(default=now)
    by = models.CharField(max_length=80)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=80, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind"], condition=models.Q(ended_at=None), name="one_pause_of_a_kind"),
        ]

    def __str__(self) -> str:
        """What is paused since when."""
        return f"{self.kind} since {self.since}"


class DatabaseIdentity(models.Model):
    """Which database this was when somebody last looked: one row. A copy that was put back finds it, and sees that it
    is one. Columns as ``core.identity.Identity`` has them.
    """

    system = models.CharField(max_length=20)
    database = models.BigIntegerField()
    timeline = models.BigIntegerField()
    target = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        """The cluster, the database in it, and its timeline."""
        return f"{self.system}/{self.database}, timeline {self.timeline}"


class InvariantCheck(models.Model):
    """One check of what must always be true. Without ``started_at`` it is a request that a worker takes up.

    ``violations`` are the sentences that were found, the first of them where ``is_cut``. ``suspects`` are the rows in
    which they were, by table and key, looked at again by the next check. What changed before ``covered_until`` needs
    no further look.
    """

    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    violations = models.JSONField(default=list)
    is_cut = models.BooleanField(default=False)
    suspects = models.JSONField(null=True, blank=True)
    covered_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        """When it was asked for."""
        return f"check of {self.asked_at}"


class InvariantWalk(models.Model):
    """One walk over the whole history, piece by piece: ``table`` and ``after``, a key, say how far it has come.

    Whoever walks holds it until ``held_until``. ``suspects``: rows in which something was found, until a check takes
    them over. Where it began with nothing open before it, all that was written before ``covered_until`` is read when
    it ends.
    """

    started_at = models.DateTimeField()
    held_until = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    covered_until = models.DateTimeField(null=True, blank=True)
    table = models.CharField(max_length=64, blank=True)
    after = models.CharField(max_length=64, blank=True)
    found = models.PositiveIntegerField(default=0)
    suspects = models.JSONField(default=list)

    def __str__(self) -> str:
        """When it began."""
        return f"walk of {self.started_at}"


class Seals(GrowsOnly, models.QuerySet["AuditSeal"]):
    """Seals that can be read and added."""


class AuditSeal(AppendOnlyModel):
    """What the next lines of an audit were, up to ``last_line``, over all seals before: a chain. Never changed.

    ``columns`` are those that were sealed: a later one changes no digest.
    """

    audit = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    last_line = models.BigIntegerField()
    lines = models.PositiveIntegerField()
    columns = models.JSONField()
    digest = models.CharField(max_length=64)
    sealed_at = models.DateTimeField(default=now)

    objects: ClassVar = models.Manager.from_queryset(Seals)()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["audit", "number"], name="audit_seals_are_numbered"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"seal {self.number} of {self.audit}"
