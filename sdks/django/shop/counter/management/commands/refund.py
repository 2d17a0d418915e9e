"""Sends money of an order back: ``manage.py refund TOKEN 5.00``."""

from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from counter.models import Order


class Command(BaseCommand):
    """The command."""

    help = "Send a part of an order's money back to who paid."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which order, and how much."""
        parser.add_argument("token")
        parser.add_argument("amount", type=Decimal)

    def handle(self, *_: Any, **options: Any) -> None:
        """Ask for the refund."""
        Order.objects.get(token=options["token"]).refund(options["amount"])
        self.stdout.write("The refund was asked for.")
