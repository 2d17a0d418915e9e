"""App registration: gives the project its management commands, and allauth's accounts their place."""

from allauth.account import apps as allauth_account
from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models.signals import post_migrate

from core.dispatch import carried_by


class ConfigConfig(AppConfig):
    """Wiring."""

    name = "config"

    def ready(self) -> None:
        """Have every migrated database belong to one network from then on, and wake-ups go to the form's broker."""
        from config.network_profile import fix_network_profile

        post_migrate.connect(fix_network_profile, sender=apps.get_app_config("chains"))
        if not settings.EMBEDDED:
            from config.broker import Messages
            from config.celery import app

            carried_by(Messages(app))


class AccountConfig(allauth_account.AccountConfig):
    """allauth's accounts. Why ours: theirs refuses to start where its middleware stands among those of pages."""

    def ready(self) -> None:
        """Register its checks, as theirs does."""
        from allauth.account import checks  # noqa: F401 - they register themselves
