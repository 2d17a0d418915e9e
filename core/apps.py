"""App registration."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Words everyone uses."""

    name = "core"
