"""``manage.py factor_word EMAIL``: the word that an operator's first second factor asks for."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from merchants.first_factor import needs_word, word_for
from merchants.models import User


class Command(BaseCommand):
    """Prints a word for an operator who has no second factor yet. Whoever may run this owns the service."""

    help = "Print the word that an operator needs for the first second factor; it is good for an hour."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose."""
        parser.add_argument("email")

    def handle(self, *args: Any, email: str, **options: Any) -> None:
        """Print it. Raises: CommandError where nobody needs one."""
        person = User.objects.filter(email=email.lower(), is_active=True).first()
        if person is None or not needs_word(person):
            raise CommandError(f"{email} is no operator without a second factor.")
        self.stdout.write(word_for(person))
