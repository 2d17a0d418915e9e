"""``manage.py reset_second_factor EMAIL --reason WHY``: for a person who lost every factor."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from merchants.services.operators import reset_second_factor, word_for_first_factor
from operations.acting import actor_of, add_why, person_with, refusing


class Command(BaseCommand):
    """Takes a person's second factors away; of an operator it prints the word for a new one."""

    help = "Take every second factor of a person away, and sign them out everywhere. Make sure first who asks for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose, and why."""
        parser.add_argument("email")
        add_why(parser)

    def handle(self, *_: object, email: str, reason: str, by: str, **options: Any) -> None:
        """Take them away. Raises: CommandError."""
        person = person_with(email)
        with refusing():
            gone = reset_second_factor(person, reason=reason, by=actor_of(by))
        self.stdout.write(f"{gone} factors of {person.email} were taken away.")
        if word := word_for_first_factor(person):
            self.stdout.write(f"The word for a new one, good for an hour: {word}")
