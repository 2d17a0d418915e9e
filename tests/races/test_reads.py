"""Somebody reads a payment while it changes: the intent and what belongs to it are of one moment."""

import json
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction

from merchants.services import NewMerchant
from payments.models import PaymentIntent
from refunds.models import Refund
from tests.mcp.tools.calls import call, caller_of
from tests.meanwhile import changed_after
from tests.races.shop import Shop
from tests.races.test_refund_races import made, paid

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BEFORE, AFTER = (("settled", "queued", "as it was"), ("refunded", "paid", "as it became"))


def change_both(intent: str, refund: str, word: str) -> None:
    def commit() -> None:
        with transaction.atomic():
            PaymentIntent.objects.update(status=intent, reference=word)
            Refund.objects.update(status=refund, reason=word)
        connection.close()

    other = Thread(target=commit)
    other.start()
    other.join()


def read_whenever_it_changes(read: Callable[[], Any]) -> set[Any]:
    """What is read where the change comes after the first statement, the second one, and so on to the last."""
    seen, after, is_between = set(), 0, True
    while is_between:
        after += 1
        change_both(*BEFORE)
        with changed_after(after, partial(change_both, *AFTER)) as statements:
            seen.add(read())
        is_between = statements.asked >= after
    return seen


def test_an_intent_and_its_refunds_are_explained_as_of_one_moment(shop: Shop) -> None:
    intent = paid(shop)
    made(shop, intent, 25)

    def explained() -> str:
        reply = shop.api.get(f"/payment-intents/{intent}/explain")
        assert reply.status == 200
        return json.dumps(reply.body)

    whole = set()
    for state in (BEFORE, AFTER):
        change_both(*state)
        whole.add(explained())
    assert len(whole) == 2
    assert read_whenever_it_changes(explained) == whole


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_an_agent_is_shown_an_intent_and_its_refunds_of_one_moment(shop: Shop, account: NewMerchant) -> None:
    intent = paid(shop)
    made(shop, intent, 10)
    caller = caller_of(account)
    wanted: dict[str, Any] = {"include": ["refunds"], "include_untrusted": True}

    def words_read() -> tuple[int, ...]:
        text = json.dumps(call(caller, "get_payment_intent", payment_intent_id=str(intent), **wanted))
        return tuple(text.count(word) for *_, word in (BEFORE, AFTER))

    assert read_whenever_it_changes(words_read) == {(2, 0), (0, 2)}
