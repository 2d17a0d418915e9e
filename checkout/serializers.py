"""What payers' pages and wallets send, checked field by field."""

from rest_framework import serializers

from core.fields import StrictIntegerField, StrictSerializer, StrictStringField
from payments.states import PAYER_REJECTED

MAX_HASH, MAX_ADDRESS = 128, 128
MAX_PARTS = 8
_DIGITS = r"^[0-9]{1,78}$"
_DOLLARS = r"^[0-9]{1,12}(\.[0-9]{1,6})?$"
MAX_SIGNED = 1644
"""Characters of base64 for 1232 bytes, the most that Solana takes."""


class ConnectWalletSerializer(StrictSerializer):
    """The payer connected a wallet."""

    family = serializers.ChoiceField(choices=["evm", "solana"])
    address = StrictStringField(max_length=MAX_ADDRESS)


class RequestQuoteSerializer(StrictSerializer):
    """The payer wants a firm quote in one token of its wallet."""

    chain = StrictStringField(max_length=MAX_ADDRESS)
    token_address = StrictStringField(max_length=MAX_ADDRESS)
    scenario = StrictStringField(required=False, max_length=24, help_text="Test mode only: what should happen.")


class AttemptSerializer(StrictSerializer):
    """The payer means this attempt."""

    attempt_id = serializers.UUIDField()


class AttemptTermsSerializer(StrictSerializer):
    """The terms of a quote, as the state gives them."""

    pay_base_units = serializers.ListField(child=serializers.RegexField(_DIGITS), min_length=1, max_length=MAX_PARTS)
    fee_usd = serializers.RegexField(_DOLLARS)
    gas_usd = serializers.RegexField(_DOLLARS)
    due_base_units = serializers.RegexField(_DIGITS)


class StartAttemptSerializer(AttemptSerializer):
    """The payer accepts this attempt's quote."""

    terms = AttemptTermsSerializer(
        required=False,
        help_text="The attempt's terms as they stood on the payer's screen. What is worse by now is not started.",
    )


class ReportTransactionSerializer(AttemptSerializer):
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


class RejectAttemptSerializer(AttemptSerializer):
    """The payer declined or left."""

    reason = serializers.ChoiceField(choices=[PAYER_REJECTED, "abandoned"], default=PAYER_REJECTED)


class SendSimulatedTransactionSerializer(AttemptSerializer):
    """What the simulated wallet sends, and what its chain should make of it."""

    leg_sequence = StrictIntegerField(min_value=1, max_value=1000)
    behaviour = StrictStringField(required=False, max_length=24)


class SolanaPayTransactionSerializer(StrictSerializer):
    """Source: https://docs.solanapay.com/spec, transaction requests (POST)."""

    account = StrictStringField(max_length=MAX_ADDRESS)
