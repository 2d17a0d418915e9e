"""``manage.py learn_routes``: learns failure shares of routes, measures them by a replay, and adopts them if asked."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.modes import Mode
from payments.scoreboard.replay import Replay, RiskRefused, adopt, end, learn


class Command(BaseCommand):
    """Prints what was learned and what a replay says of it; adopts it only where asked, and where it is better."""

    help = "Learn how often routes fail, and replay kept payments with that before the score counts with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which mode, and whether to use it."""
        parser.add_argument("--mode", choices=Mode.values, default=Mode.LIVE.value)
        parser.add_argument("--adopt", action="store_true", help="let the score count with it, if it is better")
        parser.add_argument("--end", action="store_true", help="count with what is assumed by kind again")

    def handle(self, *_: object, **options: Any) -> None:
        """Learn, replay, print. Raises: CommandError."""
        mode = Mode(options["mode"])
        if options["end"]:
            self.stdout.write(f"{end(mode)} ended; the score counts with what is assumed by kind.")
            return
        risks = learn(mode)
        for one in risks.shares:
            self.stdout.write(f"{one['provider']} from {one['chain']} to {one['to_chain']}: {one['share']}")
        found = Replay(**risks.replay)
        self.stdout.write(
            f"Replay: {found.judged} payments with a choice, {found.changed} other picks;"
            f" loss of one now {found.loss_now_usd} USD, then {found.loss_then_usd}."
        )
        if not options["adopt"]:
            self.stdout.write("Nothing was adopted. With --adopt the score counts with it.")
            return
        try:
            adopt(risks)
        except RiskRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write("Adopted. manage.py learn_routes --end takes it back.")
