"""App registration."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class MerchantsConfig(AppConfig):
    """Who calls."""

    name = "merchants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Read every app's ``dashboard.py``, listen to the sign-in for the audit, and take part in the test clock."""
        from core import test_clock
        from merchants import account_audit
        from merchants.idempotency import shift_due

        autodiscover_modules("dashboard")
        account_audit.connect()
        test_clock.register(shift_due)
