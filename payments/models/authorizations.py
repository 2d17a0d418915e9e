"""What a payer's wallet signed for an intent without sending it: an EIP-3009 authorization, which the service sends."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.columns import BaseUnitsColumn
from merchants.querysets import MerchantScoped
from payments.models.attempts import PaymentAttempt
from payments.models.intents import MAX_NAME, Tenant


class PayerAuthorization(Tenant):
    """An authorization that was taken for an attempt: of a token, a wallet and a nonce there is one, ever.

    ``valid_after`` and ``valid_before`` are Unix seconds. ``refused`` says why it was not sent, or did nothing.
    Source: docs/adr/0114-who-sends-what-an-x402-client-signed.md.
    """

    attempt = models.OneToOneField(PaymentAttempt, on_delete=models.CASCADE, related_name="authorization")
    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME)
    payer_address = models.CharField(max_length=MAX_NAME)
    recipient = models.CharField(max_length=MAX_NAME)
    nonce = models.CharField(max_length=66)
    base_units = BaseUnitsColumn()
    valid_after = models.BigIntegerField()
    valid_before = models.BigIntegerField()
    signature = models.TextField()
    refused = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["network", "chain", "token_address", "payer_address", "nonce"],
                name="an_authorization_is_taken_once",
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"authorization {self.nonce} of {self.payer_address}"
