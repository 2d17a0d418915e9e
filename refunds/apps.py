"""App registration."""

from django.apps import AppConfig


class RefundsConfig(AppConfig):
    """Money back to the payer."""

    name = "refunds"

    def ready(self) -> None:
        """Take part in the test clock, and let readiness watch what is due."""
        from core import queues, test_clock
        from refunds.selectors import oldest_due_at
        from refunds.services.world import shift_due

        test_clock.register(shift_due)
        queues.register_queue("refunds", oldest_due_at)
