"""App registration."""

from django.apps import AppConfig


class TheatreConfig(AppConfig):
    """Scenario files of payments, and their replays."""

    name = "theatre"
