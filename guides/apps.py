"""App registration."""

from django.apps import AppConfig


class GuidesConfig(AppConfig):
    """The pages of ``docs`` as the service itself serves them."""

    name = "guides"
