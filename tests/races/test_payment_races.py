"""What happens to one intent at the same moment: cancelling, expiring, signing, paying, quoting.

In each round all contenders wait at the intent's lock before one goes on; the order changes from round to round.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from checkout.views.access import issue_token
from payments.models import PaymentAttempt, PaymentIntent
from payments.services.advance import advance_intent
from payments.services.expire import end_what_is_over
from payments.services.quote import make_quote
from tests.races.lineup import Ending, queued
from tests.races.shop import Shop

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def in_turn(number: int, *acts: Callable[[], Any]) -> list[Callable[[], Any]]:
    """The contenders, another one first in each round."""
    turn = number % len(acts)
    return [*acts[turn:], *acts[:turn]]


def statuses(endings: list[Ending]) -> Counter[int]:
    """How many HTTP answers had which status; what has none counts as 0."""
    return Counter(getattr(ending.result, "status", 0) for ending in endings)


@pytest.mark.spec("Contract 2.9")
@pytest.mark.spec("States: cancel loses against a signature already recorded")
def test_cancel_against_sign(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.sent()
        endings = queued(shop.row(intent_id), in_turn(number, partial(shop.cancel, intent_id), _worker(intent_id)))
        cancelled = statuses(endings)[200]
        assert set(statuses(endings)) == {0, 200 if cancelled else 409}
        assert (shop.status(intent_id) == "cancelled") == bool(cancelled)
        shop.finish()
        intent = PaymentIntent.objects.get(pk=intent_id)
        assert (intent.status, str(intent.received_usd)) == ("cancelled" if cancelled else "settled", "25.000000")
    assert Counter(PaymentIntent.objects.values_list("status", flat=True)) == _halves(rounds, "cancelled", "settled")
    shop.check()


@pytest.mark.spec("Contract 2.14")
@pytest.mark.spec("States: executing never expires")
def test_expire_against_sign(shop: Shop, rounds: range) -> None:
    for number in rounds:
        intent_id = shop.sent()
        shop.row(intent_id).get().legs.update(tx_hash="", submitted_at=None)  # nobody reported it: no grace
        shop.advance(1800)
        endings = queued(shop.row(intent_id), in_turn(number, partial(end_what_is_over, intent_id), _worker(intent_id)))
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
        tab = _Tab(shop, intent_id)
        tokens = tab.tokens()[:2]
        endings = queued(shop.row(intent_id), in_turn(number, *[partial(tab.quote, token) for token in tokens]))
        assert statuses(endings) == {202: 2}
        open_attempts = PaymentAttempt.objects.filter(intent_id=intent_id, status="quoting")
        assert [row.token_address for row in open_attempts] == [tokens[1 - number % 2]["token_address"]]
        advance_intent(intent_id)
        assert shop.status(intent_id) == "quoted"
    shop.check()


def test_a_fresh_quote_against_start(shop: Shop, rounds: range) -> None:
    """What a payer accepted is what it signs: a quote that comes later changes nothing."""
    for number in rounds:
        intent_id = shop.create()
        tab = _Tab(shop, intent_id)
        tab.quote(tab.tokens()[0])
        advance_intent(intent_id)
        attempt = shop.attempt(intent_id)
        acts = in_turn(number, partial(tab.start, attempt.pk), partial(make_quote, intent_id, attempt.pk))
        endings = queued(shop.row(intent_id), acts)
        assert [ending.refusal for ending in endings] == [None, None]
        assert statuses(endings)[202] == 1
        assert shop.attempt(intent_id).status == "preparing"
        advance_intent(intent_id)
        assert [leg.status for leg in attempt.legs.all()] == ["awaiting_signature"]
    shop.check()


class _Tab:
    """A payer's page: holds a checkout token and speaks HTTP."""

    def __init__(self, shop: Shop, intent_id: UUID) -> None:
        self._path = f"/checkout/{intent_id}"
        self._api, self._intent_id = shop.api, intent_id
        self._token = issue_token(intent_id)

    def tokens(self) -> list[dict[str, Any]]:
        """Connect a wallet, let a worker look into it, and read the list."""
        wallet = {"family": "evm", "address": "0x7e57000000000000000000000000000000000a11"}
        assert self._api.post(f"{self._path}/wallet", wallet, Checkout_Token=self._token).status == 202
        advance_intent(self._intent_id)
        reply = self._api.get(f"{self._path}/state", Checkout_Token=self._token)
        tokens: list[dict[str, Any]] = reply.body["wallet"]["tokens"]
        return tokens

    def quote(self, token: dict[str, Any]) -> Any:
        """Ask for a firm quote."""
        wish = {"chain": token["chain"], "token_address": token["token_address"]}
        return self._api.post(f"{self._path}/quote", wish, Checkout_Token=self._token)

    def start(self, attempt_id: UUID) -> Any:
        """Accept the quote."""
        return self._api.post(f"{self._path}/start", {"attempt_id": str(attempt_id)}, Checkout_Token=self._token)


def _worker(intent_id: UUID) -> Callable[[], bool]:
    return partial(advance_intent, intent_id)


def _halves(rounds: range, even: str, odd: str) -> Counter[str]:
    return Counter(odd if number % 2 else even for number in rounds)
