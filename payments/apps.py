"""App registration."""

from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    """Intents, routing, legs, settlement."""

    name = "payments"

    def ready(self) -> None:
        """Take part in the test clock, and in samples of events."""
        from core import test_clock
        from payments.samples import sample_of
        from payments.services.world import shift_due
        from webhooks.events import register_sampler

        test_clock.register(shift_due)
        register_sampler("payment_intent", sample_of)
