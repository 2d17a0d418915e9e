"""Two payers' words about one refund at the same moment, and one payer's about two: the first counts."""

from functools import partial
from uuid import UUID

import pytest
from django.db.models import QuerySet

from merchants.models import Merchant
from payments.models import PaymentIntent
from refunds.models import Refund, RefundClaim
from tests.conftest import Reply
from tests.factories.payments import BOBS_EVM
from tests.races.lineup import in_turn, queued
from tests.races.shop import Shop
from tests.refunds.claiming import OTHER, PAYER, claim, paid_in_parts, signed, text_for, waiting_refund
from tests.refunds.stories import PAYEE
from tests.refunds.stories import told as events_of

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def waiting(shop: Shop, amount: str = "25") -> Refund:
    return waiting_refund(Merchant.objects.get(pk=shop.principal.merchant_id), amount, mode="test")


def intents(refund: Refund) -> QuerySet[PaymentIntent]:
    return PaymentIntent.objects.filter(pk=refund.intent_id)


def test_of_two_claims_the_first_counts(shop: Shop, rounds: range) -> None:
    for number in rounds:
        refund = waiting(shop)
        wanted = [PAYEE, BOBS_EVM]
        texts = [text_for(refund, destination=destination) for destination in wanted]
        acts = [partial(claim, refund, told["nonce"], signed(told["message"])) for told in texts]
        first, second = queued(intents(refund), in_turn(number, *acts))
        assert (first.result.status, second.result.status) == (200, 409)
        assert second.result.body["code"] == "refund_destination_not_needed"
        refund.refresh_from_db()
        assert refund.destination == wanted[number % 2]
        assert RefundClaim.objects.filter(refund=refund, used_at__isnull=False).count() == 1
        assert events_of({"id": refund.pk}) == ["created", "missing_destination"]


def test_the_same_claim_twice_counts_once(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        refund = waiting(shop)
        told = text_for(refund)
        acts = [partial(claim, refund, told["nonce"], signed(told["message"]))] * 2
        first, second = queued(intents(refund), acts)
        assert (first.result.status, second.result.status) == (200, 409)
        assert second.result.body["code"] == "refund_claim_used"


def test_a_claim_against_the_merchants_word(shop: Shop, rounds: range) -> None:
    """Whoever has the refund's lock first; the other is told that nothing is needed any more."""
    for number in rounds:
        refund = waiting(shop)
        told = text_for(refund, destination=BOBS_EVM)

        def say(refund_id: UUID = refund.pk) -> Reply:
            return shop.api.post(f"/refunds/{refund_id}/destination", {"destination": PAYEE})

        acts = in_turn(number, partial(claim, refund, told["nonce"], signed(told["message"])), say)
        endings = queued(Refund.objects.filter(pk=refund.pk), acts)
        assert sorted(ending.result.status for ending in endings) == [200, 409]
        refund.refresh_from_db()
        assert refund.status == "queued"


def test_one_payment_is_claimed_for_one_refund(shop: Shop, rounds: range) -> None:
    """Two refunds of ten dollars, and a wallet that paid ten of twenty-five."""
    merchant = Merchant.objects.get(pk=shop.principal.merchant_id)
    for _ in rounds:
        intent = paid_in_parts(merchant, (10, PAYER.address), (15, OTHER.address), mode="test")
        refunds = [waiting_refund(merchant, "10", intent=intent) for _ in range(2)]
        texts = [text_for(refund) for refund in refunds]
        acts = [
            partial(claim, refund, told["nonce"], signed(told["message"]))
            for refund, told in zip(refunds, texts, strict=True)
        ]
        first, second = queued(PaymentIntent.objects.filter(pk=intent.pk), acts)
        assert (first.result.status, second.result.status) == (200, 403)
        assert second.result.body["code"] == "refund_claim_exceeds_payment"
