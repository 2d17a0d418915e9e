"""``manage.py remove_operator EMAIL --reason WHY``: one who leaves."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from merchants.services.operators import remove_operator
from operations.acting import actor_of, add_why, person_with, refusing


class Command(BaseCommand):
    """Closes the operators' pages to a person. The account stays; /admin/ shuts it."""

    help = "Let a person in to the operators' pages no more, and sign them out everywhere. Never the last one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Who, and why."""
        parser.add_argument("email")
        add_why(parser)

    def handle(self, *_: object, email: str, reason: str, by: str, **options: Any) -> None:
        """Do it. Raises: CommandError."""
        person = person_with(email)
        with refusing():
            remove_operator(person, reason=reason, by=actor_of(by))
        self.stdout.write(f"{person.email} is no operator any more.")
