"""An event of each type as the service would write it, of a payout that nobody made. Source: payments/samples.py."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from chains.transfers import Blocker, Failure, RailName
from core.clock import now
from core.modes import Mode
from core.money import usd
from payments.samples import CHAIN, DECIMALS, PAYER, TOKEN, TX_HASH, UNITS, sample_intent
from payments.states import IntentStatus
from payouts.events import event_body
from payouts.models import Payout
from payouts.states import MERCHANT_PAUSED, P

_FACTS: Final[Mapping[str, tuple[P, Mapping[str, Any]]]] = {
    "payout.created": (P.QUEUED, {}),
    "payout.processing": (P.PROCESSING, {}),
    "payout.retry_scheduled": (
        P.RETRY_SCHEDULED,
        {"attempts": 1, "failure_reason": Blocker.CHAIN_UNAVAILABLE.value},
    ),
    "payout.paused": (P.PAUSED, {"failure_reason": MERCHANT_PAUSED}),
    "payout.paid": (P.PAID, {"attempts": 1, "tx_hash": TX_HASH}),
    "payout.failed": (P.FAILED, {"attempts": 1, "failure_reason": Failure.CHAIN_REJECTED.value}),
}
"""How far a payout is of which such an event tells, and what else is so then."""
_RETRY: Final = timedelta(minutes=1)


def sample_of(event: str, payout_id: UUID) -> Mapping[str, Any]:
    """The ``data`` of an event of this type."""
    status, facts = _FACTS[event]
    moment = now()
    payout = Payout(
        id=payout_id,
        mode=Mode.TEST,
        intent=sample_intent(uuid4(), status=IntentStatus.SETTLED),
        rail=RailName.SIMULATED.value,
        destination=PAYER,
        chain=CHAIN,
        token=TOKEN,
        token_decimals=DECIMALS,
        base_units=UNITS,
        amount_usd=usd("25"),
        status=status,
        created_at=moment,
        paid_at=moment if status == P.PAID else None,
        retry_at=moment + _RETRY if status == P.RETRY_SCHEDULED else None,
        **facts,
    )
    return event_body(payout)
