"""``manage.py resume signing sending``: what was paused goes on, with all that came due meanwhile."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.pauses import Paused
from operations.acting import BY_LENGTH, PutBack, actor_of, resume_all
from operations.management.commands.pause import TERMINAL


class Command(BaseCommand):
    """Ends pauses."""

    help = "Let signing, sending or both go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What."""
        parser.add_argument("kinds", nargs="+", choices=[*Paused], metavar="KIND", help="signing, sending")
        parser.add_argument("--by", default="", help="who resumes, for the history")

    def handle(self, *_: object, kinds: list[str], by: str, **options: Any) -> None:
        """Resume, and say of each whether it was paused. Raises: CommandError where the database was put back."""
        for kind in kinds:
            try:
                was_paused = resume_all(Paused(kind), name=by[:BY_LENGTH] or TERMINAL, by=actor_of(by))
            except PutBack as refusal:
                raise CommandError(str(refusal)) from None
            self.stdout.write(f"{kind:8}  {'goes on' if was_paused else 'was not paused'}")
