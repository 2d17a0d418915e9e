"""A merchant asks where the money is while it moves: the answer is of one moment."""

import json
from functools import partial
from threading import Thread

import pytest
from django.db import connection, transaction

from payments.models import PaymentIntent
from refunds.models import Refund
from tests.meanwhile import changed_after
from tests.races.shop import Shop
from tests.races.test_refund_races import made, paid

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BEFORE, AFTER = ("settled", "queued"), ("refunded", "paid")


def change_both(intent: str, refund: str) -> None:
    """Another process commits that an intent and its refund are so."""

    def commit() -> None:
        with transaction.atomic():
            PaymentIntent.objects.update(status=intent)
            Refund.objects.update(status=refund)
        connection.close()

    other = Thread(target=commit)
    other.start()
    other.join()


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
    seen, after, is_between = set(), 0, True
    while is_between:
        after += 1
        change_both(*BEFORE)
        with changed_after(after, partial(change_both, *AFTER)) as statements:
            seen.add(explained())
        is_between = statements.asked >= after
    assert seen == whole
