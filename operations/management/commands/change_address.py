"""``manage.py change_address OLD NEW --reason WHY``: a person signs in by another address."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from merchants.services.operators import change_address
from operations.acting import actor_of, add_why, person_with, refusing


class Command(BaseCommand):
    """Changes the address of an account; both addresses are written to."""

    help = "Change the address that a person signs in with. Make sure first who asks for it: mail opens accounts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """From what, to what, and why."""
        parser.add_argument("old")
        parser.add_argument("new")
        add_why(parser)

    def handle(self, *_: object, old: str, new: str, reason: str, by: str, **options: Any) -> None:
        """Change it. Raises: CommandError."""
        person = person_with(old)
        with refusing():
            change_address(person, new, reason=reason, by=actor_of(by))
        self.stdout.write(f"{person.email} signs in as {new.strip().lower()} from now on.")
