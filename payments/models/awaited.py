"""Who awaits payments at an address that a chain's readers ask about: by that each merchant has its share of them."""

from typing import ClassVar

from django.db import models

from chains.models import WatchedAddress
from merchants.models import Merchant


class AwaitedBy(models.Model):
    """That a merchant awaits something at an address, until then. Two may at one: it counts where it is best off.

    ``turn_at`` is when it was this merchant's turn to have addresses read that each block is not asked about.
    Source: docs/adr/0101-each-merchant-has-a-share-of-what-a-chain-is-asked.md.
    """

    watched = models.ForeignKey(WatchedAddress, on_delete=models.CASCADE, related_name="awaited_by", db_index=False)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    awaited_until = models.DateTimeField()
    turn_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watched", "merchant"], name="a_merchant_awaits_once_at_an_address")
        ]
        indexes: ClassVar = [models.Index(fields=["awaited_until"], name="awaited_by_end")]

    def __str__(self) -> str:
        """Who, where, and for how long."""
        return f"{self.merchant_id} at {self.watched_id} until {self.awaited_until}"
