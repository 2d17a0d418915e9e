"""Remembers when keys were last used, and from where."""

from datetime import datetime, timedelta

from django.core.signals import request_finished

from core.clock import now
from merchants.models import ApiKey
from merchants.written_later import WrittenLater

_ADDRESS_LENGTH = 64
Use = tuple[datetime, str]
"""When, and from which network address."""


class KeyUsage(WrittenLater[dict[int, Use]]):
    """The last use of each key since it was last written down."""

    every = timedelta(seconds=60)
    what = "last use of keys"

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[int, Use] = {}

    def note(self, key_id: int, address: str = "") -> None:
        """Remember that a key was just used, and from where."""
        use = now(), address
        with self._lock:
            self._seen[key_id] = use
            self._begin_if_new()

    def _take(self) -> dict[int, Use]:
        batch, self._seen = self._seen, {}
        return batch

    def _put_back(self, batch: dict[int, Use]) -> None:
        self._seen = batch | self._seen

    def _store(self, batch: dict[int, Use]) -> None:
        keys = [
            ApiKey(id=key_id, last_used_at=moment, last_used_address=address[:_ADDRESS_LENGTH])
            for key_id, (moment, address) in sorted(batch.items())
        ]
        if keys:
            ApiKey.objects.bulk_update(keys, ["last_used_at", "last_used_address"], batch_size=500)


usage = KeyUsage()
request_finished.connect(usage.flush_if_due, dispatch_uid="key-usage")


def note_use(key_id: int, address: str = "") -> None:
    """Remember that a key was just used, and from where."""
    usage.note(key_id, address)
