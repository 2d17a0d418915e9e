"""The rate that turns settlement units into dollars: frozen by a quote, kept for a while, and then asked anew.

What leaves its payer later than it was promised for counts at the price of its block. Source: docs/adr/0060.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction

from chains.clients.base import ObservedTransfer
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, UsdAmount
from payments.amounts import is_dust, value_at_frozen_rate
from payments.models import Credit, Leg, PaymentIntent
from payments.routing.assets import ceiling, price_of_block, target_base_units
from payments.routing.base import Asset
from payments.services.booking import booking
from payments.states import FLYING_LEG

RATE_LOCK = timedelta(minutes=30)
"""How long new quotes keep the rate of the first. Source: specification, Limits (quote validity window)."""
LATE_BY = timedelta(seconds=120)
"""How much later a payment's block may be. Source: docs/adr/0060."""
_PRICE_PLACES, _UP = Decimal(1).scaleb(-18), Context(prec=80, rounding=ROUND_UP)


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What a transfer counts for. ``counted``: settlement units at the intent's rate, None where those are its own."""

    value_usd: UsdAmount
    counted: BaseUnits | None = None
    price_usd: Decimal | None = None

    @property
    def facts(self) -> dict[str, object]:
        """The same as columns of a credit."""
        return {"value_usd": self.value_usd, "counted_base_units": self.counted, "price_usd": self.price_usd}


def counted_of(base_units: BaseUnits, counted: BaseUnits | None) -> BaseUnits:
    """The settlement units that a credit counts for, by its two columns."""
    return base_units if counted is None else counted


def counted_in_all(came: Iterable[tuple[BaseUnits, BaseUnits | None]]) -> BaseUnits:
    """The same of many."""
    return BaseUnits(sum(counted_of(*columns) for columns in came))


def is_rate_kept(intent: PaymentIntent) -> bool:
    """Whether a new quote asks at the frozen rate: its time is not over, or something is under way or came.

    Why dust keeps nothing: anybody could buy a rate for a month with it.
    """
    if intent.target_base_units is None:
        return False
    if intent.rate_until is not None and now() <= intent.rate_until:
        return True
    came = intent.credits.filter(purpose="settlement", reversed_at=None)
    units = counted_in_all(came.values_list("base_units", "counted_base_units"))
    is_paid = not is_dust(intent, value_at_frozen_rate(intent, units))
    return is_paid or intent.settled_less_usd is not None or intent.legs.filter(status__in=FLYING_LEG).exists()


def whole_target(intent: PaymentIntent, destination: Asset) -> BaseUnits:
    """Base units of the whole amount: at the frozen rate while that is kept, otherwise by today's price, rounded up.

    Raises: ValueError if there is no price. Source: docs/adr/0060.
    """
    if intent.target_base_units is not None and is_rate_kept(intent):
        return BaseUnits(intent.target_base_units)
    return target_base_units(destination, intent.amount)


def at_rate_of(leg: Leg, units: BaseUnits) -> BaseUnits:
    """So many of the intent's settlement units as units at the rate that a leg was quoted at."""
    if not leg.rate_base_units or not leg.intent.target_base_units:
        return units
    return ceiling(Fraction(units * leg.rate_base_units, leg.intent.target_base_units))


def freeze(intent: PaymentIntent, destination: Asset) -> None:
    """Write down the rate that a quote was made at. What was handed out at another one keeps that.

    Raises: ValueError if there is no price. Locks: the caller holds the intent's lock.
    """
    if is_rate_kept(intent):
        return
    before, until = intent.target_base_units, intent.rate_until
    intent.target_base_units, intent.rate_until = target_base_units(destination, intent.amount), now() + RATE_LOCK
    intent.save(update_fields=["target_base_units", "rate_until"])
    if before is None or before == intent.target_base_units:
        return
    intent.legs.filter(rate_base_units=None).update(rate_base_units=before, rate_until=until)
    came = intent.credits.filter(purpose="settlement", reversed_at=None)
    dust = list(came.select_for_update(of=("self",)).order_by("pk"))
    legs = {leg.pk: leg for leg in intent.legs.select_related("attempt").filter(credits__in=dust)}
    with booking(*dust):
        for credit in dust:
            leg = None if credit.leg_id is None else legs[credit.leg_id]
            for name, value in worth_of(intent, leg, credit, credit.price_usd).facts.items():
                setattr(credit, name, value)
    Credit.objects.bulk_update(dust, ["value_usd", "counted_base_units", "price_usd"], batch_size=500)


def worth_of(
    intent: PaymentIntent, leg: Leg | None, transfer: ObservedTransfer | Credit, price_usd: Decimal | None = None
) -> Worth:
    """What a transfer of the settlement token counts for. ``price_usd``: that at which it was counted before.

    Why rounded up at another rate of ours: who paid what was asked paid all of it, to the last unit. By a block's
    price it is cut down.
    """
    units, target, price = BaseUnits(transfer.base_units), intent.target_base_units, price_usd
    counted: BaseUnits | None = None
    if leg is not None and target and price is None:
        price = _late_price(intent, leg, leg.departed_at or transfer.block_time)
    if leg is not None and target and price is not None:
        paid_usd = Fraction(price) * units / 10**intent.settlement_decimals
        counted = BaseUnits(int(paid_usd * target / Fraction(intent.amount)))
    elif leg is not None and target and leg.rate_base_units:
        counted = ceiling(Fraction(units * target, leg.rate_base_units))
    return Worth(value_usd=value_at_frozen_rate(intent, counted_of(units, counted)), counted=counted, price_usd=price)


def _late_price(intent: PaymentIntent, leg: Leg, left_at: datetime) -> Decimal | None:
    """The price at which a payment counts that is in a block later than its rate was promised for; None where not."""
    own = leg.rate_until if leg.rate_base_units else intent.rate_until
    signing = None if leg.attempt is None else leg.attempt.signature_due_at
    promised = [one for one in (own, signing) if one is not None]
    if not promised or left_at <= max(promised) + LATE_BY:
        return None
    # Dollars for one whole token at the frozen rate. Why rounded up: at that price the target is worth the amount.
    target = Decimal(leg.rate_base_units or intent.target_base_units or 1)
    exact = _UP.divide(Decimal(intent.amount).scaleb(intent.settlement_decimals, _UP), target)
    frozen = exact.quantize(_PRICE_PLACES, context=_UP)
    return price_of_block(
        Mode(intent.mode), (intent.settlement_chain, intent.settlement_token_address), left_at, frozen
    )
