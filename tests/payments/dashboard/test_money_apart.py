"""Money beside a payment that does not count for it: a task on the home page, a line on the payment's timeline."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from core.clock import now
from merchants.models import Merchant
from payments.models import CountedElsewhere, Credit, PaymentIntent
from tests.factories.payments import credit
from tests.factories.refunds import paid_intent, paid_leg
from tests.merchants.people import text_of
from tests.payments.dashboard.stored import stored_intent

HASH = "0x" + "77" * 32
NOBODYS = "Transfers that came inside a payer's transaction and count for nobody"
ELSEWHERE = "Payments whose transaction counts for another one"


def _unattributed(intent: PaymentIntent) -> None:
    facts = {"leg": paid_leg(intent), "purpose": "unattributed", "block_time": now(), "tx_hash": HASH}
    made = credit(intent, 40_000_000, **facts)
    made.intent = None
    made.save(update_fields=["intent"])


def _lost(intent: PaymentIntent, **fields: Any) -> CountedElsewhere:
    facts = {"merchant": intent.merchant, "mode": intent.mode, "intent": intent, "leg": paid_leg(intent)}
    place = {"chain": "base", "tx_hash": HASH, "kind": "log", "position": "3", "base_units": 25_000_000}
    made: CountedElsewhere = CountedElsewhere.objects.create(**facts | place | {"told_at": now()} | fields)
    return made


def _home(owner: Client) -> str:
    return unescape(text_of(owner.get("/dashboard/test/")))


def _timeline(owner: Client, intent: PaymentIntent) -> str:
    return unescape(text_of(owner.get(f"/dashboard/test/payments/{intent.pk}/")))


def test_what_is_nobodys_is_shown(owner: Client, merchant: Merchant) -> None:
    intent, beside = paid_intent(merchant, mode="test"), stored_intent(merchant)
    assert NOBODYS not in _home(owner)
    _unattributed(intent)
    assert NOBODYS in _home(owner)
    page = _timeline(owner, intent)
    assert "40 USDC moved to the address inside the payer's transaction, and counts for nobody" in page
    found = text_of(owner.get("/dashboard/test/payments/", {"apart": "unattributed"}))
    assert (str(intent.pk) in found, str(beside.pk) in found) == (True, False)
    Credit.objects.filter(tx_hash=HASH).update(observed_at=now() - timedelta(days=31))
    assert NOBODYS not in _home(owner)


def test_what_counts_elsewhere_is_shown(owner: Client, merchant: Merchant) -> None:
    intent, beside = stored_intent(merchant), stored_intent(merchant, 1)
    assert ELSEWHERE not in _home(owner)
    _lost(intent)
    assert ELSEWHERE in _home(owner)
    page = _timeline(owner, intent)
    assert "25 USDC came with this payment's mark, and counts for another one" in page
    found = text_of(owner.get("/dashboard/test/payments/", {"apart": "elsewhere"}))
    assert (str(intent.pk) in found, str(beside.pk) in found) == (True, False)


@pytest.mark.parametrize("status", ["settled", "refunded"])
def test_a_payment_that_was_paid_otherwise_needs_nobody(owner: Client, merchant: Merchant, status: str) -> None:
    _lost(stored_intent(merchant, status=status))
    assert ELSEWHERE not in _home(owner)
