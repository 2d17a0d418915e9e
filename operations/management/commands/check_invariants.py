"""``manage.py check_invariants``: says what can not be true in this database. Changes no row that it reads."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS
from django.utils.dateparse import parse_datetime

from core.replica import REPLICA, reading_from
from operations.invariants import Scope
from operations.invariants.on_chain import chains_agree
from operations.invariants.scope import WHOLE
from operations.invariants.walk import Step, begin_walk, go_on, resumed_walk, steps

VIOLATED = 1


class Command(BaseCommand):
    """Prints one sentence per violation and ends with 1 if there was any, with 0 if all is well."""

    help = "Walk over the whole history and check the invariants of money, histories, events, tenants and nonces."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to look at, where to read it, whom else to ask, the form of the answer."""
        parser.add_argument("--merchant", type=int, help="only the rows of this merchant")
        parser.add_argument("--since", type=_moment, help="only what was made since then, such as 2026-11-20T00:00Z")
        parser.add_argument("--resume", action="store_true", help="go on where the newest walk was left")
        parser.add_argument("--replica", action="store_true", help="read from the database of REPLICA_DATABASE_URL")
        parser.add_argument("--chains", action="store_true", help="ask the nodes for every paid transfer, too")
        parser.add_argument("--json", action="store_true", help="print one JSON object per violation, one a line")

    def handle(self, *_: object, **options: Any) -> None:
        """Check, print as it is found, and end with the exit code."""
        if options["replica"] and REPLICA not in settings.DATABASES:
            raise CommandError("There is no replica: set REPLICA_DATABASE_URL.")
        scope = Scope(merchant_id=options["merchant"], since=options["since"])
        if options["resume"] and scope != WHOLE:
            raise CommandError("Only a walk over everything can be resumed.")
        count = 0
        with reading_from(REPLICA if options["replica"] else DEFAULT_DB_ALIAS):
            found = chain(_stored(scope, options), chains_agree(scope) if options["chains"] else ())
            for count, sentence in enumerate(found, start=1):  # noqa: B007 - the last one is how many there were
                facts = {"invariant": sentence.partition(" ")[0], "violation": sentence}
                self.stdout.write(json.dumps(facts) if options["json"] else sentence)
        if count:
            raise CommandError(f"{count} violations.", returncode=VIOLATED)
        if not options["json"]:
            self.stdout.write("All invariants hold.")


def _stored(scope: Scope, options: dict[str, Any]) -> Iterator[str]:
    """Each sentence, as its piece is read. Where two pieces say the same one after the other, once."""
    before: list[str] = []
    for step in _steps(scope, resumes=options["resume"]):
        yield from (sentence for sentence in step.violations if sentence not in before)
        before = step.violations or before


def _steps(scope: Scope, *, resumes: bool) -> Iterator[Step]:
    if scope != WHOLE:
        return steps(scope)
    walk = resumed_walk() if resumes else begin_walk()
    if walk is None:
        raise CommandError("No walk was left half-way, or somebody is at it.")
    return go_on(walk)


def _moment(text: str) -> datetime:
    """A moment as RFC 3339 writes it. Raises: CommandError."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(f"{text} is not a moment with a time zone, such as 2026-11-20T00:00:00Z.")
    return moment
