"""App registration."""

from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    """Intents, routing, legs, settlement."""

    name = "payments"

    def ready(self) -> None:
        """Take part in the test clock, and let readiness watch what is due."""
        from core import queues, test_clock
        from payments.models import SettlementChange, WalletWord
        from payments.selectors import oldest_due_at
        from payments.services.world import shift_due

        test_clock.register(shift_due)
        queues.register_queue("intents", oldest_due_at)
        queues.register_queue("settlement_changes", lambda: queues.longest_due(SettlementChange.objects.all()))
        queues.register_queue("wallet_words", lambda: queues.longest_due(WalletWord.objects.all()))
