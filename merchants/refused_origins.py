"""Remembers which pages were refused because their origin is not listed, so that the dashboard can show them.

Whoever has a publishable key can send any origin: only origins that could be listed are remembered, a few in memory and
the last few of each merchant and mode in the table.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F

from core.clock import now
from core.modes import Mode
from core.written_later import WrittenLater
from merchants.models import RefusedOrigin
from merchants.origins import OriginRefusedError, origin_text

KEPT = 50
"""Origins of one merchant and mode. Why so few: strangers must not fill the table. Source: docs/adr/0028."""
MOST_NOTED = 200
"""Different origins in memory until they are written down; more are not noted."""
Place = tuple[int, str, str]


@dataclass
class Seen:
    """How often an origin was refused since it was last written down."""

    times: int
    first_at: datetime
    last_at: datetime


class RefusedOrigins(WrittenLater[dict[Place, Seen]]):
    """The refused origins of one process."""

    every = timedelta(seconds=5)
    what = "refused origins"

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Place, Seen] = {}

    def note(self, merchant_id: int, mode: Mode, origin: str) -> None:
        """Remember that a page was refused, unless its origin could not be listed anyway."""
        if not _could_be_listed(origin, mode):
            return
        moment, place = now(), (merchant_id, str(mode), origin)
        with self._lock:
            self._begin_if_new()
            known = self._seen.get(place)
            if known is not None:
                known.times, known.last_at = known.times + 1, moment
            elif len(self._seen) < MOST_NOTED:
                self._seen[place] = Seen(1, moment, moment)

    def _take(self) -> dict[Place, Seen]:
        batch, self._seen = self._seen, {}
        return batch

    def _put_back(self, batch: dict[Place, Seen]) -> None:
        """Nothing: a page that is refused is refused again."""

    def _store(self, batch: dict[Place, Seen]) -> None:
        rows = [
            RefusedOrigin(merchant_id=merchant_id, mode=mode, origin=origin, first_at=seen.first_at)
            for (merchant_id, mode, origin), seen in batch.items()
        ]
        RefusedOrigin.objects.bulk_create(rows, ignore_conflicts=True)
        for (merchant_id, mode, origin), seen in batch.items():
            mine = RefusedOrigin.objects.filter(merchant_id=merchant_id, mode=mode, origin=origin)
            mine.update(times=F("times") + seen.times, last_at=seen.last_at)
        for merchant_id, mode in {place[:2] for place in batch}:
            forget_all_but_last(merchant_id, mode)


def forget_all_but_last(merchant_id: int, mode: str) -> None:
    """Keep the last few refused origins of a merchant and mode."""
    mine = RefusedOrigin.objects.filter(merchant_id=merchant_id, mode=mode)
    last = mine.order_by("-last_at", "-pk").values_list("pk", flat=True)[:KEPT]
    mine.exclude(pk__in=list(last)).delete()


def _could_be_listed(origin: str, mode: Mode) -> bool:
    try:
        return origin_text(origin, mode) == origin
    except OriginRefusedError:
        return False


refused = RefusedOrigins()
