"""The first block of each chain as this database met it first: whoever shows another one is on another network."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction

from chains.models import NetworkProfile

_held: ContextVar[dict[str, str] | None] = ContextVar("pins_held", default=None)


@contextmanager
def pins_held() -> Iterator[None]:
    """Read the pins once, for threads that ask chains in this context, and write what is new afterwards.

    Why: a thread that asked the database would keep a connection of its own to it for ever.
    """
    pins = NetworkProfile.objects.values_list("pins", flat=True).first()
    held = dict(pins or {})
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
    for chain, block_hash in dict(held).items():
        if pins is not None and chain not in pins:
            _pin(chain, block_hash)


def accepts_first_block(chain: str, block_hash: str) -> bool:
    """Whether a chain begins as it always did here; the first answer is remembered.

    Why: a chain id is only a number, and a copy of a chain with play money can carry it.
    Source: docs/design/chains.md, One profile for each database.
    """
    held = _held.get()
    if held is not None:
        return held.setdefault(chain, block_hash) == block_hash
    pins = NetworkProfile.objects.values_list("pins", flat=True).first()
    if pins is None:
        return True  # a database that no process has started on yet
    return bool((pins.get(chain) or _pin(chain, block_hash)) == block_hash)


@transaction.atomic
def _pin(chain: str, block_hash: str) -> str:
    """The block that is pinned afterwards: this one, unless another worker was faster."""
    profile = NetworkProfile.objects.select_for_update().get()
    pinned = str(profile.pins.setdefault(chain, block_hash))
    profile.save(update_fields=["pins"])
    return pinned
