"""Who paid, and repaying each of them in one act, by the API or a button: all or none, once, never too much."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from core.clock import now
from core.money import usd
from merchants.models import IdempotencyRecord, Merchant
from payments.models import Credit, PaymentIntent
from refunds.models import Refund
from refunds.services.dispatch import order_transfer
from refunds.shares import MOST_SHOWN
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import ANNS_SOLANA, BOBS_EVM, credit
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.merchants.people import field_value, send_form, text_of
from tests.refunds.claiming import more, paid_by, paid_in_parts, waiting_refund
from tests.refunds.stories import NOWHERE, PAYEE, refund, row, told

pytestmark = pytest.mark.usefixtures("db")

ANNS_ELSEWHERE = "0xde709f2102306220921060314615629080e2fb77"
BOTH = {(BOBS_EVM, 24, 24_000_000), (PAYEE, 1, 1_000_000)}


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    return paid_in_parts(merchant, (24, BOBS_EVM), (1, PAYEE))


@pytest.fixture
def in_test(merchant: Merchant) -> PaymentIntent:
    return paid_in_parts(merchant, (24, BOBS_EVM), (1, PAYEE), mode="test")


def repay(api: ApiClient, intent: PaymentIntent, *, key: str = "", **body: Any) -> Reply:
    headers = {"Idempotency_Key": key} if key else {}
    return api.post("/refunds/to-payers", {"intent_id": str(intent.pk), **body}, **headers)


def made_of(reply: Reply) -> set[tuple[str, float, int]]:
    assert reply.status == 201, reply.body
    return {(one["destination"], one["amount_usd"], row(one).base_units) for one in reply.body["data"]}


def test_who_paid_is_told(intent: PaymentIntent, live_api: ApiClient) -> None:
    credit(intent, 500_000, block_time=now(), final_at=now(), value_usd=usd("0.5"), network="localnet")
    PaymentIntent.objects.filter(pk=intent.pk).update(received_usd=usd("25.5"))
    refund(live_api, {"id": str(intent.pk)}, 10, destination=BOBS_EVM)
    body = live_api.get(f"/payment-intents/pi_{intent.pk}/payers").body
    assert [(one["wallet"], one["paid_usd"], one["returned_usd"], one["unreturned_usd"]) for one in body["data"]] == [
        (BOBS_EVM, 24, 10, 14),
        (PAYEE, 1, 0, 1),
    ]
    assert (body["unproven_usd"], body["refundable_usd"]) == (0.5, 15.5)
    assert (body["has_more"], body["next_cursor"]) == (False, None)


def test_each_payer_gets_its_share(intent: PaymentIntent, live_api: ApiClient) -> None:
    reply = repay(live_api, intent, reason="sold out")
    assert made_of(reply) == BOTH
    assert {(one["status"], one["failure_reason"], one["reason"]) for one in reply.body["data"]} == {
        ("pending", None, "sold out")
    }
    assert all(told(one) == ["created"] for one in reply.body["data"])
    assert len(set(Refund.objects.values_list("act", flat=True))) == 1
    body = live_api.get(f"/payment-intents/{intent.pk}/payers").body
    assert ([one["unreturned_usd"] for one in body["data"]], body["refundable_usd"]) == ([0, 0], 0)


def test_what_went_back_before_is_left_out(intent: PaymentIntent, live_api: ApiClient) -> None:
    """What is nobody's and what lives elsewhere is left, too."""
    refund(live_api, {"id": str(intent.pk)}, 10, destination=BOBS_EVM.lower())
    refund(live_api, {"id": str(intent.pk)}, 1, destination=PAYEE)
    assert made_of(repay(live_api, intent)) == {(BOBS_EVM, 14, 14_000_000)}
    before = all_rows()
    assert_refused(repay(live_api, intent), 409, "refund_no_payer")
    assert all_rows() == before
    Refund.objects.all().delete()
    Credit.objects.filter(payer=PAYEE).update(payer=ANNS_SOLANA)
    assert made_of(repay(live_api, intent)) == {(BOBS_EVM, 24, 24_000_000)}
    Refund.objects.all().delete()
    Credit.objects.update(payer="")
    assert_refused(repay(live_api, intent), 409, "refund_no_payer")


