"""The first block of each chain as this database met it first: whoever shows another one is on another network."""

from django.db import transaction

from chains.models import NetworkProfile


def accepts_first_block(chain: str, block_hash: str) -> bool:
    """Whether a chain begins as it always did here; the first answer is remembered.

    Why: a chain id is only a number, and a copy of a chain with play money can carry it.
    Source: rulings, Data model 3.
    """
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
