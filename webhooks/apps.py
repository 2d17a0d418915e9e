"""App registration."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """The outbox of news."""

    name = "webhooks"