def test_a_repeat_gives_the_same_refunds_years_later_as_they_are(intent: PaymentIntent, live_api: ApiClient) -> None:
    first = repay(live_api, intent, key="all-back")
    again = repay(live_api, intent, key="all-back")
    assert (first.status, again.status, again.raw) == (201, 201, first.raw)
    assert_refused(repay(live_api, intent, key="all-back", reason="other"), 409, "idempotency_key_reused")
    assert Refund.objects.count() == 2
    IdempotencyRecord.objects.all().delete()
    assert made_of(repay(live_api, intent, key="all-back")) == made_of(first)
    IdempotencyRecord.objects.all().delete()
    body = {"intent_id": str(intent.pk), "amount_usd": 1}
    assert_refused(live_api.post("/refunds", body, Idempotency_Key="all-back"), 409, "idempotency_key_reused")
    assert Refund.objects.count() == 2


def test_what_rounding_cut_off_stops_no_repayment(merchant: Merchant, live_api: ApiClient) -> None:
    """A coarse token: 25 dollars are 26,041 units, and a refund of 10 sends 10,416 of its 10,416.4."""
    made = paid_intent(merchant, units=26_041)
    paid_by(made, BOBS_EVM)
    refund(live_api, {"id": str(made.pk)}, 10, destination=BOBS_EVM)
    assert made_of(repay(live_api, made)) == {(BOBS_EVM, 15, 15_625)}
    made.refresh_from_db()
    assert made.returned_usd == 25
    made = paid_intent(merchant, units=1, amount=usd("1"), target_base_units=3)
    made.credits.all().delete()
    for units, wallet in ((1, PAYEE), (2, BOBS_EVM)):
        more(made, units, wallet)
    PaymentIntent.objects.filter(pk=made.pk).update(received_usd=1)
    assert made_of(repay(live_api, made)) == {(BOBS_EVM, 0.666667, 2), (PAYEE, 0.333333, 1)}


def test_shares_beyond_the_balance_are_refused_whole(intent: PaymentIntent, live_api: ApiClient) -> None:
    """A refund to somebody else took what one of them paid: who of them is not repaid is for a person to say."""
    refund(live_api, {"id": str(intent.pk)}, 5, destination=ANNS_ELSEWHERE)
    before = all_rows()
    refused = repay(live_api, intent)
    assert_refused(refused, 422, "refund_shares_exceed_balance")
    assert refused.body["details"] == {"shares_usd": 25, "refundable_usd": 20}
    assert all_rows() == before


def test_at_most_so_many_at_once_those_with_most_first(merchant: Merchant, live_api: ApiClient) -> None:
    made = paid_intent(merchant, units=25_000_000)
    paid_by(made, BOBS_EVM)
    for number in range(MOST_SHOWN + 2):
        more(made, 20_000 if number else 9_999, f"0x{number + 1:02d}" + "ab" * 19)
    total = 25 + 0.02 * (MOST_SHOWN + 1) + 0.009999
    PaymentIntent.objects.filter(pk=made.pk).update(received_usd=f"{total:.6f}")
    assert live_api.get(f"/payment-intents/{made.pk}/payers").body["has_more"] is True
    first = repay(live_api, made)
    assert len(first.body["data"]) == MOST_SHOWN
    assert first.body["data"][0]["amount_usd"] == 25
    assert len(repay(live_api, made).body["data"]) == 2
    assert_refused(repay(live_api, made), 409, "refund_no_payer")


def test_what_may_not_be_is_refused(intent: PaymentIntent, live_api: ApiClient) -> None:
    """A wrong body; and while a payment is under way nothing leaves."""
    assert_refused(live_api.get(f"/payment-intents/{NOWHERE}/payers"), 404, "not_found")
    for body in ({"amount_usd": 5}, {"reason": "x" * 281}, {"intent_id": "nonsense"}):
        assert_refused(repay(live_api, intent, **body), 400, "invalid_request")
    PaymentIntent.objects.filter(pk=intent.pk).update(status="executing")
    assert_refused(repay(live_api, intent), 409, "intent_not_settled")
    assert Refund.objects.count() == 0


