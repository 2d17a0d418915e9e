"""I19: where merchants wanted their money, and since when, by the lines of their audit."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from merchants.models import Change
from operations.invariants.scope import Scope
from payments.models import SettlementChange, SettlementProfile

CHANGED = "settlement.changed"
FAMILIES = ("evm", "solana")
Whose = tuple[int, str, str]
"""Merchant, mode, family of chains."""


@dataclass(frozen=True, kw_only=True)
class AddressBook:
    """Every change of an address by merchant, mode and family, the oldest first; and what the settings say now."""

    lines: dict[Whose, list[Change]]
    now: dict[Whose, SettlementProfile]

    @classmethod
    def of(cls, merchants: Collection[int]) -> "AddressBook":
        """The book of these merchants. Bounded: people change an address a few times in a shop's life."""
        lines: dict[Whose, list[Change]] = defaultdict(list)
        changes = Change.objects.filter(merchant_id__in=merchants, action=CHANGED, subject__in=FAMILIES)
        for line in changes.order_by("pk"):
            lines[line.merchant_id, line.mode, line.subject].append(line)
        profiles = SettlementProfile.objects.filter(merchant_id__in=merchants)
        return cls(lines=lines, now={(one.merchant_id, one.mode, one.family): one for one in profiles})

    def held(self, whose: Whose, since: datetime, until: datetime) -> set[str]:
        """The addresses that held at some moment of this time. What nobody changed held always."""
        profile = self.now.get(whose)
        lines = self.lines.get(whose, [])
        found = set() if profile is None or (lines and lines[-1].created_at > until) else {profile.address}
        for number, line in enumerate(lines):
            ended = lines[number + 1].created_at if number + 1 < len(lines) else None
            if line.created_at <= until and (ended is None or ended >= since):
                found.add(_address(line.after))
        if lines and lines[0].created_at >= since:
            found.add(_address(lines[0].before))
        return found - {""}


def _address(shown: Any) -> str:
    return str(shown.get("address", "")) if isinstance(shown, dict) else ""


def addresses_change_in_the_open(scope: Scope) -> Iterator[str]:
    """I11: where a merchant's money goes is what its audit says last, and each change in effect has its line."""
    for batch in scope.batches(SettlementProfile):
        book = AddressBook.of({one.merchant_id for one in batch})
        for profile in batch:
            lines = book.lines.get((profile.merchant_id, profile.mode, profile.family), [])
            if lines and _address(lines[-1].after) != profile.address:
                yield f"I11 settlement profile {profile.pk} says {profile.address}, and no line of the audit does"
    for changes in scope.batches(SettlementChange):
        yield from _unwritten([one for one in changes if one.status == "in_effect"])


def _unwritten(changes: Sequence[SettlementChange]) -> Iterator[str]:
    lines = Change.objects.filter(merchant_id__in={one.merchant_id for one in changes}, action=CHANGED)
    written: dict[tuple[int, str, str], list[Any]] = defaultdict(list)
    for line in lines:
        written[line.merchant_id, line.mode, line.subject].append(line.after)
    for one in changes:
        if one.after not in written[one.merchant_id, one.mode, one.part]:
            yield f"I11 settlement change {one.pk} is in effect, and no line of the audit says so"
