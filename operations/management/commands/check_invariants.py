"""``manage.py check_invariants``: says what can not be true in this database. Reads only, also in production."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime

from operations.invariants import Scope, violations
from operations.invariants.on_chain import chains_agree
from operations.invariants.reading import one_long_moment

VIOLATED = 1


class Command(BaseCommand):
    """Prints one sentence per violation and ends with 1 if there was any, with 0 if all is well."""

    help = "Check the invariants of money, histories, events, tenants and nonces. Changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to look at, whom else to ask, the form of the answer."""
        parser.add_argument("--merchant", type=int, help="only the rows of this merchant")
        parser.add_argument("--since", type=_moment, help="only what was made since then, such as 2026-11-20T00:00Z")
        parser.add_argument("--chains", action="store_true", help="ask the nodes for every paid transfer, too")
        parser.add_argument("--json", action="store_true", help="print one JSON object per violation, one a line")

    def handle(self, *_: object, **options: Any) -> None:
        """Check, print as it is found, and end with the exit code."""
        scope = Scope(merchant_id=options["merchant"], since=options["since"])
        found = chain(_stored(scope), chains_agree(scope) if options["chains"] else ())
        count = 0
        for count, sentence in enumerate(found, start=1):  # noqa: B007 - the last one is how many there were
            facts = {"invariant": sentence.partition(" ")[0], "violation": sentence}
            self.stdout.write(json.dumps(facts) if options["json"] else sentence)
        if count:
            raise CommandError(f"{count} violations.", returncode=VIOLATED)
        if not options["json"]:
            self.stdout.write("All invariants hold.")


def _stored(scope: Scope) -> Iterator[str]:
    with one_long_moment():
        yield from violations(scope)


def _moment(text: str) -> datetime:
    """A moment as RFC 3339 writes it. Raises: CommandError."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(f"{text} is not a moment with a time zone, such as 2026-11-20T00:00:00Z.")
    return moment
