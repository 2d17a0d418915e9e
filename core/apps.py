"""App registration."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Words everyone uses."""

    name = "core"

    def ready(self) -> None:
        """Teach columns to be looked for by many keys."""
        from core import lookups  # noqa: F401 - registers itself
