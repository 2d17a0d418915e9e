"""What a wallet may claim: what it provably paid itself, for good, and once."""

from typing import Any

import pytest

from core.clock import now
from merchants.models import Merchant
from payments.models import Credit, Leg
from refunds.models import Refund
from tests.factories.refunds import paid_intent
from tests.refunds.claiming import OTHER, PAYER, claim, more, paid_by, refused, signed, text_for, waiting_refund

pytestmark = pytest.mark.usefixtures("db")


@pytest.mark.spec("Rulings D4.3")
def test_two_payers_each_get_their_own_part(merchant: Merchant) -> None:
    intent = paid_intent(merchant, units=10_000_000, target_base_units=25_000_000)
    paid_by(intent, PAYER.address)
    more(intent, 15_000_000, OTHER.address)
    type(intent).objects.filter(pk=intent.pk).update(received_usd=25)
    ten, fifteen = (waiting_refund(merchant, amount, intent=intent) for amount in ("10", "15"))
    told = text_for(fifteen)
    assert refused(fifteen, told["nonce"], signed(told["message"])) == (403, "refund_claim_exceeds_payment")
    told = text_for(fifteen, wallet=OTHER.address)
    assert claim(fifteen, told["nonce"], signed(told["message"], OTHER)).status == 200
    told = text_for(ten)
    assert claim(ten, told["nonce"], signed(told["message"])).status == 200


def test_nobody_gets_twice_what_it_paid(merchant: Merchant) -> None:
    intent = paid_intent(merchant, units=10_000_000, target_base_units=25_000_000)
    paid_by(intent, PAYER.address)
    more(intent, 15_000_000, OTHER.address)
    type(intent).objects.filter(pk=intent.pk).update(received_usd=25)
    first, second = (waiting_refund(merchant, "10", intent=intent) for _ in range(2))
    told = text_for(first)
    assert claim(first, told["nonce"], signed(told["message"])).status == 200
    told = text_for(second)
    assert refused(second, told["nonce"], signed(told["message"])) == (403, "refund_claim_exceeds_payment")


def test_what_the_merchant_sent_to_the_wallet_counts_too(merchant: Merchant) -> None:
    intent = paid_intent(merchant, units=10_000_000, target_base_units=25_000_000)
    paid_by(intent, PAYER.address)
    more(intent, 15_000_000, OTHER.address)
    type(intent).objects.filter(pk=intent.pk).update(received_usd=25)
    first, second = (waiting_refund(merchant, "10", intent=intent) for _ in range(2))
    Refund.objects.filter(pk=first.pk).update(status="queued", destination=PAYER.address.lower())
    told = text_for(second)
    assert refused(second, told["nonce"], signed(told["message"])) == (403, "refund_claim_exceeds_payment")
    Refund.objects.filter(pk=first.pk).update(status="cancelled")
    assert claim(second, told["nonce"], signed(told["message"])).status == 200


@pytest.mark.spec("Rulings D4.3")
def test_who_did_not_pay_gets_nothing(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    told = text_for(refund, wallet=OTHER.address)
    assert refused(refund, told["nonce"], signed(told["message"], OTHER)) == (403, "refund_claim_not_payer")


def test_who_paid_another_intent_gets_nothing(merchant: Merchant) -> None:
    refund = waiting_refund(merchant)
    paid_by(paid_intent(merchant), OTHER.address)
    told = text_for(refund, wallet=OTHER.address)
    assert refused(refund, told["nonce"], signed(told["message"], OTHER)) == (403, "refund_claim_not_payer")


PAID_OTHERWISE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "only_named_at_the_checkout": ({}, {"payer": OTHER.address}, "refund_claim_not_payer"),
    "only_carried_into_the_block": ({}, {"payer": "", "sender": PAYER.address}, "refund_claim_not_payer"),
    "reversed": ({}, {"reversed_at": now()}, "refund_claim_not_payer"),
    "vanished": ({}, {"vanished_at": now()}, "refund_claim_not_payer"),
    "stray": ({}, {"purpose": "stray"}, "refund_claim_not_payer"),
    "too_little": ({}, {"base_units": 24_999_999}, "refund_claim_exceeds_payment"),
    "not_final": ({}, {"finalized_at": None}, "refund_claim_not_final"),
}


@pytest.mark.parametrize("name", sorted(PAID_OTHERWISE))
def test_only_what_the_wallet_provably_paid_for_good_counts(merchant: Merchant, name: str) -> None:
    leg, credit, code = PAID_OTHERWISE[name]
    refund = waiting_refund(merchant)
    Leg.objects.filter(intent=refund.intent).update(**leg)
    Credit.objects.filter(intent=refund.intent).update(**credit)
    told = text_for(refund)
    assert refused(refund, told["nonce"], signed(told["message"]))[1] == code
