"""``manage.py load_tokens``: bring the committed token list into the database; run it after each update."""

from typing import Any

from django.core.management.base import BaseCommand

from tokens.services import load_bundled_tokens


class Command(BaseCommand):
    """Load the committed token list; safe to repeat."""

    help = "Load the committed token list into the database. Safe to repeat; nothing is deleted."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load it and say how many rows it has."""
        self.stdout.write(f"{load_bundled_tokens()} tokens in the committed list are loaded.")
