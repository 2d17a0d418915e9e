"""App registration."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class MerchantsConfig(AppConfig):
    """Who calls."""

    name = "merchants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Read every app's ``dashboard.py``; listen to the sign-in, take part in the test clock, be watched."""
        from core import queues, test_clock
        from merchants import account_audit
        from merchants.idempotency import shift_due
        from merchants.models import OutgoingMail

        autodiscover_modules("dashboard")
        account_audit.connect()
        test_clock.register(shift_due)
        queues.register_queue("mail", lambda: queues.longest_due(OutgoingMail.objects.all()))
