"""Which payouts the list shows: what a person chose, in the words of the API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from urllib.parse import urlencode

from django.db.models import QuerySet

from core.errors import InvalidParameter
from payouts.filters import filter_payouts
from payouts.models import Payout

NAMES = ("status", "from", "to")
_FAULTS = {
    "status": "There is no such status.",
    "created_gte": "The first day is no day. Write it like 2026-05-04.",
    "created_lt": "The last day is no day. Write it like 2026-05-04.",
}


@dataclass
class PayoutFilter:
    """What was asked for, and what of it makes no sense. Days are whole ones in UTC, the last one included."""

    asked: Mapping[str, str]
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set, for links to other pages of the same."""
        return {name: self.asked[name] for name in NAMES if self.asked.get(name)}

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.words)

    @property
    def cursor(self) -> dict[str, str]:
        """Where the page begins."""
        return {"starting_after": text} if (text := self.asked.get("starting_after")) else {}

    def narrow(self, payouts: QuerySet[Payout]) -> QuerySet[Payout]:
        """The payouts that are asked for; none where that makes no sense, which ``faults`` then tell."""
        words = self.words
        asked = {"status": words["status"]} if "status" in words else {}
        if "from" in words:
            asked["created_gte"] = _midnight(words["from"])
        if "to" in words:
            asked["created_lt"] = _midnight(words["to"], after=1)
        try:
            return filter_payouts(payouts, asked)
        except InvalidParameter as refusal:
            self.faults.append(_FAULTS[str(refusal.details["parameter"])])
            return payouts.none()


def _midnight(text: str, *, after: int = 0) -> str:
    """When that day begins, or one later; what is no day stays as it is, to be refused like any other word."""
    try:
        return f"{(date.fromisoformat(text) + timedelta(days=after)).isoformat()}T00:00:00Z"
    except (ValueError, OverflowError):
        return "no day"
