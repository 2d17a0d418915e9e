"""App registration."""

from django.apps import AppConfig


class RefundsConfig(AppConfig):
    """Money back to the payer."""

    name = "refunds"

    def ready(self) -> None:
        """Take part in explanations, receipts and balances."""
        from payments.explanation import register_aftermath
        from payments.receipts import register_returns
        from payments.services.balance import register_outflows
        from refunds.explanation import REFUND_CODES, refund_lines
        from refunds.receipt import returned_lines
        from refunds.selectors import returned_from
        from refunds.states import FAILURE_REASONS

        register_aftermath("refunds", refund_lines, REFUND_CODES, FAILURE_REASONS)
        register_returns(returned_lines)
        register_outflows("refunds", returned_from)
