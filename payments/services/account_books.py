"""What a round over accounts on Solana writes down: which leg's mark was found where, and how far each was read.

Locks, in each: the reader's row, by which two workers never write, then the intents that have news.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Min

from chains.models import ChainReader, WatchedAddress
from chains.reader.base import Opened
from chains.reader.solana import AccountBite, FinalBite, Known, Passage
from core.clock import now
from payments.models import MarkedTransaction
from payments.services.marked import is_still_ours, note_found, note_gone, note_news
from payments.services.marks import legs_paid_at, not_left_out

MOST_SILENCES = 3
"""Rounds in a row. Why not at once: a node that lags a little, or whose provider slows it, answers the next time."""
_OF_NEW = frozenset({"before", "head", "silences"})
"""What of a cursor is the first reading's; the second's begins with ``final_``."""
KNOWN = Known(50_000)
"""What this process opened before. Why kept: what is new is listed in every round, until it is final."""


@dataclass(kw_only=True)
class AccountBooks:
    """What one round writes down, as long as nobody else claimed its reader."""

    reader: ChainReader

    def record_new(self, row: WatchedAddress, bite: AccountBite) -> None:
        """What was found, and how far it came."""
        passage = bite.passage
        with transaction.atomic():
            if not is_still_ours(self.reader):
                return
            note_found(self.reader, legs_paid_at(row, bite.opened))
            row.cursor = {name: value for name, value in row.cursor.items() if name not in _OF_NEW}
            row.read_at = now()
            if passage.before:
                row.cursor |= {"before": passage.before, "head": passage.head}
            else:
                row.read_to = max(passage.head, row.read_to or 0)
                row.final_to = passage.read_to if row.final_to is None else row.final_to
            row.save(update_fields=["cursor", "read_at", "read_to", "final_to"])
        KNOWN.remember(passage.account, bite.opened)

    def record_final(self, row: WatchedAddress, passage: Passage, bite: FinalBite, opened: Sequence[Opened]) -> None:
        """The second reading is the truth: what it shows is final, and what it does not show was never there."""
        with transaction.atomic():
            if not is_still_ours(self.reader):
                return
            note_found(self.reader, legs_paid_at(row, opened))
            place = {"intent__settlement_token_address": row.token_address, "intent__settlement_address": row.address}
            found = MarkedTransaction.objects.filter(chain=row.chain, lane=self.reader.lane, **place)
            own = found.filter(final_at=None).order_by("pk")
            shown = own.filter(tx_hash__among=[one.signature for one in bite.shown])
            note_news(shown, in_turn=True, final_at=now(), gone_at=None)
            self._go_on(row, passage, bite)
            if bite.reached <= passage.read_to:
                note_gone(own.filter(gone_at=None, block_number__lte=passage.head))
        KNOWN.remember(passage.account, opened)

    @transaction.atomic
    def record_silence(self, row: WatchedAddress, kind: str) -> bool:
        """That nodes answer, and not about this account; whether they did so for so long that it is left out."""
        if not is_still_ours(self.reader):
            return False
        count = int(row.cursor.get(kind, 0)) + 1
        is_over = count >= MOST_SILENCES
        row.cursor[kind] = 0 if is_over else count
        row.save(update_fields=["cursor"])
        return is_over

    @transaction.atomic
    def record_round(self, head: int) -> None:
        """How far the chain was read: as far as the account that is worst off among those that are awaited."""
        if not is_still_ours(self.reader):
            return
        awaited = not_left_out(self.reader.chain).filter(awaited_until__gt=now())
        worst = awaited.aggregate(read=Min("read_to"), final=Min("final_to"))
        self.reader.read_to = min(head, head if worst["read"] is None else worst["read"])
        self.reader.final_to = self.reader.read_to if worst["final"] is None else worst["final"]
        self.reader.head, self.reader.read_at = head, now()
        self.reader.save(update_fields=["read_to", "final_to", "head", "read_at", "final_at"])

    def _go_on(self, row: WatchedAddress, passage: Passage, bite: FinalBite) -> None:
        """Write down where the second reading goes on."""
        until = row.cursor.get("final_until") or bite.newest or row.cursor.get("until", "")
        row.cursor = {name: value for name, value in row.cursor.items() if not name.startswith("final_")}
        row.final_at = now()
        if bite.reached > passage.read_to:
            before = bite.oldest or passage.before
            row.cursor |= {"final_before": before, "final_head": passage.head, "final_until": until}
        else:
            row.final_to, row.cursor["until"] = passage.head, until
        row.save(update_fields=["cursor", "final_to", "final_at"])
