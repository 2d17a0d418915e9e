"""App registration."""

from django.apps import AppConfig


class MerchantsConfig(AppConfig):
    """Who calls."""

    name = "merchants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to the sign-in."""
        from merchants import account_audit  # noqa: F401 - its receivers connect
