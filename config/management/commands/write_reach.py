"""``manage.py write_reach``: docs/reach.md again, after its table changed."""

from typing import Any

from django.core.management.base import BaseCommand

from config.reach_page import PAGE, written


class Command(BaseCommand):
    """Writes the page."""

    help = "Write docs/reach.md from the table that decides who reaches what."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write it."""
        PAGE.write_text(written(), encoding="utf-8")
