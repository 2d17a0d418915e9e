"""What has to arrive at the merchant for this try, in base units of the settlement token."""

from dataclasses import replace

from core.modes import Mode
from core.money import BaseUnits
from payments.models import PaymentIntent
from payments.routing.assets import settlement_asset
from payments.routing.base import Asset, PaymentGoal
from payments.services.balance import balance
from payments.services.rate import whole_target


def destination_of(intent: PaymentIntent) -> Asset | None:
    """The settlement asset as the intent fixed it, at today's price; None if it may no longer be settled."""
    asset = settlement_asset(Mode(intent.mode), intent.settlement_chain, intent.settlement_token)
    if asset is None:
        return None
    return replace(asset, address=intent.settlement_token_address, decimals=intent.settlement_decimals)


def goal_of(intent: PaymentIntent, destination: Asset, payer_address: str, scenario: str) -> PaymentGoal:
    """The goal of one try: what is still missing. Raises: ValueError if there is no price."""
    whole, before = whole_target(intent, destination), intent.target_base_units
    kept = balance(intent).counted_net * whole // before if before else 0
    return PaymentGoal(
        mode=Mode(intent.mode),
        payer_address=payer_address,
        destination=destination,
        recipient=intent.settlement_address,
        target_base_units=BaseUnits(max(whole - kept, 0)),
        scenario=scenario,
    )
