"""Which network this database belongs to, and how far its chains were read."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.models import Leased


class NetworkProfile(models.Model):
    """The one network this database serves, fixed at first start.

    Why: play money can never settle a live intent if a database never changes networks.
    """

    profile = models.CharField(max_length=12, primary_key=True)
    fixed_at = models.DateTimeField(default=now)
    pins = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.profile


class Lane(models.TextChoices):
    """What of a chain is read: the logs of contracts, or whole blocks, since a native coin leaves no logs.

    On Solana the accounts of those who are paid.
    """

    LOGS = "logs"
    BLOCKS = "blocks"
    ACCOUNTS = "accounts"


class ChainReader(Leased):
    """How far one chain was read for payments, and who reads it now: ``attempts`` counts claims, and fences old ones.

    Blocks up to ``read_to`` were read when they were new, those up to ``final_to`` once more when the chain called
    them final. ``points`` are numbers and hashes of blocks that were the newest once, the newest last: by them a branch
    is noticed. ``width`` is the number of blocks that nodes took in one question. ``head`` is how far the chain was at
    ``read_at``, and ``refused`` why nothing could be read since. Source: docs/adr/0058.
    """

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=32)
    lane = models.CharField(max_length=8, choices=Lane.choices)
    read_to = models.BigIntegerField(null=True)
    final_to = models.BigIntegerField(null=True)
    points = models.JSONField(default=list)
    width = models.PositiveIntegerField()
    head = models.BigIntegerField(null=True)
    read_at = models.DateTimeField(null=True)
    final_at = models.DateTimeField(null=True)
    refused = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["network", "chain", "lane"], name="one_reader_of_a_chain"),
            models.CheckConstraint(condition=models.Q(lane__in=Lane.values), name="reader_lane_known"),
        ]

    def __str__(self) -> str:
        """How far it is."""
        return f"{self.lane} of {self.chain} up to {self.read_to}"


class WatchedAddress(models.Model):
    """Where a token may arrive for somebody: the addresses that the readers of a chain ask about.

    One of which no node tells all is left out until ``left_out_until``; meanwhile what pays there is looked for by
    itself. ``awaited_until`` is how long a payment handed out is awaited: until then it is read in each round, and
    later now and then. On a chain of blocks ``read_at`` is empty while each block is asked about it. Else it rests, and
    was read on then; all final blocks up to ``read_to`` were, and ``final_at`` says when it was slow last
    (``payments.services.resting``). On Solana each is read by
    itself: all slots up to ``read_to`` were when they were new, and those up to ``final_to`` once more. ``cursor`` is
    where it goes on (``payments.services.reading_accounts``).
    """

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=32)
    token_address = models.CharField(max_length=64)
    address = models.CharField(max_length=64)
    watched_at = models.DateTimeField(default=now)
    left_out_until = models.DateTimeField(null=True)
    awaited_until = models.DateTimeField(null=True)
    read_to = models.BigIntegerField(null=True)
    final_to = models.BigIntegerField(null=True)
    read_at = models.DateTimeField(null=True)
    final_at = models.DateTimeField(null=True)
    cursor = models.JSONField(default=dict, db_default={})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["network", "chain", "token_address", "address"], name="an_address_is_watched_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["network", "chain"], condition=models.Q(read_at=None), name="address_followed"),
            models.Index(
                fields=["network", "chain", "read_to"],
                condition=models.Q(read_at__isnull=False, final_at=None),
                name="address_resting",
            ),
            models.Index(
                fields=["network", "chain", "final_at"],
                condition=models.Q(final_at__isnull=False),
                name="address_slow",
            ),
        ]

    def __str__(self) -> str:
        """What arrives where."""
        return f"{self.token_address} at {self.address} on {self.chain}"