def test_a_wallet_that_lost_its_payment_is_not_repaid_with_anothers(intent: PaymentIntent, live_api: ApiClient) -> None:
    """Its payment is gone after a reorganisation; what another one paid meanwhile does not go to it."""
    made = repay(live_api, intent).body["data"]
    first = next(one for one in made if one["destination"] == BOBS_EVM)
    Credit.objects.filter(payer=BOBS_EVM).update(reversed_at=now(), final_at=None)
    more(intent, 24_000_000, ANNS_ELSEWHERE)
    assert order_transfer(intent.pk, row(first).pk) is None
    assert (row(first).status, row(first).failure_reason) == ("queued", "payer_not_proven")
    Credit.objects.filter(payer=BOBS_EVM).update(reversed_at=None, final_at=now())
    assert order_transfer(intent.pk, row(first).pk) is not None


def page_of(intent: PaymentIntent, instead_of: UUID | None = None) -> str:
    return f"/dashboard/test/payments/{intent.pk}/payers/" + (f"?instead_of={instead_of}" if instead_of else "")


def sent() -> list[tuple[str, int]]:
    rows = Refund.objects.exclude(status="cancelled").order_by("-base_units", "pk")
    return list(rows.values_list("destination", "base_units"))


def test_it_shows_what_each_paid(in_test: PaymentIntent, owner: Client) -> None:
    credit(in_test, 1_000, block_time=now(), final_at=now(), value_usd=usd("0.001"))
    shown = text_of(owner.get(page_of(in_test)))
    assert "Repay each payer its share" in shown
    for words in (f"$24.00 to <code>{BOBS_EVM}", f"$1.00 to <code>{PAYEE}", "$25.00 in all", "$0.001 came from nobody"):
        assert words in shown
    form = f"/dashboard/test/payments/{in_test.pk}/refund/"
    assert "Several wallets paid" in text_of(owner.get(form))
    assert "It was paid from" not in text_of(owner.get(form))
    key = field_value(owner.get(form), "key")
    asked = send_form(owner, form, step="look", key=key, amount="20", reason="", destination="")
    assert f"It was paid from <code>{BOBS_EVM}" in text_of(asked)


def test_one_button_repays_each_once(in_test: PaymentIntent, owner: Client) -> None:
    key = field_value(owner.get(page_of(in_test)), "key")
    for _ in range(2):
        assert send_form(owner, page_of(in_test), key=key, theirs="on").status_code == 302
    assert sent() == [(BOBS_EVM, 24_000_000), (PAYEE, 1_000_000)]
    assert "got its share back already" in text_of(owner.get(page_of(in_test)))


def test_it_offers_nothing_that_would_be_refused(in_test: PaymentIntent, merchant: Merchant, owner: Client) -> None:
    waiting = waiting_refund(merchant, "5", intent=in_test)
    shown = text_of(owner.get(page_of(in_test)))
    assert "Their shares are $25.00 in all, and $20.00 can be sent back" in shown
    assert "Repay each payer its share" not in shown
    assert "Repay each payer its share" in text_of(owner.get(page_of(in_test, waiting.pk)))


def test_a_waiting_refund_leads_there_and_is_replaced(
    in_test: PaymentIntent, merchant: Merchant, owner: Client
) -> None:
    waiting = waiting_refund(merchant, "25", intent=in_test)
    for path in ("/dashboard/test/refunds/", f"/dashboard/test/refunds/{waiting.pk}/"):
        assert f"{page_of(in_test, waiting.pk)}" in text_of(owner.get(path))
    shown = text_of(owner.get(page_of(in_test, waiting.pk)))
    assert "is cancelled for these" in shown
    send_form(owner, page_of(in_test, waiting.pk), key="", theirs="on", instead_of=str(waiting.pk))
    waiting.refresh_from_db()
    assert (waiting.status, sent()) == ("cancelled", [(BOBS_EVM, 24_000_000), (PAYEE, 1_000_000)])


def test_what_cannot_be_done_changes_nothing(in_test: PaymentIntent, merchant: Merchant, owner: Client) -> None:
    """Not confirmed; a refund that waits holds what they paid; nobody is proven."""
    key = field_value(owner.get(page_of(in_test)), "key")
    before = all_rows()
    assert send_form(owner, page_of(in_test), key=key).status_code == 400
    assert all_rows() == before
    waiting_refund(merchant, "25", intent=in_test)
    before = all_rows()
    held = send_form(owner, page_of(in_test), key=key, theirs="on")
    assert (held.status_code, "Cancel the refunds that wait" in text_of(held)) == (400, True)
    assert all_rows() == before
    Credit.objects.update(payer="")
    assert "Nothing proves which wallet paid" in text_of(owner.get(page_of(in_test)))
