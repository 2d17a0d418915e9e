"""What a transfer counts for against an account's caps: its frozen dollars, or what it is worth today if that is more.

Why a registry: who knows prices lives above those who sign. Source: docs/signing.md.
"""

from collections.abc import Callable

from chains.blockers import Blocked, Blocker
from chains.models import Transfer
from core.money import BaseUnits, UsdAmount

Appraiser = Callable[[str, str, BaseUnits, UsdAmount], UsdAmount | None]
"""Asked with chain, token address, base units and the frozen dollars. None: it may be worth more, and nobody knows."""
_appraisers: list[Appraiser] = []


def register_appraiser(appraiser: Appraiser) -> None:
    """Have somebody asked what a token is worth today. Called when an app starts."""
    _appraisers.append(appraiser)


def counted_usd(transfer: Transfer) -> UsdAmount:
    """The dollars that caps count. Raises: Blocked where they cannot be known now."""
    counted = transfer.value_usd
    for appraise in _appraisers:
        worth = appraise(transfer.chain, transfer.token_address, BaseUnits(transfer.base_units), transfer.value_usd)
        if worth is None:
            raise Blocked(Blocker.PRICE_MISSING)
        counted = max(counted, worth)
    return counted
