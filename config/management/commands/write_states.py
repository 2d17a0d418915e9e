"""``manage.py write_states``: docs/states.md again, after one of its tables changed."""

from typing import Any

from django.core.management.base import BaseCommand

from config.states_page import PAGE, written


class Command(BaseCommand):
    """Writes the page."""

    help = "Write docs/states.md from the tables that decide statuses."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write it."""
        PAGE.write_text(written(), encoding="utf-8")
