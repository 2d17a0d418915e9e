"""What happens to one intent at the same moment: creating, cancelling, expiring, signing, paying, quoting.

In each round all contenders wait at the intent's lock before one goes on; the order changes from round to round.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import QuerySet

from merchants.models import IdempotencyRecord, Merchant
from payments.models import PaymentAttempt, PaymentIntent
from payments.services.advance import advance_intent
from payments.services.expire import end_what_is_over
from payments.services.quote import make_quote
from tests.conftest import Reply
from tests.payments.payer import Payer
from tests.races.lineup import in_turn, queued, statuses
from tests.races.shop import Shop

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SENDERS = 8


@pytest.mark.spec("Contract 2.9; States: cancel loses against a signature already recorded")
def test_cancel_against_sign(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.sent()
        endings = queued(
            shop.row(intent_id), in_turn(number, partial(shop.cancel, intent_id), partial(advance_intent, intent_id))
        )
        cancelled = statuses(endings)[200]
        assert set(statuses(endings)) == {0, 200 if cancelled else 409}
        assert (shop.status(intent_id) == "cancelled") == bool(cancelled)
        shop.finish()
        intent = PaymentIntent.objects.get(pk=intent_id)
        assert (intent.status, str(intent.received_usd)) == ("cancelled" if cancelled else "settled", "25.000000")
    ends = Counter("settled" if number % 2 else "cancelled" for number in rounds)
    assert Counter(PaymentIntent.objects.values_list("status", flat=True)) == ends
    shop.check()


@pytest.mark.spec("Contract 2.14; States: executing never expires")
def test_expire_against_sign(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.sent()
        shop.row(intent_id).get().legs.update(tx_hash="", submitted_at=None)  # nobody reported it: no grace
        shop.advance(1800)
        endings = queued(
            shop.row(intent_id),
            in_turn(number, partial(end_what_is_over, intent_id), partial(advance_intent, intent_id)),
        )
        assert [ending.refusal for ending in endings] == [None, None]
        shop.finish()
        assert shop.status(intent_id) == "settled"  # paid in time, also where it was noticed too late
    shop.check()


def test_eight_payers_make_one_payment(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        intent_id = shop.create()
        endings = queued(shop.row(intent_id), [partial(shop.pay, intent_id)] * 8)
        assert statuses(endings) == {200: 1, 409: 7}
        refusals = {ending.result.body["code"] for ending in endings if ending.result.status == 409}
        assert refusals == {"intent_not_payable"}
        assert PaymentAttempt.objects.filter(intent_id=intent_id).count() == 1
    shop.finish()
    assert set(PaymentIntent.objects.values_list("status", flat=True)) == {"settled"}
    shop.check()


def test_cancel_against_pay(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.create()
        acts = in_turn(number, partial(shop.cancel, intent_id), partial(shop.pay, intent_id))
        first, second = queued(shop.row(intent_id), acts)
        paid_first = number % 2 == 1
        assert (first.result.status, second.result.status) == (200, 200 if paid_first else 409)
        assert shop.status(intent_id) == "cancelled"
        assert PaymentAttempt.objects.filter(intent_id=intent_id, status="abandoned").count() == int(paid_first)
    shop.finish()
    assert set(PaymentIntent.objects.values_list("status", flat=True)) == {"cancelled"}
    shop.check()


def test_two_workers_make_one_quote(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        intent_id = shop.create()
        shop.pay(intent_id)
        attempt = shop.attempt(intent_id)
        endings = queued(shop.row(intent_id), [partial(make_quote, intent_id, attempt.pk)] * 4)
        assert [ending.refusal for ending in endings] == [None] * 4
        intent = PaymentIntent.objects.get(pk=intent_id)
        assert (intent.status, intent.event_sequence) == ("quoted", 2)
        assert intent.route_candidates.filter(chosen=True).count() == intent.legs.count() == 1
    shop.finish()
    shop.check()


def test_two_tabs_ask_for_two_tokens(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.create()
        tab = Payer.of({"id": intent_id})
        wanted = wishes(tab)[:2]
        acts = [partial(tab.send, "POST", "/quote", wish) for wish in wanted]
        assert statuses(queued(shop.row(intent_id), in_turn(number, *acts))) == {202: 2}
        open_attempts = PaymentAttempt.objects.filter(intent_id=intent_id, status="quoting")
        assert [row.token_address for row in open_attempts] == [wanted[1 - number % 2]["token_address"]]
        advance_intent(intent_id)
        assert shop.status(intent_id) == "quoted"
    shop.check()


def test_a_fresh_quote_against_start(shop: Shop, rounds: range) -> None:
    """What a payer accepted is what it signs: a quote that comes later changes nothing."""
    for number in rounds:
        intent_id = shop.create()
        tab = Payer.of({"id": intent_id})
        tab.act("quote", wishes(tab)[0])
        advance_intent(intent_id)
        attempt = shop.attempt(intent_id)
        start = partial(tab.send, "POST", "/start", {"attempt_id": str(attempt.pk)})
        endings = queued(shop.row(intent_id), in_turn(number, start, partial(make_quote, intent_id, attempt.pk)))
        assert [ending.refusal for ending in endings] == [None, None]
        assert statuses(endings)[202] == 1
        assert shop.attempt(intent_id).status == "preparing"
        advance_intent(intent_id)
        assert [leg.status for leg in attempt.legs.all()] == ["awaiting_signature"]
    shop.check()


def wishes(tab: Payer) -> list[dict[str, Any]]:
    """For a firm quote in each token of the wallet."""
    return [{name: token[name] for name in ("chain", "token_address")} for token in tab.connect()]


def answers(locked: QuerySet[Any], acts: Sequence[Callable[[], Any]]) -> list[Reply]:
    return [ending.result for ending in queued(locked, acts)]


def shop_row(shop: Shop) -> QuerySet[Merchant]:
    """Every insert of an intent takes its merchant's row, so all senders wait inside their transactions."""
    return Merchant.objects.filter(pk=shop.principal.merchant_id)


