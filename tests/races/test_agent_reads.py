"""An agent reads a payment while it changes: the intent and what belongs to it are of one moment."""

from functools import partial
from threading import Thread
from typing import Any

import orjson
import pytest
from django.db import connection, transaction

from mcp.caller import Caller
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from refunds.models import Refund
from tests.mcp.tools.calls import call, caller_of
from tests.meanwhile import changed_after
from tests.races.shop import Shop
from tests.races.test_refund_races import made, paid

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BEFORE, AFTER = "as it was", "as it became"


def change_both(word: str) -> None:
    """Another process commits a change of an intent and its refund at once."""

    def commit() -> None:
        with transaction.atomic():
            PaymentIntent.objects.update(reference=word)
            Refund.objects.update(reason=word)
        connection.close()

    other = Thread(target=commit)
    other.start()
    other.join()


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_an_intent_and_its_refunds_are_of_one_moment(shop: Shop, account: NewMerchant) -> None:
    intent = paid(shop)
    made(shop, intent, 10)
    caller = caller_of(account)
    seen, after, is_between = set(), 0, True
    while is_between:
        after += 1
        change_both(BEFORE)
        with changed_after(after, partial(change_both, AFTER)) as statements:
            seen.add(words_read(caller, str(intent)))
        is_between = statements.asked >= after
    assert seen == {(2, 0), (0, 2)}


def words_read(caller: Caller, intent: str) -> tuple[int, int]:
    """How often either word stands in the answer."""
    wanted: dict[str, Any] = {"include": ["refunds"], "include_untrusted": True}
    text = orjson.dumps(call(caller, "get_payment_intent", payment_intent_id=intent, **wanted)).decode()
    return text.count(BEFORE), text.count(AFTER)
