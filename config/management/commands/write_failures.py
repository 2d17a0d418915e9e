"""``manage.py write_failures``: docs/guides/failures.md again, after its words changed."""

from typing import Any

from django.core.management.base import BaseCommand

from config.failures_page import PAGE, written


class Command(BaseCommand):
    """Writes the page."""

    help = "Write docs/guides/failures.md from the words that it shows."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write it."""
        PAGE.write_text(written(), encoding="utf-8")
