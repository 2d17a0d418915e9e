"""App registration."""

from django.apps import AppConfig


class ProofsConfig(AppConfig):
    """What the service signs so that others can check it without asking."""

    name = "proofs"
