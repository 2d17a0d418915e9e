"""App registration."""

from django.apps import AppConfig


class MerchantsConfig(AppConfig):
    """Who calls."""

    name = "merchants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to the sign-in, take part in the test clock, be watched."""
        from core import queues, sealed, test_clock
        from merchants import account_audit
        from merchants.accounts import sealed_factors
        from merchants.idempotency import shift_due
        from merchants.models import IdempotencyRecord, OutgoingMail

        account_audit.connect()
        test_clock.register(shift_due)
        answers, mails = IdempotencyRecord.objects.all(), OutgoingMail.objects.exclude(next_attempt_at=None)
        sealed.register_sealed("remembered answers", lambda: sealed.oldest_and_newest(answers.all(), "answer"))
        sealed.register_sealed("mail", lambda: sealed.oldest_and_newest(mails.all(), "sealed"))
        sealed.register_sealed("second factors", sealed_factors)
        queues.register_queue("mail", lambda: queues.longest_due(OutgoingMail.objects.all()))
