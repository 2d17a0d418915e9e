"""The app that listens."""

from django.apps import AppConfig


class OrdersConfig(AppConfig):
    """Connects the receivers."""

    name = "sandbox.orders"
    label = "sandbox_orders"

    def ready(self) -> None:
        """Listen."""
        from sandbox.orders import receivers  # noqa: F401 - importing connects