def create(shop: Shop, key: str, amount: int = 25) -> Reply:
    return shop.api.post("/payment-intents", {"amount": amount, "reference": key}, Idempotency_Key=key)


def check_one_answer(replies: list[Reply], status: int) -> None:
    """One answer, byte for byte, which says to all but one that it was given before."""
    assert {reply.status for reply in replies} == {status}
    assert len({reply.raw for reply in replies}) == 1
    assert Counter(reply.headers.get("Idempotent-Replayed") for reply in replies) == {None: 1, "true": SENDERS - 1}


@pytest.mark.spec("Contract 17.4; Idempotency on create: same key and body returns the original response")
def test_eight_senders_of_one_key_make_one_intent(shop: Shop, rounds: range) -> None:
    keys = [uuid4().hex for _ in rounds]
    for key in keys:
        replies = answers(shop_row(shop), [partial(create, shop, key)] * SENDERS)
        check_one_answer(replies, 201)
        assert len({reply.headers["Request-Id"] for reply in replies}) == SENDERS
    assert sorted(PaymentIntent.objects.values_list("reference", flat=True)) == sorted(keys)
    assert IdempotencyRecord.objects.count() == len(keys)
    shop.check()


@pytest.mark.spec("Errors: idempotency key reused with a different body")
def test_one_key_with_two_bodies_makes_one_intent(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        key = uuid4().hex
        acts = [partial(create, shop, key, amount) for amount in (25, 30) * (SENDERS // 2)]
        replies = answers(shop_row(shop), acts)
        kept = PaymentIntent.objects.get(reference=key)
        assert [reply.status for reply in replies if reply.status != 409] == [201] * (SENDERS // 2)
        assert {reply.body["amount"] for reply in replies if reply.status == 201} == {f"{kept.amount:.2f}"}
        refused = {reply.body["code"] for reply in replies if reply.status == 409}
        assert refused == {"idempotency_key_reused"}
    shop.check()


@pytest.mark.spec("Authentication: idempotency keys are scoped per merchant")
def test_eight_senders_of_one_key_pay_once(shop: Shop, rounds: range) -> None:
    """An action meets the state that the first sender changed; the others get the first one's answer all the same."""
    for _ in rounds:
        intent_id = shop.create()
        path = f"/test-helpers/payment-intents/{intent_id}/pay"
        pay = partial(shop.api.post, path, {}, Idempotency_Key=uuid4().hex)
        check_one_answer(answers(shop.row(intent_id), [pay] * SENDERS), 200)
    assert PaymentAttempt.objects.count() == len(rounds)
    shop.check()
