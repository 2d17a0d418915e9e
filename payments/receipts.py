"""What a receipt tells of money that went back, told by the apps above. A registry, since nobody imports upwards."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from payments.models import PaymentIntent


class Returned(NamedTuple):
    """One refund as its payer may see it: nothing of the merchant's reasons, of the destination its end alone.

    ``title`` and ``next`` are English sentences of a fixed list, to be translated where they are drawn. ``claim_url``
    is a path, given while the payer can say where the money goes.
    """

    id: str
    status: str
    tone: str
    title: str
    next: str
    amount_usd: Decimal
    quantity: Decimal
    token: str
    chain: str
    destination_tail: str
    asked_at: datetime
    paid_at: datetime | None
    tx_hash: str
    explorer_url: str
    claim_url: str


Returns = Callable[[PaymentIntent], Sequence[Returned]]
"""What went back, or shall go back, of an intent's money; the oldest first. At most one query."""

_RETURNS: list[Returns] = []


def register_returns(returns: Returns) -> None:
    """Have every receipt tell of it. Called when an app starts."""
    _RETURNS.append(returns)


def returned_from(intent: PaymentIntent) -> list[Returned]:
    """Every refund of an intent."""
    return [line for returns in _RETURNS for line in returns(intent)]
