"""Whether the address that a payout goes to is still the merchant's by its settings. Source: docs/adr/0046."""

from chains.registry import chain
from chains.transfers import RailName
from payments.models import SettlementProfile
from payouts.models import Payout

NOT_BY_SETTINGS = (RailName.DIRECT, RailName.SIMULATED)
"""Rails of payouts that go to the address of their intent, whatever the settings say."""


def present_destination(payout: Payout) -> str:
    """The merchant's address of the payout's chain family as it is now; empty where it has none."""
    known = chain(payout.chain)
    profiles = SettlementProfile.objects.filter(merchant_id=payout.merchant_id, mode=payout.mode)
    of_family = profiles.filter(family=known.family.value) if known is not None else profiles.none()
    return of_family.values_list("address", flat=True).first() or ""


def was_given_up(payout: Payout) -> bool:
    """Whether it would go to an address that is not the merchant's any more, and nobody let it go there."""
    if payout.rail in NOT_BY_SETTINGS or payout.destination_released_by:
        return False
    return present_destination(payout) != payout.destination
