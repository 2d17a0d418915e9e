"""App registration."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """The merchant's screens."""

    name = "dashboard"
