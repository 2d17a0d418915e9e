"""The table of postings, and how far rows of before were booked."""

import uuid
from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

from core.append_only import AppendOnlyModel, GrowsOnly
from core.clock import now
from core.columns import BaseUnitsColumn, UsdColumn
from core.modes import Mode
from ledger.accounts import Account, Kind, Source
from merchants.models import Merchant
from merchants.querysets import MerchantScoped

MAX_NAME: Final = 128


class PostingLines(GrowsOnly, MerchantScoped["Posting"]):
    """Postings that can be read and added."""


class Posting(AppendOnlyModel):
    """One side of an entry: so much on one account of one merchant, mode and asset. Never changed.

    Units: base units of the token, and dollars at the time of what is booked; a debit is above zero, a credit below.
    The postings of an ``entry`` add up to nothing, in both. ``source`` and ``source_id`` name the row that it books,
    and ``intent_id`` its payment. No foreign keys there: the books outlive what they speak of.
    Source: docs/adr/0112.
    """

    entry = models.UUIDField()
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    mode = models.CharField(max_length=4, choices=Mode.choices)
    chain = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    account = models.CharField(max_length=12, choices=Account.choices)
    base_units = BaseUnitsColumn()
    amount_usd = UsdColumn()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    source = models.CharField(max_length=8, choices=Source.choices)
    source_id = models.CharField(max_length=36)
    intent_id = models.UUIDField()
    booked_at = models.DateTimeField(default=now)

    objects: ClassVar = models.Manager.from_queryset(PostingLines)()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(account__in=Account.values), name="posting_account_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["source", "source_id"], name="posting_of_source"),
            models.Index(
                fields=["merchant", "mode", "chain", "token_address", "booked_at", "id"], name="posting_of_asset"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.base_units} on {self.account} for {self.source} {self.source_id}"


class Opening(models.Model):
    """How far the rows that were there before the books were booked: one row. ``after``: the last payment seen to.

    ``passes``: how often all of them were gone through. Without ``finished_at`` the books are not complete yet.
    """

    began_at = models.DateTimeField(default=now)
    after = models.UUIDField(default=uuid.UUID(int=0))
    passes = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        """How far it is."""
        return f"books opened up to {self.after}"


class StatementDay(models.Model):
    """A day of which every statement was written, and the newest posting that was there by then."""

    day = models.DateField(primary_key=True)
    last_posting = models.BigIntegerField(default=0)
    written_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        """The day."""
        return f"{self.day:%Y-%m-%d}"


class StatementLines(GrowsOnly, MerchantScoped["Statement"]):
    """Statements that can be read and added."""


class Statement(AppendOnlyModel):
    """What was on each account of an asset when a day in UTC began and ended. Written once, after the day.

    ``document`` is the statement itself, as ``ledger.statements`` writes it, and ``digest`` its SHA-256 in hexadecimal.
    Each names the one before it by its digest. ``signature`` is that of the key ``key_id`` under the document.
    Source: docs/ledger.md, Statements.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    mode = models.CharField(max_length=4, choices=Mode.choices)
    chain = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    day = models.DateField()
    document = models.TextField()
    digest = models.CharField(max_length=64)
    key_id = models.CharField(max_length=24, blank=True)
    signature = models.CharField(max_length=128, blank=True)
    written_at = models.DateTimeField(default=now)

    objects: ClassVar = models.Manager.from_queryset(StatementLines)()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["merchant", "mode", "chain", "token_address", "day"], name="one_statement_of_a_day"
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.token_address} on {self.chain}, {self.day:%Y-%m-%d}"
