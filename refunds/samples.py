"""An event of each type as the service would write it, of a refund that nobody made. Source: payments/samples.py."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from chains.transfers import Failure
from core.clock import now
from core.modes import Mode
from core.money import usd
from payments.samples import CHAIN, DECIMALS, PAYER, TOKEN, TX_HASH, UNITS
from refunds.events import event_body
from refunds.models import Refund
from refunds.states import MISSING_DESTINATION, R

_SENT: Final = {"destination": PAYER, "attempts": 1}
_FACTS: Final[Mapping[str, tuple[R, Mapping[str, Any]]]] = {
    "refund.created": (R.WAITING, {"destination": PAYER}),
    "refund.missing_destination": (R.WAITING, {"failure_reason": MISSING_DESTINATION}),
    "refund.processing": (R.PROCESSING, _SENT),
    "refund.paid": (R.PAID, {**_SENT, "tx_hash": TX_HASH}),
    "refund.failed": (R.FAILED, {**_SENT, "failure_reason": Failure.CHAIN_REJECTED.value}),
    "refund.cancelled": (R.CANCELLED, {"destination": PAYER}),
}
"""How far a refund is of which such an event tells, and what else is so then."""


def sample_of(event: str, refund_id: UUID) -> Mapping[str, Any]:
    """The ``data`` of an event of this type."""
    status, facts = _FACTS[event]
    moment = now()
    refund = Refund(
        id=refund_id,
        mode=Mode.TEST,
        intent_id=uuid4(),
        amount_usd=usd("25"),
        base_units=UNITS,
        chain=CHAIN,
        token=TOKEN,
        token_decimals=DECIMALS,
        reason="sample",
        status=status,
        created_at=moment,
        updated_at=moment,
        paid_at=moment if status == R.PAID else None,
        **facts,
    )
    return event_body(refund)
