"""``manage.py resume signing sending gas:base``: what was paused goes on, with all that came due meanwhile."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations.acting import BY_LENGTH, PutBack, actor_of, pausable, resume_all
from operations.management.commands.pause import TERMINAL


class Command(BaseCommand):
    """Ends pauses."""

    help = "Let signing, sending or a gas account go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What."""
        parser.add_argument("kinds", nargs="+", metavar="KIND", help="signing, sending, gas:CHAIN")
        parser.add_argument("--by", default="", help="who resumes, for the history")

    def handle(self, *_: object, kinds: list[str], by: str, **options: Any) -> None:
        """Resume, and say of each whether it was paused. Raises: CommandError where the database was put back."""
        known = pausable()
        if unknown := [kind for kind in kinds if kind not in known]:
            raise CommandError(f"{unknown[0]} is never paused: say one or more of {', '.join(known)}.")
        for kind in kinds:
            try:
                was_paused = resume_all(kind, name=by[:BY_LENGTH] or TERMINAL, by=actor_of(by))
            except PutBack as refusal:
                raise CommandError(str(refusal)) from None
            self.stdout.write(f"{kind:8}  {'goes on' if was_paused else 'was not paused'}")
