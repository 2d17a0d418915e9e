"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"

    def ready(self) -> None:
        """Take part in the test clock, and let readiness watch what is due."""
        from core import queues, test_clock
        from payouts.selectors import oldest_due_at
        from payouts.services.world import shift_due

        test_clock.register(shift_due)
        queues.register_queue("payouts", oldest_due_at)
