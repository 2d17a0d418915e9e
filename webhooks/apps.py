"""App registration."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """The outbox of news."""

    name = "webhooks"

    def ready(self) -> None:
        """Take part in the test clock, and let readiness watch what is due."""
        from core import queues, sealed, test_clock
        from webhooks.models import Event, SigningSecret
        from webhooks.selectors import oldest_due_at
        from webhooks.services import shift_due

        test_clock.register(shift_due)
        queues.register_queue("deliveries", oldest_due_at)
        secrets = SigningSecret.objects.all()
        sealed.register_sealed("signing secrets", lambda: sealed.oldest_and_newest(secrets.all(), "ciphertext"))
        untold = Event.objects.filter(fanned_out_at=None)
        queues.register_queue("events", lambda: queues.longest_due(untold.all(), "occurred_at"))
