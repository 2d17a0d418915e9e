"""What is sent of refunds, checked field by field. What is shown of them is in ``refunds.shapes``."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chains.registry import Family
from core.fields import StrictBooleanField, StrictSerializer, StrictStringField, UsdAmountField
from core.ids import parse_public_id
from payments.models import MAX_NAME
from refunds.models import MAX_REASON

SMALLEST_USD, LARGEST_USD, PLACES = Decimal("0.000001"), Decimal("1000000000"), 6
"""Why six decimals: what is left of a payment may have as many. Why so large: more can arrive than was asked for."""
LONGEST_SIGNATURE = 10_000
"""Why so long: contracts that call themselves wallets give long ones, and are to be told why they are refused."""


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


@extend_schema_field({"type": "string", "format": "uuid"})
class StrayIdField(StrictStringField):
    """What a stray is called."""

    def to_internal_value(self, value: Any) -> UUID:  # type: ignore[override]  # read further than its base does
        """The id itself."""
        stray_id = parse_public_id(super().to_internal_value(value))
        if stray_id is None:
            self.fail("invalid")
        return stray_id

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
        trim_whitespace=False,
        max_length=MAX_NAME,
        help_text="The payer's address on the settlement chain. Without one the refund waits for it.",
    )
    reason = StrictStringField(
        required=False, allow_null=True, allow_blank=True, trim_whitespace=False, max_length=MAX_REASON
    )
    from_other_funds = StrictBooleanField(
        required=False,
        help_text="True: refund also what was paid out to you already, from other funds that you hold.",
    )


class GiveStrayBackSerializer(StrictSerializer):
    """Body of create, where a stray goes back: whole, in kind, to the wallet that sent it."""

    intent_id = IntentIdField()
    stray_id = StrayIdField(help_text="`id` in the `strays` of one of the payment's transactions.")
    reason = StrictStringField(
        required=False, allow_null=True, allow_blank=True, trim_whitespace=False, max_length=MAX_REASON
    )


class RefundDestinationSerializer(StrictSerializer):
    """Body of the destination endpoint."""

    destination = StrictStringField(
        max_length=MAX_NAME, trim_whitespace=False, help_text="The payer's address on the refund's chain."
    )


class CancelRefundSerializer(StrictSerializer):
    """Cancelling needs nothing but its path; a body, if any, is an empty object."""


class PrepareRefundClaimSerializer(StrictSerializer):
    """Body of asking for the text to sign."""

    family = serializers.ChoiceField(choices=[*Family], help_text="The family of the wallet that paid.")
    wallet = StrictStringField(max_length=MAX_NAME, help_text="The wallet that paid, and will sign.")
    destination = StrictStringField(
        max_length=MAX_NAME, trim_whitespace=False, help_text="Where the refund shall go, on the refund's chain."
    )


class ClaimRefundSerializer(StrictSerializer):
    """Body of a claim."""

    nonce = StrictStringField(max_length=64)
    signature = StrictStringField(
        max_length=LONGEST_SIGNATURE,
        help_text="Of an EVM wallet by `personal_sign`, in hex; of a Solana wallet over the text's bytes, in base58.",
    )
    by_contract = StrictBooleanField(
        required=False,
        help_text="True: where no key made the signature, ask the wallet's contract on its chain (EIP-1271, EIP-6492).",
    )


class RepayPayersSerializer(StrictSerializer):
    """Body of repaying each payer its share."""

    intent_id = IntentIdField()
    reason = StrictStringField(
        max_length=MAX_REASON, required=False, allow_null=True, help_text="Shown to each payer, with its refund."
    )
