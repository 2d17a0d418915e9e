"""App registration."""

from django.apps import AppConfig


class MerchantsConfig(AppConfig):
    """Who calls."""

    name = "merchants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to the sign-in, and take part in the test clock."""
        from core import test_clock
        from merchants import account_audit  # noqa: F401 - its receivers connect
        from merchants.idempotency import shift_due

        test_clock.register(shift_due)
