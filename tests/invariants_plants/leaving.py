"""More leaves than came in, too soon, or other units than the dollars say."""

from datetime import timedelta
from typing import Any

from core.clock import now
from payments.models import Credit, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from refunds.models import Refund, RefundTransition
from tests.factories.money_out import REFUND_STEPS, paid_payout, paid_refund, tell
from tests.factories.queue import queue
from tests.invariants_plants.ground import Ground, change, dollars, only_credit, shown_of, transfer_of

VOCABULARIES = ("record", "public")


def _given_back(intent: PaymentIntent, dollars: object, units: int, most: object, most_units: int) -> list[str]:
    return [
        sentence
        for words in VOCABULARIES
        for sentence in (
            f"I1 intent {intent.pk} gives back {dollars} USD of {most}, by the {words} statuses",
            f"I1 intent {intent.pk} gives back {units} of {most_units} base units, by the {words} statuses",
        )
    ]


def _sent(intent: PaymentIntent, units: int, came: int, more: str = "") -> str:
    what = f"{intent.settlement_token_address} on {intent.settlement_chain}"
    return f"I18 intent {intent.pk} sent {units} base units of {what}, and {came} came in{more}"


def _dollars(intent: PaymentIntent, micros: int, came: int = 25_000_000) -> str:
    return f"I18 intent {intent.pk} sends {micros} micro-dollars by refunds and payouts, and {came} came in"


def _unequal(name: str, row: Any, amount: str, units: int) -> str:
    rate = f"where {dollars('25')} USD are 25000000"
    return f"I18 {name} {row.pk} of {dollars(amount)} USD sends {units} base units, {rate}"


def a_refund_above_what_came(ground: Ground) -> list[str]:
    paid_refund(ground.returned)
    change(ground.returned, refunded_usd=dollars("50"))
    return _given_back(ground.returned, dollars("50"), 50_000_000, dollars("25"), 25_000_000)


def a_payout_of_what_was_reversed_since(ground: Ground) -> list[str]:
    intent = ground.kept
    change(only_credit(intent), reversed_at=now())
    none: dict[str, Any] = dict.fromkeys(("platform_fee_usd", "net_settlement_usd", "settled_at"))
    facts = {"received_usd": dollars("0"), **none}
    apply_trigger(locked_intent(intent.pk), "reverse", actor="worker", **facts)
    queue(now() + timedelta(days=1), pk=intent.pk)
    return [_sent(intent, 25_000_000, 0, "; what is missing was taken back after it had counted, and is owed")]


def all_sent_back_and_all_paid_out(ground: Ground) -> list[str]:
    intent = ground.kept
    paid_refund(intent)
    apply_trigger(locked_intent(intent.pk), "refund", actor="worker")
    change(intent, refunded_usd=dollars("25"))
    return [_sent(intent, 50_000_000, 25_000_000), _dollars(intent, 50_000_000)]


def a_part_sent_back_and_all_paid_out(ground: Ground) -> list[str]:
    intent = ground.kept
    paid_refund(intent, amount_usd=dollars("10"), base_units=10_000_000)
    change(intent, refunded_usd=dollars("10"))
    return [_sent(intent, 35_000_000, 25_000_000), _dollars(intent, 35_000_000)]


def a_part_held_for_a_refund_and_all_paid_out(ground: Ground) -> list[str]:
    intent = ground.kept
    paid = ground.live_refund
    refund = Refund.objects.create(
        merchant_id=intent.merchant_id, mode=intent.mode, intent=intent, amount_usd=dollars("10"), status="waiting",
        base_units=10_000_000, chain=intent.settlement_chain, token=paid.token, token_decimals=6,
        token_address=intent.settlement_token_address,
    )  # fmt: skip
    tell(refund, "refund", RefundTransition, REFUND_STEPS[:1])
    change(intent, returned_usd=dollars("10"))
    what = f"{intent.settlement_token_address} on {intent.settlement_chain}"
    return [
        f"I18 intent {intent.pk} holds 35000000 base units of {what} for what leaves, and 25000000 came in",
        _dollars(intent, 35_000_000),
    ]


def two_payouts_together_above_what_came(ground: Ground) -> list[str]:
    paid_payout(ground.kept)
    pk = ground.kept.pk
    return [
        f"I15 payouts of {dollars('50')} for intent {pk} are not the {dollars('25')} that arrived",
        _sent(ground.kept, 50_000_000, 25_000_000),
        _dollars(ground.kept, 50_000_000),
    ]


def a_payout_of_too_little(ground: Ground) -> list[str]:
    payout = ground.payout
    for rows in (payout, transfer_of(payout), shown_of(payout)):
        change(rows, base_units=24_000_000)
    change(payout, amount_usd=24)
    pk = ground.kept.pk
    return [f"I15 payouts of {dollars('24')} for intent {pk} are not the {dollars('25')} that arrived"]


def a_part_from_other_funds_that_is_too_small(ground: Ground) -> list[str]:
    """Of 10 dollars back after all was paid out, 9 come from other funds."""
    intent, nine = ground.kept, {"other_funds_usd": dollars("9"), "other_funds_units": 9_000_000}
    paid_refund(intent, amount_usd=dollars("10"), base_units=10_000_000, **nine)
    change(intent, refunded_usd=dollars("10"))
    return [_sent(intent, 26_000_000, 25_000_000), _dollars(intent, 26_000_000)]


def a_payout_of_twice_the_tokens(ground: Ground) -> list[str]:
    payout = ground.payout
    for rows in (payout, transfer_of(payout), shown_of(payout)):
        change(rows, base_units=50_000_000)
    return [_unequal("payout", payout, "25", 50_000_000), _sent(ground.kept, 50_000_000, 25_000_000)]


def a_refund_of_a_dollar_that_sends_all_the_tokens(ground: Ground) -> list[str]:
    refund = paid_refund(ground.settled, amount_usd=dollars("1"))
    change(ground.settled, refunded_usd=dollars("1"))
    return [_unequal("refund", refund, "1", 25_000_000)]


def a_refund_of_too_few_tokens(ground: Ground) -> list[str]:
    refund, sent = ground.live_refund, transfer_of(ground.live_refund)
    for rows in (refund, sent, sent.get().proof):
        change(rows, base_units=9_000_000)
    return [_unequal("refund", refund, "10", 9_000_000)]


def a_refund_in_another_token(ground: Ground) -> list[str]:
    refund, token = ground.live_refund, "0x000000000000000000000000000000000000dEaD"
    for rows in (refund, transfer_of(refund)):
        change(rows, token_address=token)
    return _given_back(ground.live, dollars("10"), 10_000_000, 0, 0)


def _before_it_was_final(intent: PaymentIntent, units: int) -> list[str]:
    change(Credit.objects.filter(intent=intent), finalized_at=None)
    what = f"{intent.settlement_token_address} on {intent.settlement_chain}"
    return [f"I18 intent {intent.pk} sent {units} base units of {what}, of which only 0 are final there"]


def a_payout_of_what_was_not_final(ground: Ground) -> list[str]:
    return _before_it_was_final(ground.kept, 25_000_000)


def a_refund_of_what_was_not_final(ground: Ground) -> list[str]:
    return _before_it_was_final(ground.live, 10_000_000)
