"""The door to transfers that a merchant's own wallet signs: what its page may ask, tell and show.

The rail itself is in ``chains.rails.merchant_wallet``.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from chains.models import Transfer
from chains.rails.merchant_wallet.commands import (
    needs_statement,
    offer_transfer,
    report_hint,
    state_unsigned,
    take_authorization,
    take_signed,
)
from chains.rails.merchant_wallet.facts import Refusal, Refused, authorization_of, refused_of, unsigned_of, wanted_by
from chains.states import ENDED_UNPAID, TransferStatus

__all__ = [
    "Stage",
    "WalletObservation",
    "offer_transfer",
    "report_hint",
    "state_unsigned",
    "take_authorization",
    "take_signed",
    "wallet_observation",
]


class Stage(StrEnum):
    """What is next, and whose turn it is."""

    CONNECT = "connect"
    PREPARING = "preparing"
    AUTHORIZE = "authorize"
    SIGN = "sign"
    LOOKING = "looking"
    CONFIRMING = "confirming"
    PAID = "paid"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class WalletObservation:
    """How a transfer stands with its wallet. ``unsigned`` is what it is asked now; ``can_state`` says that only the
    merchant's word can take back what was shown; ``ends_at`` (Unix seconds) when that happens by itself, or 0.
    """

    stage: Stage
    sender: str
    unsigned: dict[str, Any]
    refused: Refused | None
    tx_hash: str
    can_state: bool
    ends_at: int


def wallet_observation(transfer: Transfer) -> WalletObservation:
    """What its page shows of a transfer."""
    stage = _stage(transfer)
    return WalletObservation(
        stage=stage,
        sender=transfer.sender or wanted_by(transfer),
        unsigned=unsigned_of(transfer) if stage in (Stage.AUTHORIZE, Stage.SIGN) else {},
        refused=refused_of(transfer),
        tx_hash=transfer.tx_hash or transfer.hint,
        can_state=needs_statement(transfer),
        ends_at=int(authorization_of(transfer).get("valid_before", 0)),
    )


_BY_STATUS = {
    TransferStatus.PAID: Stage.PAID,
    TransferStatus.MINED: Stage.CONFIRMING,
    TransferStatus.BROADCAST: Stage.LOOKING,
    **dict.fromkeys(ENDED_UNPAID, Stage.OVER),
}


def _stage(transfer: Transfer) -> Stage:
    if transfer.status == TransferStatus.BROADCAST and not transfer.hint and refused_of(transfer) is not None:
        return Stage.SIGN  # what was seen is gone, and may be sent again
    known = _BY_STATUS.get(TransferStatus(transfer.status))
    if known is not None:
        return known
    if transfer.status == TransferStatus.NEW:
        return Stage.PREPARING if wanted_by(transfer) else Stage.CONNECT
    return Stage.LOOKING if transfer.hint else _whose_turn(transfer)


def _whose_turn(transfer: Transfer) -> Stage:
    """Of a transfer that was shown, and of which nothing was told."""
    if "typed_data" not in unsigned_of(transfer):
        return Stage.SIGN
    refused = refused_of(transfer)
    may_sign_again = refused is not None and refused.code is Refusal.SIGNATURE_NOT_TAKEN
    is_signed = authorization_of(transfer).get("signature") and not may_sign_again
    return Stage.PREPARING if is_signed else Stage.AUTHORIZE
