"""Shapes on the wire: what comes in is checked here; what goes out is written by plain functions.

The output serializers exist for the generated description; a contract test holds them to the functions.
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chains.registry import Family
from core.fields import ExactNumberField, StrictSerializer, StrictStringField, UsdAmountField
from core.ids import parse_public_id
from payments.models import MAX_NAME
from refunds.models import MAX_REASON, Refund, RefundClaim
from refunds.selectors import refund_facts
from refunds.states import PUBLIC_STATUS, RECORD_STATUS

SMALLEST_USD, LARGEST_USD, PLACES = Decimal("0.000001"), Decimal("1000000000"), 6
"""Why six decimals: what is left of a payment may have as many. Why so large: more can arrive than was asked for."""
LONGEST_SIGNATURE = 10_000
"""Why so long: contracts that call themselves wallets give long ones, and are to be told why they are refused."""
RECORD_STATUSES = list(dict.fromkeys(RECORD_STATUS.values()))
PUBLIC_STATUSES = list(dict.fromkeys(PUBLIC_STATUS.values()))


@extend_schema_field({"type": "string", "format": "uuid"})
class IntentIdField(StrictStringField):
    """An intent's id, with or without its prefix."""

    def to_internal_value(self, value: Any) -> UUID:  # type: ignore[override]  # read further than its base does
        """The id itself."""
        intent_id = parse_public_id(super().to_internal_value(value), "pi_")
        if intent_id is None:
            self.fail("invalid")
        return intent_id

    default_error_messages = {"invalid": "Must be a UUID."}


class CreateRefundSerializer(StrictSerializer):
    """Body of create. Source: specification, Refunds (create body)."""

    intent_id = IntentIdField()
    amount_usd = UsdAmountField(
        minimum=SMALLEST_USD, maximum=LARGEST_USD, places=PLACES, help_text="US dollars, at most six decimals."
    )
    destination = StrictStringField(
        required=False,
        allow_null=True,
        max_length=MAX_NAME,
        help_text="The payer's address on the settlement chain. Without one the refund waits for it.",
    )
    reason = StrictStringField(
        required=False, allow_null=True, allow_blank=True, trim_whitespace=False, max_length=MAX_REASON
    )


class RefundDestinationSerializer(StrictSerializer):
    """Body of the destination endpoint."""

    destination = StrictStringField(max_length=MAX_NAME, help_text="The payer's address on the refund's chain.")


class CancelRefundSerializer(StrictSerializer):
    """Cancelling needs nothing but its path; a body, if any, is an empty object."""


class ClaimNonceSerializer(StrictSerializer):
    """Body of asking for the text to sign."""

    family = serializers.ChoiceField(choices=[*Family], help_text="The family of the wallet that paid.")
    wallet = StrictStringField(max_length=MAX_NAME, help_text="The wallet that paid, and will sign.")
    destination = StrictStringField(max_length=MAX_NAME, help_text="Where the refund shall go, on the refund's chain.")


class ClaimSerializer(StrictSerializer):
    """Body of a claim."""

    nonce = StrictStringField(max_length=64)
    signature = StrictStringField(
        max_length=LONGEST_SIGNATURE,
        help_text="Of an EVM wallet by `personal_sign`, in hex; of a Solana wallet over the text's bytes, in base58.",
    )


class ClaimTextSerializer(serializers.Serializer[RefundClaim]):
    """What is given out to be signed."""

    nonce = serializers.CharField()
    message = serializers.CharField(help_text="Sign exactly this text.")
    expires_at = serializers.DateTimeField(help_text="Ten minutes later; used once.")


class RefundSerializer(serializers.Serializer[Refund]):
    """Source: specification, Refund; the additive keys follow ``paid_at``."""

    id = serializers.UUIDField()
    payment_intent_id = serializers.UUIDField()
    amount_usd = ExactNumberField()
    chain = serializers.CharField()
    token = serializers.CharField()
    destination = serializers.CharField(allow_blank=True, help_text="Empty until it is known.")
    reason = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(choices=RECORD_STATUSES)
    tx_hash = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    failure_reason = serializers.CharField(allow_null=True)
    attempts = serializers.IntegerField(help_text="How often sending was begun.")
    updated_at = serializers.DateTimeField()
    suggested_destination = serializers.CharField(
        allow_null=True,
        help_text="While it waits: the wallet that paid. Ask the payer before you use it; it may be an exchange's.",
    )


class RefundPublicViewSerializer(serializers.Serializer[Refund]):
    """Source: specification, Refund public status view."""

    id = serializers.UUIDField()
    payment_intent_id = serializers.UUIDField()
    amount_usd = ExactNumberField()
    chain = serializers.CharField(allow_null=True)
    token = serializers.CharField(allow_null=True)
    destination_tail = serializers.CharField(allow_blank=True, help_text="… and the last six characters.")
    reason = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(choices=PUBLIC_STATUSES)
    tx_hash = serializers.CharField(allow_null=True)
    failure_reason = serializers.CharField(allow_null=True)
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    terminal = serializers.BooleanField()


def refund_body(refund: Refund, suggested: str | None) -> dict[str, Any]:
    """A refund on the wire; same keys and types as ``RefundSerializer``."""
    return refund_facts(refund, destination=refund.destination) | {"suggested_destination": suggested}
