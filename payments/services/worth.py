"""What money that leaves counts for against the limits of whoever asks for it: never less than it is worth today."""

from core.errors import TemporarilyUnavailable
from core.modes import Mode
from core.money import BaseUnits, UsdAmount
from payments.models import PaymentIntent
from tokens.selectors import worth_for_caps


def counted_usd(intent: PaymentIntent, base_units: BaseUnits, frozen_usd: UsdAmount) -> UsdAmount:
    """The dollars that limits count of so many units of an intent's settlement token; test mode's prices never move.

    Raises: TemporarilyUnavailable for a coin without a fresh price: what cannot be judged is not let through.
    """
    if intent.mode != Mode.LIVE:
        return frozen_usd
    worth = worth_for_caps(intent.settlement_chain, intent.settlement_token_address, base_units, frozen_usd)
    if worth is None:
        raise TemporarilyUnavailable
    return worth
