"""Registers the app."""

from django.apps import AppConfig


class TokensConfig(AppConfig):
    """The public list of crypto tokens."""

    name = "tokens"

    def ready(self) -> None:
        """Have signers' caps count what a token is worth today."""
        from chains.signers.worth import register_appraiser  # noqa: PLC0415  Why: needs the models.
        from tokens.selectors import worth_for_caps  # noqa: PLC0415  Why: as above.

        register_appraiser(worth_for_caps)
