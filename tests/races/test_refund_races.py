"""What happens to one intent's refunds at the same moment: more of them than there is money, cancels, destinations.

In each round all contenders wait at the same lock before one goes on; the order changes from round to round.
"""

from collections import Counter
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db.models import QuerySet

from chains.models import SimulatedTransaction, Transfer
from chains.transfers import advance_transfer
from merchants.models import Merchant
from payments.models import PaymentIntent, stray_id_of
from refunds.models import Refund
from refunds.services.advance import advance_refund
from refunds.services.dispatch import order_transfer
from tests.conftest import Reply
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.races.lineup import Act, at_once, in_turn, queued, statuses
from tests.races.shop import Shop
from tests.refunds.stories import PAYEE, told
from tests.refunds.test_strays import stray_of

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

MOST_STEPS = 20


def paid(shop: Shop, **fields: Any) -> UUID:
    merchant = Merchant.objects.get(pk=shop.principal.merchant_id)
    return UUID(str(paid_intent(merchant, mode="test", **fields).pk))


def ask(shop: Shop, intent_id: UUID, amount: float = 1, key: str = "", **fields: Any) -> Reply:
    headers = {"Idempotency_Key": key} if key else {}
    body = {"intent_id": str(intent_id), "amount_usd": amount, "destination": PAYEE, **fields}
    return shop.api.post("/refunds", body, **headers)


def made(shop: Shop, intent_id: UUID, amount: float = 25, **fields: Any) -> UUID:
    reply = ask(shop, intent_id, amount, **fields)
    assert reply.status == 201, reply.body
    return UUID(reply.body["id"])


def cancel(shop: Shop, refund_id: UUID) -> Reply:
    return shop.api.post(f"/refunds/{refund_id}/cancel")


def send_to(shop: Shop, refund_id: UUID, destination: str) -> Reply:
    return shop.api.post(f"/refunds/{refund_id}/destination", {"destination": destination})


def row(refund_id: UUID) -> QuerySet[Refund]:
    return Refund.objects.filter(pk=refund_id)


def finish(refund_id: UUID, shop: Shop) -> str:
    for _ in range(MOST_STEPS):
        status = row(refund_id).get().status
        if status in {"paid", "failed", "cancelled"}:
            return status
        advance_refund(refund_id)
        shop.advance(1)
    raise AssertionError(f"the refund is {row(refund_id).get().status}")


def landed(refund_id: UUID) -> int:
    return SimulatedTransaction.objects.filter(tag=f"refund:{refund_id}").count()


def held(intent_id: UUID) -> tuple[Decimal, int]:
    holding = Refund.objects.filter(intent_id=intent_id).exclude(status__in=["failed", "cancelled"])
    return sum((one.amount_usd for one in holding), Decimal(0)), sum(one.base_units for one in holding)


