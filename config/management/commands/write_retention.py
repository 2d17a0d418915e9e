"""``manage.py write_retention``: the table of what is kept how long in docs/operators.md again."""

from typing import Any

from django.core.management.base import BaseCommand

from config.retention import PAGE, written


class Command(BaseCommand):
    """Writes the table into the page."""

    help = "Write what is kept how long into docs/operators.md, from config/retention.py and the settings."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write it."""
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
