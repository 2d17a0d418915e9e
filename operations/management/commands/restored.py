"""``manage.py restored``: says whether this database was put back from a backup; makes it quiet, and lets it go."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chains.models import Transfer
from chains.reader.lag import lag_of_chains
from chains.states import TransferStatus
from core.pauses import is_quiet, make_quiet, resume, standing
from merchants.models import OutgoingMail
from operations.acting import BY_LENGTH
from operations.management.commands.pause import TERMINAL
from webhooks.models import Delivery, Event
from webhooks.states import Outcome


class Command(BaseCommand):
    """Shows what waits and how far chains were read, and lets go once they were. Source: docs/backup.md."""

    help = "Show whether this database was put back from a backup and is quiet; make it quiet; let it go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One of both, or neither."""
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--quiet", metavar="WHY", help="sign and send nothing: of a snapshot, a dump, an SQLite file")
        act.add_argument("--let-go", action="store_true", help="sign and send again, once the chains were read")
        parser.add_argument("--anyway", action="store_true", help="let go although a chain is not read")
        parser.add_argument("--by", default=TERMINAL, help="who says so, for the history")

    def handle(self, *_: object, quiet: str | None, let_go: bool, anyway: bool, by: str, **options: Any) -> None:
        """Do it, and say how it stands. Raises: CommandError where it may not be let go, or nothing is to be."""
        if quiet is not None:
            make_quiet(quiet.strip() or "somebody said so", by=by[:BY_LENGTH])
        stands = {kind: one for kind, one in standing().items() if is_quiet(one)}
        if not stands:
            if let_go:
                raise CommandError("It is not quiet: nothing is to be let go.")
            self.stdout.write("It was not put back from a backup, or was let go: it signs and sends.")
            return
        for kind, one in stands.items():
            self.stdout.write(f"{kind:8}  quiet since {one.since:%Y-%m-%d %H:%M:%S} UTC, {one.reason}")
        behind = self._write_state()
        if let_go:
            self._let_go(list(stands), "" if anyway else behind, by[:BY_LENGTH])

    def _write_state(self) -> str:
        """What waits, and how far each chain was read; the first one that is not read, in words."""
        due = Delivery.objects.filter(outcome=Outcome.DUE).count() + Event.objects.filter(fanned_out_at=None).count()
        mails = OutgoingMail.objects.exclude(next_attempt_at=None).count()
        unsent = Transfer.objects.filter(status=TransferStatus.NEW)
        self.stdout.write(f"waiting   {due} deliveries and events, {mails} mails, {unsent.count()} transfers")
        undecided = unsent.filter(blocker="maybe_paid_before").count()
        if undecided:
            self.stdout.write(f"decide    {undecided} transfers that may have been paid: decide_transfer")
        found = lag_of_chains()
        for place, one in sorted(found.items()):
            self.stdout.write(f"{place:8}  {'read' if one.works else 'NOT READ'}: {one.detail}")
        return next((f"{place}: {one.detail}" for place, one in sorted(found.items()) if not one.works), "")

    def _let_go(self, kinds: list[str], behind: str, by: str) -> None:
        if behind:
            raise CommandError(
                f"A chain is not read yet, so what was forgotten of it is not known: {behind} Wait for it, or --anyway."
            )
        for kind in kinds:
            resume(kind, by=by)
        self.stdout.write("Let go: it signs and sends.")
