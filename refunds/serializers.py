"""Shapes on the wire: what comes in is checked here; what goes out is written by plain functions.

The output serializers exist for the generated description; a contract test holds them to the functions.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from chains.registry import Family
from core.fields import ExactNumberField, StrictBooleanField, StrictSerializer, StrictStringField, UsdAmountField
from core.ids import parse_public_id
from core.money import ZERO_USD, json_number
from payments.models import MAX_NAME, PaymentIntent
from payments.services.refund import is_refundable
from refunds.models import MAX_REASON, Refund, RefundClaim
from refunds.selectors import refund_facts
from refunds.services.create import refundable_usd
from refunds.shares import MOST_SHOWN, Share, payer_for, shares, unproven_usd
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


class ClaimNonceSerializer(StrictSerializer):
    """Body of asking for the text to sign."""

    family = serializers.ChoiceField(choices=[*Family], help_text="The family of the wallet that paid.")
    wallet = StrictStringField(max_length=MAX_NAME, help_text="The wallet that paid, and will sign.")
    destination = StrictStringField(
        max_length=MAX_NAME, trim_whitespace=False, help_text="Where the refund shall go, on the refund's chain."
    )


class ClaimSerializer(StrictSerializer):
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


class ClaimAskedSerializer(serializers.Serializer[RefundClaim]):
    """The wallet's contract is being asked."""

    status = serializers.CharField(help_text="`asking_wallet`: send the same again; then it says what came of it.")
    retry_after_seconds = serializers.IntegerField()


class ClaimTextSerializer(serializers.Serializer[RefundClaim]):
    """What is given out to be signed."""

    nonce = serializers.CharField()
    message = serializers.CharField(help_text="Sign exactly this text.")
    expires_at = serializers.DateTimeField(help_text="Ten minutes later; used once.")


class RepayPayersSerializer(StrictSerializer):
    """Body of repaying each payer its share."""

    intent_id = IntentIdField()
    reason = StrictStringField(
        max_length=MAX_REASON, required=False, allow_null=True, help_text="Shown to each payer, with its refund."
    )


class PayerShareSerializer(serializers.Serializer[Refund]):
    """One wallet that provably paid. Units: base units of the settlement token, as text."""

    wallet = serializers.CharField()
    family = serializers.CharField(allow_null=True, help_text="`evm` or `solana`; null for a made-up test wallet.")
    paid_usd = ExactNumberField()
    paid_units = serializers.CharField()
    returned_usd = ExactNumberField(help_text="By refunds to it, or claimed by it, that did not fail.")
    returned_units = serializers.CharField()
    unreturned_usd = ExactNumberField(help_text="What it paid and did not get back yet.")
    unreturned_units = serializers.CharField()


class IntentPayersSerializer(serializers.Serializer[Refund]):
    """Who paid an intent."""

    data = PayerShareSerializer(many=True)  # type: ignore[assignment]  # the name on the wire
    has_more = serializers.BooleanField(help_text=f"At most {MOST_SHOWN} are named, those with the most left first.")
    unproven_usd = ExactNumberField(help_text="What arrived and is nobody's, since nothing proves who sent it.")
    refundable_usd = ExactNumberField(help_text="What can be refunded now.")


class RefundSerializer(serializers.Serializer[Refund]):
    """Source: specification, Refund. The additive keys follow ``paid_at``."""

    id = serializers.UUIDField()
    payment_intent_id = serializers.UUIDField()
    amount_usd = ExactNumberField(help_text="0 where a stray is given back: it never counted as dollars.")
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
    stray_id = serializers.UUIDField(allow_null=True, help_text="The stray that it gives back; else null.")
    token_amount = serializers.CharField(help_text="What is sent, in the token, as a decimal.")
    suggested_destination = serializers.CharField(
        allow_null=True,
        help_text="While it waits: the one wallet that paid as much. Ask the payer before you use it; it may be an "
        "exchange's. Null where several did, or none.",
    )
    payers = PayerShareSerializer(
        many=True, allow_null=True, help_text="While it waits: who paid its intent, and what of it went back."
    )


class RepaidSerializer(serializers.Serializer[Refund]):
    """The refunds of one act, those that send most first."""

    data = RefundSerializer(many=True)  # type: ignore[assignment]  # the name on the wire


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


def refund_body(refund: Refund, parts: Sequence[Share] | None = None) -> dict[str, Any]:
    """A refund on the wire, with the payers of its intent while it waits; same keys and types as its serializer."""
    return refund_facts(refund, destination=refund.destination) | {
        "suggested_destination": payer_for(refund, parts) or None if parts else None,
        "payers": None if parts is None else [share_body(one) for one in parts[:MOST_SHOWN]],
    }


def share_body(share: Share) -> dict[str, Any]:
    """One payer on the wire; same keys and types as ``PayerShareSerializer``."""
    return {
        "wallet": share.wallet,
        "family": share.family,
        "paid_usd": json_number(share.paid_usd),
        "paid_units": str(share.paid_units),
        "returned_usd": json_number(share.returned_usd),
        "returned_units": str(share.returned_units),
        "unreturned_usd": json_number(share.unreturned_usd),
        "unreturned_units": str(share.unreturned_units),
    }


def payers_body(intent: PaymentIntent) -> dict[str, Any]:
    """Who paid an intent, on the wire; same keys and types as ``IntentPayersSerializer``."""
    parts = shares(intent.pk)
    return {
        "data": [share_body(one) for one in parts[:MOST_SHOWN]],
        "has_more": len(parts) > MOST_SHOWN,
        "unproven_usd": json_number(unproven_usd(intent.pk)),
        "refundable_usd": json_number(refundable_usd(intent) if is_refundable(intent) else ZERO_USD),
    }
