"""What has to arrive at the merchant for this try, in base units of the settlement token."""

from dataclasses import replace

from core.modes import Mode
from core.money import BaseUnits
from payments.amounts import due_base_units
from payments.models import PaymentIntent
from payments.routing.assets import settlement_asset, target_base_units
from payments.routing.base import Asset, PaymentGoal
from payments.services.balance import balance, counted_units


def destination_of(intent: PaymentIntent) -> Asset | None:
    """The settlement asset as the intent fixed it, at today's price; None if it may no longer be settled."""
    asset = settlement_asset(Mode(intent.mode), intent.settlement_chain, intent.settlement_token)
    if asset is None:
        return None
    return replace(asset, address=intent.settlement_token_address, decimals=intent.settlement_decimals)


def whole_target(intent: PaymentIntent, destination: Asset) -> BaseUnits:
    """Base units of the whole amount: frozen at the first firm quote, until then by today's price, rounded up.

    Raises: ValueError if there is no price. Source: rulings, Target and rate freeze.
    """
    return intent.target_base_units or target_base_units(destination, intent.amount)


def goal_of(intent: PaymentIntent, destination: Asset, payer_address: str, scenario: str) -> PaymentGoal:
    """The goal of one try: what is still missing. Raises: ValueError if there is no price."""
    whole = whole_target(intent, destination)
    missing = due_base_units(intent, counted_units(intent, balance(intent))) if intent.target_base_units else whole
    return PaymentGoal(
        mode=Mode(intent.mode),
        payer_address=payer_address,
        destination=destination,
        recipient=intent.settlement_address,
        target_base_units=missing,
        scenario=scenario,
    )