def test_refunds_in_a_queue_take_the_exact_rest(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = paid(shop, units=10**18 + 7, target_base_units=10**18 + 7, settlement_decimals=18)
        amounts = [9, 7, 5, 4, 3, 2] * 2
        turn = number % len(amounts)
        acts = [partial(ask, shop, intent_id, amount) for amount in amounts[turn:] + amounts[:turn]]
        endings = queued(shop.row(intent_id), acts)
        assert set(statuses(endings)) <= {201, 422}
        usd, units = held(intent_id)
        assert usd <= 25
        left = Decimal(25) - usd
        if left:
            assert ask(shop, intent_id, float(left)).status == 201
        assert held(intent_id) == (Decimal(25), 10**18 + 7)


def test_of_many_who_give_a_stray_back_one_does(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        intent = PaymentIntent.objects.get(pk=paid(shop))
        stray = stray_of(intent)
        body = {"intent_id": str(intent.pk), "stray_id": str(stray_id_of(intent.pk, stray.pk))}
        endings = queued(shop.row(intent.pk), [partial(shop.api.post, "/refunds", body)] * 6)
        assert statuses(endings) == Counter({409: 5, 201: 1})
        [refund] = Refund.objects.filter(stray=stray)
        assert (finish(refund.pk, shop), landed(refund.pk)) == ("paid", 1)


def test_a_refund_against_a_cancel(shop: Shop, rounds: range) -> None:
    """What a cancel releases may be asked for, in whatever order they come; it is never held twice."""
    for number in rounds:
        intent_id = paid(shop)
        first = made(shop, intent_id)
        endings = at_once(in_turn(number, partial(cancel, shop, first), partial(ask, shop, intent_id, 25)))
        assert [ending.refusal for ending in endings] == [None, None]
        answers = statuses(endings)
        assert answers[200] == 1
        assert answers[201] + answers[422] == 1
        assert held(intent_id) in {(Decimal(0), 0), (Decimal(25), 25_000_000)}


@pytest.mark.parametrize("is_ordered", [False, True], ids=["still queued", "about to be signed"])
def test_a_cancel_against_a_worker(shop: Shop, rounds: range, is_ordered: bool) -> None:
    """Whoever comes first: cancelled and nothing sent, or refused and paid once. Once it is ordered, the transfer's
    lock decides.
    """
    for number in rounds:
        intent_id = paid(shop)
        refund_id = made(shop, intent_id)
        locked: QuerySet[Any] = row(refund_id)
        work: Act = partial(advance_refund, refund_id)
        if is_ordered:
            transfer = order_transfer(intent_id, refund_id)
            assert transfer is not None
            locked, work = Transfer.objects.filter(pk=transfer.pk), partial(advance_transfer, transfer.pk)
        endings = queued(locked, in_turn(number, partial(cancel, shop, refund_id), work))
        assert [ending.refusal for ending in endings] == [None, None]
        [answer] = [ending.result for ending in endings if isinstance(ending.result, Reply)]
        assert answer.status in {200, 409}
        cancelled = answer.status == 200
        assert finish(refund_id, shop) == ("cancelled" if cancelled else "paid")
        assert landed(refund_id) == (0 if cancelled else 1)


def test_a_destination_against_a_cancel(shop: Shop, rounds: range) -> None:
    for number in rounds:
        refund_id = made(shop, paid(shop), destination=None)
        acts = in_turn(number, partial(send_to, shop, refund_id, PAYEE), partial(cancel, shop, refund_id))
        first, second = queued(row(refund_id), acts)
        cancelled_first = number % 2 == 1
        assert (first.result.status, second.result.status) == (200, 409 if cancelled_first else 200)
        assert row(refund_id).get().status == "cancelled"
        assert row(refund_id).get().destination == ("" if cancelled_first else PAYEE)
        assert told({"id": refund_id}) == ["created", "missing_destination", "cancelled"]


def test_of_two_destinations_the_first_counts(shop: Shop, rounds: range) -> None:
    for number in rounds:
        refund_id = made(shop, paid(shop), destination=None)
        wanted = [PAYEE, BOBS_EVM]
        acts = in_turn(number, *[partial(send_to, shop, refund_id, destination) for destination in wanted])
        endings = queued(row(refund_id), acts)
        assert [ending.result.status for ending in endings] == [200, 409]
        assert row(refund_id).get().destination == wanted[number % 2]
        assert finish(refund_id, shop) == "paid"


@pytest.mark.spec("Refunds")
@pytest.mark.parametrize("is_old", [False, True], ids=["today", "after a day"])
def test_the_same_key_at_once_makes_one_refund(is_old: bool, shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id, key = paid(shop), f"refund {number}"
        if is_old:
            assert ask(shop, intent_id, 5, key).status == 201
            shop.advance(86_400)
        endings = at_once([partial(ask, shop, intent_id, 5, key)] * 8)
        answers = [ending.result for ending in endings]
        assert {answer.status for answer in answers} == {201}
        assert len({answer.raw for answer in answers}) == 1
        assert Refund.objects.filter(idempotency_key=key).count() == 1


def test_many_workers_pay_it_once(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        intent_id = paid(shop)
        refund_id = made(shop, intent_id)
        for _step in range(4):
            endings = at_once([partial(advance_refund, refund_id)] * 8)
            assert [ending.refusal for ending in endings] == [None] * 8
            shop.advance(1)
        assert finish(refund_id, shop) == "paid"
        assert (landed(refund_id), row(refund_id).get().attempts) == (1, 1)
        intent = PaymentIntent.objects.get(pk=intent_id)
        assert (intent.status, str(intent.refunded_usd)) == ("refunded", "25.000000")
        assert told({"id": refund_id}) == ["created", "processing", "paid"]


def test_the_last_two_refunds_are_paid_at_once(shop: Shop, rounds: range) -> None:
    """Both grow what the intent gave back; it becomes refunded once."""
    for _ in rounds:
        intent_id = paid(shop)
        both = [made(shop, intent_id, 12.5) for _ in range(2)]
        for refund_id in both:
            order_transfer(intent_id, refund_id)
        for _step in range(3):
            at_once([partial(advance_refund, refund_id) for refund_id in both])
            shop.advance(1)
        assert [finish(refund_id, shop) for refund_id in both] == ["paid", "paid"]
        intent = PaymentIntent.objects.get(pk=intent_id)
        assert (intent.status, str(intent.refunded_usd)) == ("refunded", "25.000000")
        lines = Counter(intent.history.values_list("to_status", flat=True))
        assert lines["refunded"] == 1
