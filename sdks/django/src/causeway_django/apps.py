"""The app."""

from django.apps import AppConfig
from django.core import checks


class CausewayConfig(AppConfig):
    """Causeway, as the admin names it."""

    name = "causeway_django"
    verbose_name = "Causeway"

    def ready(self) -> None:
        """Have ``manage.py check`` say which setting is missing."""
        from causeway_django import conf

        checks.register(conf.missing_settings)
