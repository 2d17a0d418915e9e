"""App registration."""

from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    """Intents, routing, legs, settlement."""

    name = "payments"

    def ready(self) -> None:
        """Take part in the test clock."""
        from core import test_clock
        from payments.services.world import shift_due

        test_clock.register(shift_due)
