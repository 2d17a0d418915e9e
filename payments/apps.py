"""App registration."""

from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    """Intents, routing, legs, settlement."""

    name = "payments"
