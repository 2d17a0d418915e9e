"""App registration: gives the project its management commands."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class ConfigConfig(AppConfig):
    """Wiring."""

    name = "config"

    def ready(self) -> None:
        """Have every migrated database belong to one network from then on."""
        from config.network_profile import fix_network_profile

        post_migrate.connect(fix_network_profile, sender=apps.get_app_config("chains"))
