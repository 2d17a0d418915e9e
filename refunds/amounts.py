"""How much of what arrived a refund sends back: in dollars it is asked for, in base units it is sent. Pure."""

from dataclasses import dataclass
from decimal import Decimal

from core.money import BaseUnits, UsdAmount, usd_to_micros


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What an intent received, and what refunds that are neither failed nor cancelled hold of it."""

    received_usd: UsdAmount
    received_units: BaseUnits
    held_usd: UsdAmount
    held_units: BaseUnits

    @property
    def refundable_usd(self) -> UsdAmount:
        """What can still be asked for. Why never below zero: a reorganisation can take what was promised."""
        return UsdAmount(max(self.received_usd - self.held_usd, Decimal(0)))

    @property
    def covers_what_is_held(self) -> bool:
        """Whether every refund that is not over can be paid from what arrived."""
        return self.held_usd <= self.received_usd and self.held_units <= self.received_units

    def units_for(self, amount_usd: UsdAmount) -> BaseUnits:
        """Base units that a refund of so much sends: its share of what arrived, cut down; the last takes the rest.

        The amount is at most ``refundable_usd``. Source: rulings, Refund value.
        """
        left = max(self.received_units - self.held_units, 0)
        if amount_usd >= self.refundable_usd:
            return BaseUnits(left)
        share = usd_to_micros(amount_usd) * self.received_units // usd_to_micros(self.received_usd)
        return BaseUnits(min(share, left))
