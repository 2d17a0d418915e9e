"""App registration."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Words everyone uses."""

    name = "core"

    def ready(self) -> None:
        """Have ``manage.py check --database`` open what is stored encrypted."""
        from core import sealed  # noqa: F401 - registers its check
