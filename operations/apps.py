"""App registration: what operators see and check."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The operators' screens, invariants, and the supervision of the embedded form."""

    name = "operations"

    def ready(self) -> None:
        """Show every app's tables to operators, and have ``manage.py check --database`` open what is stored sealed."""
        from django.contrib import admin

        from operations import pooled, sealed  # noqa: F401 - they register their checks
        from operations.screens.tables import show_tables

        show_tables(admin.site)
