"""What the list of refunds is narrowed to: read from the address, judged, and written back into links."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import urlencode

from django.db.models import Q

from chains.transfers import RailName
from dashboard.refunds.words import STATUS
from refunds.states import ADDRESSED, R

ADDRESS, SIGNATURE, NOTHING = "address", "signature", "nothing"
WAITS_FOR: Final = {ADDRESS: "An address", SIGNATURE: "Your wallet’s signature", NOTHING: "Nothing from you"}
FOR_WALLET: Final = Q(status__in=ADDRESSED, rail=RailName.MERCHANT_WALLET)
_NAMES: Final = ("status", "waits", "since", "until")
_FAULTS: Final = {
    "status": "There is no such status.",
    "waits": "Refunds wait for an address, a signature, or nothing.",
    "since": "“From” is no day. Write it like 2026-05-04.",
    "until": "“To” is no day. Write it like 2026-05-04.",
}
_DAY: Final = timedelta(days=1)


@dataclass
class Filter:
    """What was asked for, what of it makes sense, and what does not."""

    asked: Mapping[str, str]
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set."""
        return {name: self.asked[name] for name in _NAMES if self.asked.get(name)}

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.words)

    def with_cursor(self, cursor: str) -> str:
        """The address of the page that goes on behind a refund."""
        return "?" + urlencode({**self.words, "after": cursor})

    def conditions(self) -> Q:
        """What every row must meet. What makes no sense is told in ``faults`` and finds nothing."""
        wanted = Q()
        for name, read in (("since", _since), ("until", _until)):
            if text := self.words.get(name):
                wanted &= read(text) or self._fault(name)
        return wanted & ~FOR_WALLET if self.words.get("waits") == NOTHING else wanted

    def any_of(self) -> list[Q]:
        """Conditions of which a row must meet one. Why apart: each status has its own way through the index."""
        status, waits = self.words.get("status"), self.words.get("waits")
        if status and status not in set(R):
            return [self._fault("status")]
        if waits and waits not in WAITS_FOR:
            return [self._fault("waits")]
        among = _AMONG.get(waits or "")
        statuses = [one for one in among or (() if not status else (R(status),)) if not status or one == status]
        if among is not None and not statuses:
            return [Q(pk__in=[])]
        rail = Q(rail=RailName.MERCHANT_WALLET) if waits == SIGNATURE else Q()
        return [Q(status=one) & rail for one in statuses]

    def _fault(self, name: str) -> Q:
        self.faults.append(_FAULTS[name])
        return Q(pk__in=[])


_AMONG: Final[dict[str, tuple[R, ...]]] = {
    ADDRESS: (R.WAITING,),
    SIGNATURE: ADDRESSED,
    NOTHING: tuple(one for one in R if one != R.WAITING),
}
STATUS_CHOICES: Final = [(status.value, words) for status, (words, _) in STATUS.items()]


def _midnight(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time.min, UTC)
    except ValueError:
        return None


def _since(text: str) -> Q | None:
    begins = _midnight(text)
    return None if begins is None else Q(created_at__gte=begins)


def _until(text: str) -> Q | None:
    """The day itself included."""
    begins = _midnight(text)
    try:
        return None if begins is None else Q(created_at__lt=begins + _DAY)
    except OverflowError:
        return None
