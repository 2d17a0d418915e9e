"""Refusals about refunds, each with its stable code."""

from decimal import Decimal

from chains.errors import InvalidAddress
from core.errors import Conflict, InvalidRequest, ServiceError, field_problem
from core.money import json_number, to_decimal_string


class RefundExceedsBalance(ServiceError):
    """More than is left of what the intent received. Source: specification, Errors; contract, Errors."""

    code = "refund_exceeds_balance"
    http_status = 422

    def __init__(self, requested_usd: Decimal, refundable_usd: Decimal) -> None:
        super().__init__(
            f"{to_decimal_string(requested_usd)} USD is more than the {to_decimal_string(refundable_usd)} USD "
            "that can be refunded.",
            details={"requested_usd": json_number(requested_usd), "refundable_usd": json_number(refundable_usd)},
        )


class RefundNotCancellable(Conflict):
    """The refund is over, or something was signed that may still land."""

    code = "refund_not_cancellable"

    def __init__(self, status: str) -> None:
        super().__init__(f"A refund that is {status} cannot be cancelled.", details={"status": status})


class RefundNotHeld(Conflict):
    """Nothing holds the refund back, so there is nothing to release."""

    code = "refund_not_held"

    def __init__(self, status: str) -> None:
        super().__init__(f"This refund is {status} and not held.", details={"status": status})


class RefundNotForWallet(Conflict):
    """No wallet of the merchant can send this refund now."""

    code = "refund_not_for_wallet"
    message = "This refund does not wait for a wallet. Look again at how it stands."


class RefundDestinationNotNeeded(Conflict):
    """The refund does not wait for a destination."""

    code = "refund_destination_not_needed"

    def __init__(self, status: str) -> None:
        super().__init__(f"This refund is {status} and does not wait for a destination.", details={"status": status})


class DestinationInvalid(InvalidRequest):
    """The destination cannot receive on the refund's chain. Source: contract, Ambiguities 6."""

    def __init__(self, chain_name: str, error: InvalidAddress) -> None:
        super().__init__(
            error.message,
            details={"fields": [field_problem("destination", "format", error.message)], "chain": chain_name}
            | error.details,
        )


class RefundTooSmall(InvalidRequest):
    """The amount is worth less than the smallest unit of the token that would be sent."""

    def __init__(self) -> None:
        message = "This is worth less than the smallest unit of the token."
        super().__init__(details={"fields": [field_problem("amount_usd", "precision", message)]})
