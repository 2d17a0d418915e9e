"""Wrong figures: sums, fee, surplus, times."""

from datetime import timedelta
from uuid import uuid4

from chains.models import SimulatedTransaction
from payments.models import Leg
from payments.services.transition import apply_trigger, locked_intent
from tests.invariants_plants.ground import Ground, change, copy_of, dollars, fresh_hash, only_credit, transfer_of


def a_wrong_sum(ground: Ground) -> list[str]:
    change(ground.settled, received_usd=dollars("25.1"), net_settlement_usd=dollars("25.1"))
    return [f"I3 intent {ground.settled.pk} says it received {dollars('25.1')}, its credits 25000000 micros"]


def a_fee_that_nobody_took(ground: Ground) -> list[str]:
    change(ground.settled, platform_fee_usd=dollars("5"), net_settlement_usd=dollars("20"))
    return [
        f"I14/I15 intent {ground.settled.pk} is settled with figures that do not add up",
        f"I15 intent {ground.settled.pk} names a platform fee of {dollars('5')}, its legs took {dollars('0')}",
    ]


def a_surplus_of_nothing(ground: Ground) -> list[str]:
    change(ground.settled, overpaid_usd=dollars("9"))
    return [
        f"I5 intent {ground.settled.pk} was overpaid by {dollars('9')} USD, and nobody was told",
        f"I15 intent {ground.settled.pk} says {dollars('9')} USD came beyond its amount, it is 0",
    ]


def a_surplus_that_nobody_says(ground: Ground) -> list[str]:
    _settle_with(ground, 50_000_000, "50")
    return [f"I15 intent {ground.settled.pk} says {dollars('0')} USD came beyond its amount, it is {dollars('25')}"]


def a_surplus_that_nobody_was_told(ground: Ground) -> list[str]:
    _settle_with(ground, 50_000_000, "50")
    change(ground.settled, overpaid_usd=dollars("25"))
    return [f"I5 intent {ground.settled.pk} was overpaid by {dollars('25')} USD, and nobody was told"]


def settled_with_a_bridges_tolerance_by_a_plain_transfer(ground: Ground) -> list[str]:
    """A bridge was tried, and what came did not cross it."""
    _settle_with(ground, 24_990_000, "24.99")
    leg = Leg.objects.get(intent=ground.settled)
    leg.pk, leg.sequence, leg.kind, leg.status = uuid4(), 2, "bridge", "failed"
    leg.save(force_insert=True)
    return [f"I14 intent {ground.settled.pk} is settled with 24990000 of 25000000"]


def _settle_with(ground: Ground, units: int, sum_usd: str) -> None:
    credit = only_credit(ground.settled)
    change(credit, base_units=units)
    change(SimulatedTransaction.objects.filter(tx_hash=credit.tx_hash), base_units=units)
    change(ground.settled, received_usd=dollars(sum_usd), net_settlement_usd=dollars(sum_usd))


def a_credit_that_counts_for_more_than_it_is(ground: Ground) -> list[str]:
    credit = only_credit(ground.settled)
    change(credit, counted_base_units=50_000_000)
    return [f"I3 credit {credit.pk} counts for 50000000 base units, and is worth 25000000"]


def a_refunded_sum_without_refunds(ground: Ground) -> list[str]:
    change(ground.settled, refunded_usd=dollars("9"))
    return [f"I1 intent {ground.settled.pk} says {dollars('9')} USD were refunded, its paid refunds 0"]


def less_goes_back_than_the_refunds_say(ground: Ground) -> list[str]:
    change(ground.live, returned_usd=dollars("9"))
    return [f"I1 intent {ground.live.pk} says {dollars('9')} USD go back, its refunds {dollars('10')}"]


def refunded_with_all_of_it_left(ground: Ground) -> list[str]:
    apply_trigger(locked_intent(ground.settled.pk), "refund", actor="worker")
    return [f"I1 intent {ground.settled.pk} is refunded with 0 of {dollars('25')} USD paid back"]


def a_credit_below_zero(ground: Ground) -> list[str]:
    credit = copy_of(only_credit(ground.live), tx_hash=fresh_hash(), base_units=-1, purpose="stray")
    return [f"I15 credit {credit.pk} counts -1 base units"]


def a_refund_of_no_units(ground: Ground) -> list[str]:
    refund, sent = ground.live_refund, transfer_of(ground.live_refund)
    change(refund, base_units=0)
    change(sent, base_units=0)
    change(sent.get().proof, base_units=0)
    return [
        f"I15 refund {refund.pk} sends 0 base units",
        f"I15 transfer {sent.get().pk} sends 0 base units",
        f"I18 refund {refund.pk} of {dollars('10')} USD sends 0 base units, where {dollars('25')} USD are 25000000",
    ]


def a_sum_below_zero(ground: Ground) -> list[str]:
    change(ground.settled, refunded_usd=dollars("-1"))
    return [
        f"I1 intent {ground.settled.pk} says {dollars('-1')} USD were refunded, its paid refunds 0",
        f"I15 intent {ground.settled.pk} has a sum below zero",
    ]


def paid_before_it_was_made(ground: Ground) -> list[str]:
    moment = ground.refund.created_at - timedelta(hours=1)
    change(ground.refund, paid_at=moment)
    return [f"I14 refund {ground.refund.pk} was paid at {moment:%Y-%m-%d %H:%M:%S}, before it was made"]
