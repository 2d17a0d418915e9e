"""Shapes on the wire of the payer's door."""

from typing import Any

from rest_framework import serializers

from core.fields import ExactNumberField, StrictIntegerField, StrictSerializer, StrictStringField
from payments.states import OPEN_ATTEMPT, PAYER_REJECTED, IntentStatus, LegStatus

MAX_HASH, MAX_ADDRESS = 128, 128
MAX_PARTS = 8
_DIGITS = r"^[0-9]{1,78}$"
_DOLLARS = r"^[0-9]{1,12}(\.[0-9]{1,6})?$"
MAX_SIGNED = 1644
"""Characters of base64 for 1232 bytes, the most that Solana takes."""


class CheckoutLegSerializer(serializers.Serializer[Any]):
    """Source: specification, CheckoutView (legs)."""

    chain = serializers.CharField()
    token = serializers.CharField()
    amount_usd = ExactNumberField()
    status = serializers.ChoiceField(choices=LegStatus.choices)


class CheckoutViewSerializer(serializers.Serializer[Any]):
    """Source: specification, CheckoutView."""

    id = serializers.UUIDField()
    amount = serializers.CharField()
    currency = serializers.CharField()
    status = serializers.ChoiceField(choices=IntentStatus.choices)
    settlement_chain = serializers.CharField()
    settlement_token = serializers.CharField()
    expires_at = serializers.DateTimeField()
    legs = CheckoutLegSerializer(many=True)


class ThreePartMessageSerializer(serializers.Serializer[Any]):
    """What happened, where the money is, what to do now."""

    code = serializers.CharField()
    happened = serializers.CharField()
    money = serializers.CharField()
    next = serializers.CharField()


class OtherAttemptsSerializer(serializers.Serializer[Any]):
    """The tries that others have open: how many, and how far the furthest is."""

    open = serializers.IntegerField()
    furthest = serializers.ChoiceField(choices=[one.value for one in OPEN_ATTEMPT], allow_null=True)


class PayerStateSerializer(serializers.Serializer[Any]):
    """What the hosted page draws; additive, for pages of the service."""

    id = serializers.UUIDField()
    mode = serializers.ChoiceField(choices=["test", "live"])
    status = serializers.ChoiceField(choices=IntentStatus.choices)
    amount = serializers.CharField()
    currency = serializers.CharField()
    merchant_name = serializers.CharField()
    settlement_chain = serializers.CharField()
    settlement_token = serializers.CharField()
    settlement_address_tail = serializers.CharField()
    expires_at = serializers.DateTimeField()
    server_time = serializers.DateTimeField()
    amount_received = serializers.CharField()
    amount_due = serializers.CharField()
    overpaid_usd = serializers.CharField()
    in_doubt = serializers.BooleanField()
    message = ThreePartMessageSerializer()
    last_error = serializers.DictField(child=serializers.CharField(), allow_null=True)
    return_url = serializers.URLField(allow_null=True)
    receipt_url = serializers.URLField(allow_null=True)
    reference = serializers.CharField(allow_null=True)
    wallet = serializers.DictField(child=serializers.JSONField(), allow_null=True)
    attempt = serializers.DictField(child=serializers.JSONField(), allow_null=True)
    others = OtherAttemptsSerializer()
    legs = serializers.ListField(child=serializers.DictField(child=serializers.JSONField()))
    terminal = serializers.BooleanField()


class SessionSerializer(serializers.Serializer[Any]):
    """A payer's session."""

    checkout_token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class WalletConnectedSerializer(StrictSerializer):
    """The payer connected a wallet."""

    family = serializers.ChoiceField(choices=["evm", "solana"])
    address = StrictStringField(max_length=MAX_ADDRESS)


class QuoteWantedSerializer(StrictSerializer):
    """The payer wants a firm quote in one token of its wallet."""

    chain = StrictStringField(max_length=MAX_ADDRESS)
    token_address = StrictStringField(max_length=MAX_ADDRESS)
    scenario = StrictStringField(required=False, max_length=24, help_text="Test mode only: what should happen.")


class AttemptSerializer(StrictSerializer):
    """The payer means this attempt."""

    attempt_id = serializers.UUIDField()


class TermsSerializer(StrictSerializer):
    """The terms of a quote, as the state gives them."""

    pay_base_units = serializers.ListField(child=serializers.RegexField(_DIGITS), min_length=1, max_length=MAX_PARTS)
    fee_usd = serializers.RegexField(_DOLLARS)
    gas_usd = serializers.RegexField(_DOLLARS)
    due_base_units = serializers.RegexField(_DIGITS)


class StartSerializer(AttemptSerializer):
    """The payer accepts this attempt's quote."""

    terms = TermsSerializer(
        required=False,
        help_text="The attempt's terms as they stood on the payer's screen. What is worse by now is not started.",
    )


class TransactionSubmittedSerializer(AttemptSerializer):
    """What the wallet returned."""

    leg_sequence = StrictIntegerField(min_value=1, max_value=1000)
    tx_hash = serializers.RegexField(r"^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,90})$", max_length=MAX_HASH)
    signed_transaction = serializers.RegexField(
        r"^[0-9A-Za-z+/]+={0,2}$",
        max_length=MAX_SIGNED,
        required=False,
        help_text="Base64, where the wallet only signed: the service sends it. Solana only.",
    )
    claim = serializers.RegexField(
        r"^0x([0-9a-fA-F]{2}){65,4096}$",
        required=False,
        help_text="The wallet's signature (EIP-191) under the claim that this transaction, which lost its mark, was "
        "the payment. EVM transfers only; the text is in docs/live.md.",
    )


class RejectedSerializer(AttemptSerializer):
    """The payer declined or left."""

    reason = serializers.ChoiceField(choices=[PAYER_REJECTED, "abandoned"], default=PAYER_REJECTED)


class SimulatedTransactionSerializer(AttemptSerializer):
    """What the simulated wallet sends, and what its chain should make of it."""

    leg_sequence = StrictIntegerField(min_value=1, max_value=1000)
    behaviour = StrictStringField(required=False, max_length=24)


class SimulatedHashSerializer(serializers.Serializer[Any]):
    """The hash under which the simulated chain knows the transaction."""

    tx_hash = serializers.CharField()


class WalletAskingSerializer(StrictSerializer):
    """Source: https://docs.solanapay.com/spec, transaction requests (POST)."""

    account = StrictStringField(max_length=MAX_ADDRESS)


class PaymentLabelSerializer(serializers.Serializer[Any]):
    """Source: https://docs.solanapay.com/spec, transaction requests (GET)."""

    label = serializers.CharField()  # type: ignore[assignment]  # upstream has an attribute of that name
    icon = serializers.URLField()


class WalletTransactionSerializer(serializers.Serializer[Any]):
    """Source: https://docs.solanapay.com/spec (POST). ``transaction`` is base64, without a signature."""

    transaction = serializers.CharField()
    message = serializers.CharField()
