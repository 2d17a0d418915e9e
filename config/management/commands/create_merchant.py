"""``manage.py create_merchant``: a merchant with its owner and both key pairs, for scripts and production."""

import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import InvalidRequest
from merchants.models import User
from merchants.services import NewMerchant, create_merchant


class Command(BaseCommand):
    """Creates a merchant and prints its keys, which cannot be read again."""

    help = "Create a merchant, its owner and both key pairs. The secret keys are shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The business, the person, the form of the answer."""
        parser.add_argument("--name", required=True, help="name of the business")
        parser.add_argument("--email", required=True, help="address of the owner, who may already exist")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_: object, **options: Any) -> None:
        """Create and print."""
        password = secrets.token_urlsafe(12)
        try:
            is_new = not User.objects.filter(email=options["email"].lower()).exists()
            made = create_merchant(options["name"], options["email"], password)
        except InvalidRequest as refusal:
            raise CommandError(refusal.details["fields"][0]["message"]) from None
        shown = written(made) | ({"merchant_password": password} if is_new else {})
        if options["json"]:
            self.stdout.write(json.dumps(shown, indent=2))
        else:
            self.stdout.write("\n".join(f"{name:<21} {value}" for name, value in shown.items()))


def written(made: NewMerchant) -> dict[str, str | int]:
    """The names under which scripts find what was made; ``.local/demo.json`` has the same ones."""
    return {
        "merchant_id": made.merchant.pk,
        "merchant_name": made.merchant.name,
        "merchant_email": made.owner.email,
        "test_secret_key": made.test.secret_key,
        "test_publishable_key": made.test.publishable_key,
        "live_secret_key": made.live.secret_key,
        "live_publishable_key": made.live.publishable_key,
    }
