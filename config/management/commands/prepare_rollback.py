"""``manage.py prepare_rollback``: once no web process of this release runs, before old workers go on."""

from typing import Any

from django.core.management.base import BaseCommand

from operations.opening import forget_opening
from payments.services.hand_back import hand_back
from records.backlog import forget_backlog


class Command(BaseCommand):
    """Has the release before find what this one looked after. Can be run again, and harms nobody who runs beside it.

    Source: docs/upgrade.md, Rolled back.
    """

    help = "Write down for programs of the release before what waits, when this release is taken back."

    def handle(self, *_: object, **options: Any) -> None:
        """Write it down and say how much it was. What the release before neither books nor has
        sealed is carried over later.
        """
        forget_opening()
        forget_backlog()
        self.stdout.write(f"{hand_back()} open payments are where programs of the release before look for them.")
