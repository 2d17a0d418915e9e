"""App registration."""

from importlib import import_module

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """The merchant's screens."""

    name = "dashboard"

    def ready(self) -> None:
        """Let the screens of every subject register their pages."""
        for subject in ("account", "webhooks", "payments", "refunds", "payouts", "checkout", "agents"):
            import_module(f"dashboard.{subject}")
