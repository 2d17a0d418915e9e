"""What wallets that are contracts are asked, and what they said."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.models import Leased
from merchants.querysets import MerchantScoped
from payments.models.intents import MAX_NAME, Tenant

WORDS = ("", "yes", "no", "unsaid")


class WalletWord(Tenant, Leased):
    """Whether a wallet's contract takes a signature under a text for its own; it is asked on each of ``chains``.

    ``purpose`` and ``subject`` name what its owner does with the ``word``, which is empty while it is asked for, and at
    the latest until ``ends_at``. What the owner made of it is ``outcome``, at ``done_at``.
    ``with_coin``: it must take the chains' own coin as well. ``signature`` is in hexadecimal; with the text it stays as
    the proof, where the word was yes. Source: docs/adr/0062.
    """

    purpose = models.CharField(max_length=24)
    subject = models.CharField(max_length=64)
    wallet = models.CharField(max_length=MAX_NAME)
    chains = models.JSONField(default=list)
    message = models.TextField()
    signature = models.TextField()
    with_coin = models.BooleanField(default=False)
    word = models.CharField(max_length=8, blank=True)
    outcome = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=now)
    ends_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(word__in=WORDS), name="wallet_word_known"),
            models.UniqueConstraint(fields=["purpose", "subject"], name="one_wallet_word_per_subject"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["next_attempt_at"], condition=Q(next_attempt_at__isnull=False), name="wallet_word_due"
            ),
            models.Index(
                fields=["purpose", "id"], condition=Q(done_at__isnull=True) & ~Q(word=""), name="wallet_word_said"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"word of a wallet on {self.purpose} {self.subject}"
