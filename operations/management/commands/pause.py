"""``manage.py pause signing sending --reason WHY``: nothing more is signed, or sent, until ``manage.py resume``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.pauses import Paused, standing
from operations.acting import BY_LENGTH, actor_of, pause_all

REASON_LENGTH = 200
TERMINAL = "terminal"
"""Who acts where nobody says so. Why no name of the machine's user: in containers it is nobody's."""


class Command(BaseCommand):
    """Stops what is named at once, for every process that uses this database."""

    help = "Pause signing, sending or both until they are resumed; without a kind, show what is paused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What, and why."""
        parser.add_argument("kinds", nargs="*", metavar="KIND", help="signing, sending")  # choices refuse none at all
        parser.add_argument("--reason", default="", help="what operators read on every page and in the log")
        parser.add_argument("--by", default="", help="who pauses, for the history")

    def handle(self, *_: object, kinds: list[str], reason: str, by: str, **options: Any) -> None:
        """Pause. Raises: CommandError without a reason, or for what nobody can pause."""
        if unknown := [kind for kind in kinds if kind not in [*Paused]]:
            raise CommandError(f"{unknown[0]} cannot be paused: say signing, sending, or both.")
        if kinds and not reason.strip():
            raise CommandError("Say why: --reason.")
        for kind in kinds:
            pause_all(
                Paused(kind), reason=reason.strip()[:REASON_LENGTH], name=by[:BY_LENGTH] or TERMINAL, by=actor_of(by)
            )
        stand = standing()
        for one in Paused:
            state = "goes on"
            if stands := stand.get(one):
                state = f"paused since {stands.since:%Y-%m-%d %H:%M} UTC by {stands.by}: {stands.reason}"
            self.stdout.write(f"{one.value:8}  {state}")
