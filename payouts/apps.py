"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"

    def ready(self) -> None:
        """Take part in the test clock, let readiness watch what is due, and tell of it in explanations."""
        from core import queues, test_clock
        from payments.explanation import register_aftermath
        from payouts.explanation import payout_lines
        from payouts.selectors import oldest_due_at
        from payouts.services.world import shift_due

        test_clock.register(shift_due)
        queues.register_queue("payouts", oldest_due_at)
        register_aftermath("payouts", payout_lines)
