"""``manage.py reconcile --chain base --from N --to M``: the books against the chain, read afresh. Writes nothing."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chains.clients.registry import client_for
from chains.errors import ChainUnavailable, QuestionUnanswered
from chains.registry import chain
from core.modes import Mode
from payments.services.reconcile import MOST_BLOCKS, Difference, DifferenceName, differences

DIFFERS, CANNOT_SAY = 1, 2


class Command(BaseCommand):
    """Prints one line for each difference; ends with 1 if there was any, with 0 if all agrees, with 2 if it cannot say.

    Source: docs/live.md, When the books are compared.
    """

    help = "Read blocks of a chain afresh and name what the books do not say alike. Changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which blocks, the form of the answer."""
        parser.add_argument("--chain", required=True, help="ethereum, base, …")
        parser.add_argument("--from", type=int, required=True, dest="first", help="the first block")
        parser.add_argument("--to", type=int, required=True, dest="last", help="the last block")
        parser.add_argument("--json", action="store_true", help="print one JSON object per difference, one a line")

    def handle(self, *_: object, **options: Any) -> None:
        """Compare, print as it is found, and end with the exit code. Raises: CommandError with one sentence."""
        first, last = options["first"], options["last"]
        place = _known(options["chain"])
        count = 0
        try:
            _refuse_blocks(place, first, last)
            for count, found in enumerate(differences(place, first, last), start=1):  # noqa: B007 - the last one is how many there were
                self.stdout.write(_as_json(place, found) if options["json"] else _as_line(found))
        except QuestionUnanswered as error:
            raise CommandError(f"No node of {place} can say: {error.reason}.", returncode=CANNOT_SAY) from None
        except ChainUnavailable:
            raise CommandError(f"No node of {place} answers. Ask again.", returncode=CANNOT_SAY) from None
        if count:
            raise CommandError(f"{count} {'difference' if count == 1 else 'differences'}.", returncode=DIFFERS)
        if not options["json"]:
            self.stdout.write(f"The books agree with {last - first + 1} blocks of {place}.")


def _known(text: str) -> str:
    """The chain's name. Raises: CommandError where it cannot be read."""
    known = chain(text)
    if known is None:
        raise CommandError(f"No chain is called {text[:32]!r} here.", returncode=CANNOT_SAY)
    if not settings.RPC_URLS.get(known.name):
        setting = f"RPC_URLS_{known.name.upper()}"
        raise CommandError(f"No node of {known.name} is named: set {setting}.", returncode=CANNOT_SAY)
    return known.name


def _refuse_blocks(place: str, first: int, last: int) -> None:
    """Raises: CommandError for blocks that cannot be compared, ChainUnavailable."""
    refusal = ""
    if not 0 <= first <= last:
        refusal = f"--from {first} and --to {last} are no blocks: the first is not negative, and not above the last."
    elif last - first >= MOST_BLOCKS:
        refusal = f"Compare {MOST_BLOCKS:,} blocks at most: these are {last - first + 1:,}."
    elif last > (head := client_for(Mode.LIVE).head(place)):
        refusal = f"The newest block of {place} is {head}."
    if refusal:
        raise CommandError(refusal, returncode=CANNOT_SAY)


def _as_line(found: Difference) -> str:
    if found.name is DifferenceName.UNREAD:
        return f"{found.name} blocks {found.first_block} to {found.last_block}: {found.why}"
    sums = f"{found.on_chain} on the chain, {found.in_books} in the books"
    place = f"{found.token_address or 'nothing'} to {found.recipient or 'nobody'}"
    legs = f"leg {', '.join(found.legs) or 'unknown'}"
    return f"{found.name} {found.tx_hash} block {found.first_block}: {sums}, {place}, {legs}: {found.why}"


def _as_json(place: str, found: Difference) -> str:
    """Why amounts are texts: many programs lose digits of numbers."""
    facts = asdict(found) | {"on_chain": str(found.on_chain), "in_books": str(found.in_books)}
    return json.dumps({"chain": place, **facts})
