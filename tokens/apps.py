"""Registers the app."""

from django.apps import AppConfig


class TokensConfig(AppConfig):
    """The public list of crypto tokens."""

    name = "tokens"
