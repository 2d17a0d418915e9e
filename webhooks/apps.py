"""App registration."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """The outbox of news."""

    name = "webhooks"

    def ready(self) -> None:
        """Take part in the test clock."""
        from core import test_clock
        from webhooks.services import shift_due

        test_clock.register(shift_due)
