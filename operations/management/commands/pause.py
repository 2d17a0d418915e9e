"""``manage.py pause signing sending gas:base --reason WHY``: nothing more of it leaves until ``manage.py resume``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.pauses import standing
from operations.acting import BY_LENGTH, actor_of, pausable, pause_all

REASON_LENGTH = 200
TERMINAL = "terminal"
"""Who acts where nobody says so. Why no name of the machine's user: in containers it is nobody's."""


class Command(BaseCommand):
    """Stops what is named at once, for every process that uses this database."""

    help = "Pause signing, sending or a gas account until it is resumed; without a kind, show what is paused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What, and why."""
        # Why no choices: they refuse none at all.
        parser.add_argument("kinds", nargs="*", metavar="KIND", help="signing, sending, gas:CHAIN")
        parser.add_argument("--reason", default="", help="what operators read on every page and in the log")
        parser.add_argument("--by", default="", help="who pauses, for the history")

    def handle(self, *_: object, kinds: list[str], reason: str, by: str, **options: Any) -> None:
        """Pause. Raises: CommandError without a reason, or for what nobody can pause."""
        known = pausable()
        if unknown := [kind for kind in kinds if kind not in known]:
            raise CommandError(f"{unknown[0]} cannot be paused: say one or more of {', '.join(known)}.")
        if kinds and not reason.strip():
            raise CommandError("Say why: --reason.")
        for kind in kinds:
            pause_all(kind, reason=reason.strip()[:REASON_LENGTH], name=by[:BY_LENGTH] or TERMINAL, by=actor_of(by))
        stand = standing()
        for one in known:
            state = "goes on"
            if stands := stand.get(one):
                state = f"paused since {stands.since:%Y-%m-%d %H:%M} UTC by {stands.by}: {stands.reason}"
            self.stdout.write(f"{one:8}  {state}")
