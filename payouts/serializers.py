"""Shapes on the wire. The output serializer exists for the generated description; a contract test holds it to
``payouts.events.payout_body``.
"""

from rest_framework import serializers

from payouts.models import Payout
from payouts.states import PayoutStatus


class PayoutSerializer(serializers.Serializer[Payout]):
    """Source: specification, Payout."""

    id = serializers.UUIDField()
    payment_intent_id = serializers.UUIDField(allow_null=True)
    rail = serializers.ChoiceField(choices=["direct", "evm", "solana", "merchant_wallet", "simulated"])
    destination = serializers.CharField()
    chain = serializers.CharField()
    token = serializers.CharField()
    amount = serializers.CharField(help_text="Decimal string with at least two places.")
    currency = serializers.CharField()
    status = serializers.ChoiceField(choices=PayoutStatus.choices)
    tx_hash = serializers.CharField(allow_null=True)
    failure_reason = serializers.CharField(allow_null=True, help_text="Why it is not paid, or not paid yet.")
    attempts = serializers.IntegerField(min_value=0)
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    paid_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
