"""``manage.py seal_records``: the receipts that payments of before lack, now, and not some a minute by the clock."""

from typing import Any, Final

from django.core.management.base import BaseCommand

from records.backlog import seal_backlog
from records.services import sweep_due

TURN_SECONDS: Final = 10
MOST_TURNS: Final = 10_000


class Command(BaseCommand):
    """Asks for the seals that are missing and makes them. Can be ended at any moment, run again, and beside workers."""

    help = "Seal the records of payments that settled before there were receipts."

    def handle(self, *_: object, **options: Any) -> None:
        """Go on until nothing waits, and say how many it were."""
        sealed, is_complete = 0, False
        for _turn in range(MOST_TURNS):
            is_complete = seal_backlog()
            made = sweep_due(TURN_SECONDS)
            sealed += made
            if not made:
                break
            self.stdout.write(f"{sealed} records looked at")
        rest = "" if is_complete else " An hour after the upgrade all are gone through once more, by the clock."
        self.stdout.write(f"{sealed} records looked at; nothing waits.{rest}")
