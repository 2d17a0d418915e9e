"""What merchants send of an intent, checked field by field. What they are shown is in ``payments.shapes``."""

from collections.abc import Callable
from decimal import Decimal

from rest_framework import serializers

from core.fields import (
    FreeFormField,
    StrictEmailField,
    StrictIntegerField,
    StrictSerializer,
    StrictStringField,
    UsdAmountField,
)
from payments.models import MAX_NAME

AMOUNT_MINIMUM, AMOUNT_MAXIMUM = Decimal("0.01"), Decimal("1000000")
LIFETIME_MINIMUM_SECONDS, LIFETIME_MAXIMUM_SECONDS = 60, 2_592_000
"""Source: specification, Limits."""


class CreatePaymentIntentSerializer(StrictSerializer):
    """Body of create.

    Source: specification, Payment intents (create body); docs/guides/checkout.md, Where payers go back to.
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


def _fitting(value: str | None, stored_form: Callable[[str], str]) -> str | None:
    """Why: some letters become two or three when their case changes, and the column would refuse them."""
    if value is not None and len(stored_form(value)) > MAX_NAME:
        raise serializers.ValidationError(f"Must have at most {MAX_NAME} characters.", "max_length")
    return value
