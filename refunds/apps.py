"""App registration."""

from django.apps import AppConfig


class RefundsConfig(AppConfig):
    """Money back to the payer."""

    name = "refunds"

    def ready(self) -> None:
        """Take part in the test clock, explanations, receipts, balances and samples of events."""
        from core import test_clock
        from payments.explanation import register_aftermath
        from payments.receipts import register_returns
        from payments.services.balance import register_outflows
        from refunds.explanation import REFUND_CODES, refund_lines
        from refunds.receipt import returned_lines
        from refunds.samples import sample_of
        from refunds.selectors import returned_from
        from refunds.services.world import shift_due
        from refunds.states import FAILURE_REASONS
        from webhooks.events import register_sampler

        test_clock.register(shift_due)
        register_sampler("refund", sample_of)
        register_aftermath("refunds", refund_lines, REFUND_CODES, FAILURE_REASONS)
        register_returns(returned_lines)
        register_outflows("refunds", returned_from)
