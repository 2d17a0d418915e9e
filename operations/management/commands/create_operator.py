"""``manage.py create_operator EMAIL``: the first operator, and each after it."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from merchants.models import User
from merchants.services.operators import make_operator, word_for_first_factor
from operations.acting import actor_of, person_with


class Command(BaseCommand):
    """Makes an account an operator's, or a new one, and prints the word for its first second factor."""

    help = "Make an operator of an account, or of a new one, for which it asks a password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Who."""
        parser.add_argument("email")
        parser.add_argument("--by", default="", help="who acts, for the audit")
        parser.add_argument("--no-input", action="store_true", help="take the password from DJANGO_SUPERUSER_PASSWORD")

    def handle(self, *_: object, email: str, by: str, no_input: bool, **options: Any) -> None:
        """Make one. Raises: CommandError."""
        if not User.objects.filter(email=email.lower()).exists():
            call_command("createsuperuser", email=email, interactive=not no_input, verbosity=0)
        person = person_with(email)
        make_operator(person, by=actor_of(by))
        self.stdout.write(f"{person.email} is an operator. Sign in at {settings.BASE_URL}/accounts/login/")
        if word := word_for_first_factor(person):
            self.stdout.write(f"and add a second factor there. The word for it, good for an hour: {word}")
