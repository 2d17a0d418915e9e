"""A stray goes back otherwise than it came."""

from typing import Any

from chains.models import SimulatedTransaction
from core.clock import now
from refunds.models import Refund
from tests.factories.money_out import paid_refund
from tests.invariants_plants.ground import (
    STRANGER,
    WALLET,
    Ground,
    change,
    copy_of,
    dollars,
    fresh_hash,
    only_credit,
    prove,
    transfer_of,
)

WETH = "0x4200000000000000000000000000000000000006"
UNITS = 3 * 10**15
PAYER = "0x00000000000000000000000000000000000Fa4e0"


def given_back(ground: Ground, **changes: Any) -> Refund:
    """A stray of the live payment, and its refund by the merchant's wallet; as it must be but for the changes."""
    apart = {"purpose": "stray", "mark": "stray", "token_address": WETH, "payer": PAYER, "promised_at": now()}
    stray = copy_of(only_credit(ground.live), tx_hash=fresh_hash(), base_units=UNITS, value_usd=0, **apart)
    what = {"chain": stray.chain, "token": "WETH", "token_address": WETH, "token_decimals": 18, "base_units": UNITS}
    whose = {"stray": stray, "amount_usd": dollars("0"), "destination": PAYER, "rail": "merchant_wallet"}
    refund = paid_refund(ground.live, **what | whose | changes)
    SimulatedTransaction.objects.filter(tag=f"refund:{refund.pk}").delete()
    sent = transfer_of(refund)
    sent.get().attempts.all().delete()
    sent.update(rail="merchant_wallet", network="localnet", sender=WALLET)
    prove(sent.get())
    return refund


def a_stray_sent_back_twice_over(ground: Ground) -> list[str]:
    refund = given_back(ground, base_units=2 * UNITS)
    return [
        f"I18 refund {refund.pk} gave back {_told(ground, 2 * UNITS)} for {_told(ground, UNITS)}",
        f"I18 stray {refund.stray_id} of {UNITS} base units went back with {2 * UNITS}",
    ]


def a_stray_sent_to_a_stranger(ground: Ground) -> list[str]:
    refund = given_back(ground, destination=STRANGER)
    return [f"I18 refund {refund.pk} gave back {_told(ground, UNITS, STRANGER)} for {_told(ground, UNITS)}"]


def what_is_nobodys_sent_back_as_a_stray(ground: Ground) -> list[str]:
    refund = given_back(ground)
    change(ground.live.credits.filter(given_back=refund), purpose="unattributed")
    return [f"I18 refund {refund.pk} gives back credit {refund.stray_id}, which is no stray of its payment"]


def a_stray_that_another_may_take(ground: Ground) -> list[str]:
    refund = given_back(ground)
    change(ground.live.credits.filter(given_back=refund), promised_at=None)
    return [f"I18 stray {refund.stray_id} goes back, and another title may take it over"]


def _told(ground: Ground, units: int, wallet: str = PAYER) -> tuple[str, ...]:
    return ground.live.settlement_chain, WETH, str(units), wallet.lower()
