"""Shapes on the wire: what comes in is checked here; what goes out is written by plain functions.

The output serializers exist for the generated description; a contract test holds them to the functions.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from rest_framework import serializers

from core.clock import optional_wire_time, wire_time
from core.fields import (
    ExactNumberField,
    FreeFormField,
    StrictEmailField,
    StrictIntegerField,
    StrictSerializer,
    StrictStringField,
    UsdAmountField,
)
from core.money import from_base_units, json_number, optional_decimal_string, to_decimal_string
from payments.amounts import amount_due, is_partially_funded
from payments.explanation import Actor, Situation
from payments.models import MAX_NAME, Hint, Leg, PaymentIntent, Reporter, RouteCandidate, Verdict
from payments.selectors import leg_explorer_url
from payments.states import IntentStatus, LegStatus

AMOUNT_MINIMUM, AMOUNT_MAXIMUM = Decimal("0.01"), Decimal("1000000")
LIFETIME_MINIMUM_SECONDS, LIFETIME_MAXIMUM_SECONDS = 60, 2_592_000
"""Source: specification, Limits."""


class CreatePaymentIntentSerializer(StrictSerializer):
    """Body of create.

    Source: specification, Payment intents (create body); docs/checkout.md, Where payers go back to.
    """

    amount = UsdAmountField(
        minimum=AMOUNT_MINIMUM, maximum=AMOUNT_MAXIMUM, help_text="US dollars, at most two decimals."
    )
    currency = StrictStringField(required=False, allow_null=True, max_length=8, help_text="Only USD; the default.")
    settlement_chain = StrictStringField(required=False, allow_null=True, max_length=128)
    settlement_token = StrictStringField(required=False, allow_null=True, max_length=128)
    settlement_address = StrictStringField(required=False, allow_null=True, max_length=128)
    customer_email = StrictEmailField(required=False, allow_null=True, max_length=254)
    expires_in_seconds = StrictIntegerField(
        required=False, allow_null=True, min_value=LIFETIME_MINIMUM_SECONDS, max_value=LIFETIME_MAXIMUM_SECONDS
    )
    metadata = FreeFormField(required=False, allow_null=True)
    reference = StrictStringField(required=False, allow_null=True, max_length=128, help_text="Your own order number.")
    return_url = StrictStringField(required=False, allow_null=True, max_length=2048)

    def validate_settlement_chain(self, value: str | None) -> str | None:
        """The name as written. Raises: ValidationError if it is too long in lower case."""
        return _fitting(value, str.lower)

    def validate_settlement_token(self, value: str | None) -> str | None:
        """The symbol as written. Raises: ValidationError if it is too long in upper case."""
        return _fitting(value, str.upper)


class LastErrorSerializer(serializers.Serializer[Any]):
    """Why the last try to pay ended."""

    code = serializers.CharField()
    message = serializers.CharField()


class PaymentIntentSerializer(serializers.Serializer[PaymentIntent]):
    """Source: specification, PaymentIntent. The additive keys follow ``metadata``."""

    id = serializers.UUIDField()
    amount = serializers.CharField(help_text="Decimal string with two places.")
    currency = serializers.CharField()
    mode = serializers.ChoiceField(choices=["test", "live"])
    status = serializers.ChoiceField(choices=IntentStatus.choices)
    checkout_url = serializers.URLField()
    settlement_chain = serializers.CharField()
    settlement_token = serializers.CharField()
    settlement_address = serializers.CharField()
    customer_email = serializers.EmailField(allow_null=True)
    expires_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()
    metadata = serializers.DictField(child=serializers.JSONField())
    amount_received = serializers.CharField()
    amount_due = serializers.CharField()
    overpaid_usd = serializers.CharField()
    platform_fee_usd = serializers.CharField(
        allow_null=True, help_text="Paid by the payer on top of what arrived; null until it is settled."
    )
    amount_refunded_usd = serializers.CharField()
    partially_funded = serializers.BooleanField()
    in_doubt = serializers.BooleanField()
    last_error = LastErrorSerializer(allow_null=True)
    failure_reason = serializers.CharField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)
    settled_reason = serializers.CharField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)
    reference = serializers.CharField(allow_null=True)
    return_url = serializers.URLField(allow_null=True)


class ExplanationFactsSerializer(serializers.Serializer[Any]):
    """What a line speaks of; only what there is, and never a text from outside."""

    id = serializers.UUIDField(required=False, help_text="Of the refund or payout that the line is about.")
    amount_usd = serializers.CharField(required=False)
    received_usd = serializers.CharField(required=False)
    due_usd = serializers.CharField(required=False)
    overpaid_usd = serializers.CharField(required=False)
    refunded_usd = serializers.CharField(required=False)
    platform_fee_usd = serializers.CharField(required=False, help_text="Paid by the payer on top of what arrived.")
    expires_at = serializers.DateTimeField(required=False)
    settled_at = serializers.DateTimeField(required=False)
    sent_at = serializers.DateTimeField(required=False)
    retry_at = serializers.DateTimeField(required=False)
    settlement_chain = serializers.CharField(required=False)
    chain = serializers.CharField(required=False, help_text="Where the transaction was sent.")
    tx_hash = serializers.CharField(required=False)
    destination_tx_hash = serializers.CharField(required=False)
    explorer_url = serializers.URLField(required=False)
    confirmations = serializers.IntegerField(required=False)
    confirmations_required = serializers.IntegerField(required=False)
    typical_seconds = serializers.IntegerField(required=False)
    attempts = serializers.IntegerField(required=False)
    error_code = serializers.CharField(required=False)
    failure_reason = serializers.CharField(required=False)
    settled_reason = serializers.CharField(required=False)


class ExplanationLineSerializer(serializers.Serializer[Any]):
    """One situation: fixed sentences, who must act, and the facts."""

    code = serializers.CharField(help_text="Stable, machine-readable.")
    happened = serializers.CharField()
    because = serializers.CharField(allow_null=True)
    money = serializers.CharField(help_text="Where the money is.")
    actor = serializers.ChoiceField(choices=[actor.value for actor in Actor], help_text="Who must act.")
    next = serializers.CharField(help_text="The next safe step.")
    since = serializers.DateTimeField(allow_null=True)
    facts = ExplanationFactsSerializer()


class PayerWordsSerializer(serializers.Serializer[Any]):
    """The three parts that the payer reads, in English."""

    happened = serializers.CharField()
    money = serializers.CharField(help_text="Where the money is.")
    next = serializers.CharField(help_text="What to do now.")


class ExplanationSerializer(ExplanationLineSerializer):
    """The line that most needs acting on, and the others in ``also``."""

    payment_intent_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=IntentStatus.choices)
    situation = serializers.ChoiceField(
        choices=[situation.value for situation in Situation], help_text="The intent's own, as on the payer's page."
    )
    payer = PayerWordsSerializer(help_text="The same situation as the payer's page tells it.")
    also = ExplanationLineSerializer(many=True)


class RouteCandidateSerializer(serializers.Serializer[RouteCandidate]):
    """Source: specification, RouteCandidate."""

    id = serializers.UUIDField()
    provider = serializers.CharField()
    chosen = serializers.BooleanField()
    ai_pick = serializers.BooleanField()
    score = ExactNumberField()
    from_chain = serializers.CharField()
    to_chain = serializers.CharField()
    from_token = serializers.CharField()
    to_token = serializers.CharField()
    to_amount_usd = ExactNumberField()
    fee_usd = ExactNumberField()
    gas_usd = ExactNumberField()
    duration_sec = serializers.IntegerField()
    reason = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class StraySerializer(serializers.Serializer[Any]):
    """A token that came with a transaction and was not asked for; it counts for nothing."""

    id = serializers.UUIDField(help_text="Names it where it is given back: `stray_id` of a refund.")
    chain = serializers.CharField()
    token = serializers.CharField(allow_null=True)
    token_address = serializers.CharField()
    amount = serializers.CharField(allow_null=True)
    tx_hash = serializers.CharField()
    payer = serializers.CharField(allow_null=True, help_text="The wallet that provably sent it; null: nobody's.")


class HintSerializer(serializers.Serializer[Any]):
    """A hash that somebody reported for a transaction: where it was looked for, never that money arrived."""

    tx_hash = serializers.CharField()
    by = serializers.ChoiceField(choices=Reporter.choices)
    reported_at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(choices=Verdict.choices, allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)


class LegSerializer(serializers.Serializer[Leg]):
    """Source: docs/design/payments.md, A leg."""

    id = serializers.UUIDField()
    payment_intent_id = serializers.UUIDField()
    sequence = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=["swap", "bridge", "transfer", "settlement", "payout", "refund"])
    provider = serializers.CharField()
    chain = serializers.CharField()
    to_chain = serializers.CharField()
    token = serializers.CharField()
    to_token = serializers.CharField()
    amount = serializers.CharField()
    to_amount = serializers.CharField(allow_null=True)
    amount_usd = ExactNumberField()
    fee_usd = ExactNumberField()
    gas_usd = ExactNumberField()
    status = serializers.ChoiceField(choices=LegStatus.choices)
    sub_status = serializers.CharField(allow_null=True)
    tx_hash = serializers.CharField(allow_null=True)
    destination_tx_hash = serializers.CharField(allow_null=True)
    explorer_url = serializers.URLField(allow_null=True)
    block_number = serializers.IntegerField(allow_null=True)
    confirmations = serializers.IntegerField()
    confirmations_required = serializers.IntegerField()
    payer_address = serializers.CharField()
    error = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    confirmed_at = serializers.DateTimeField(allow_null=True)
    updated_at = serializers.DateTimeField()
    strays = StraySerializer(many=True, help_text="Other tokens that came with it: shown, and counted for nothing.")
    hints = HintSerializer(many=True, help_text="Hashes that were reported for it, and what became of each.")


def _fitting(value: str | None, stored_form: Callable[[str], str]) -> str | None:
    """Why: some letters become two or three when their case changes, and the column would refuse them."""
    if value is not None and len(stored_form(value)) > MAX_NAME:
        raise serializers.ValidationError(f"Must have at most {MAX_NAME} characters.", "max_length")
    return value


def intent_body(intent: PaymentIntent, base_url: str) -> dict[str, Any]:
    """An intent on the wire; same keys and types as ``PaymentIntentSerializer``."""
    last_error = {"code": intent.last_error_code, "message": intent.last_error_message}
    return {
        "id": str(intent.pk),
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "mode": intent.mode,
        "status": intent.status,
        "checkout_url": f"{base_url}/checkout/{intent.pk}",
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "settlement_address": intent.settlement_address,
        "customer_email": intent.customer_email,
        "expires_at": wire_time(intent.expires_at),
        "created_at": wire_time(intent.created_at),
        "metadata": intent.metadata,
        "amount_received": to_decimal_string(intent.received_usd),
        "amount_due": to_decimal_string(amount_due(intent)),
        "overpaid_usd": to_decimal_string(intent.overpaid_usd),
        "platform_fee_usd": optional_decimal_string(intent.platform_fee_usd),
        "amount_refunded_usd": to_decimal_string(intent.refunded_usd),
        "partially_funded": is_partially_funded(intent),
        "in_doubt": intent.in_doubt,
        "last_error": last_error if intent.last_error_code else None,
        "failure_reason": intent.failure_reason or None,
        "settled_at": optional_wire_time(intent.settled_at),
        "settled_reason": intent.settled_reason or None,
        "cancelled_at": optional_wire_time(intent.cancelled_at),
        "reference": intent.reference or None,
        "return_url": intent.return_url or None,
    }


def candidate_body(candidate: RouteCandidate) -> dict[str, Any]:
    """A weighed route on the wire; same keys and types as ``RouteCandidateSerializer``."""
    return {
        "id": str(candidate.pk),
        "provider": candidate.provider,
        "chosen": candidate.chosen,
        "ai_pick": candidate.ai_pick,
        "score": candidate.score,
        "from_chain": candidate.from_chain,
        "to_chain": candidate.to_chain,
        "from_token": candidate.from_token,
        "to_token": candidate.to_token,
        "to_amount_usd": json_number(candidate.to_amount_usd),
        "fee_usd": json_number(candidate.fee_usd),
        "gas_usd": json_number(candidate.gas_usd),
        "duration_sec": candidate.duration_sec,
        "reason": candidate.reason,
        "error": candidate.error,
        "created_at": wire_time(candidate.created_at),
    }


def leg_body(leg: Leg) -> dict[str, Any]:
    """A leg on the wire; same keys and types as ``LegSerializer``, but for what came and was said beside it."""
    arrived = leg.output_base_units
    return {
        "id": str(leg.pk),
        "payment_intent_id": str(leg.intent_id),
        "sequence": leg.sequence,
        "kind": leg.kind,
        "provider": leg.provider,
        "chain": leg.chain,
        "to_chain": leg.to_chain,
        "token": leg.token,
        "to_token": leg.to_token,
        "amount": to_decimal_string(from_base_units(leg.input_base_units, leg.token_decimals), 0),
        "to_amount": None if arrived is None else to_decimal_string(from_base_units(arrived, leg.to_token_decimals), 0),
        "amount_usd": json_number(leg.amount_usd),
        "fee_usd": json_number(leg.fee_usd),
        "gas_usd": json_number(leg.gas_usd),
        "status": leg.status,
        "sub_status": leg.sub_status or None,
        "tx_hash": leg.tx_hash or None,
        "destination_tx_hash": leg.destination_tx_hash or None,
        "explorer_url": leg_explorer_url(leg),
        "block_number": leg.block_number,
        "confirmations": leg.confirmations,
        "confirmations_required": leg.confirmations_required,
        "payer_address": leg.payer_address,
        "error": leg.error or None,
        "created_at": wire_time(leg.created_at),
        "submitted_at": optional_wire_time(leg.submitted_at),
        "confirmed_at": optional_wire_time(leg.confirmed_at),
        "updated_at": wire_time(leg.updated_at),
    }


def hint_body(hint: Hint) -> dict[str, Any]:
    """What was reported, on the wire; same keys and types as ``HintSerializer``."""
    return {
        "tx_hash": hint.tx_hash,
        "by": hint.by,
        "reported_at": wire_time(hint.reported_at),
        "verdict": hint.verdict or None,
        "checked_at": optional_wire_time(hint.checked_at),
    }
