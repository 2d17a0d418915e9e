"""App registration."""

from django.apps import AppConfig


class RecordsConfig(AppConfig):
    """Flight records and receipts of payments."""

    name = "records"

    def ready(self) -> None:
        """Hear of settlements, and of money that leaves afterwards."""
        from payments.services.settled import register_listener, register_movement_listener
        from records.services import await_seal

        register_listener(await_seal)
        register_movement_listener(await_seal)
