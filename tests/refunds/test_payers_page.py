"""The page of who paid: what each paid and what is left, and one button that repays each its share."""

from uuid import UUID

import pytest
from django.test import Client

from core.clock import now
from core.money import usd
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from payments.models import Credit, PaymentIntent
from refunds.models import Refund
from tests.factories.payments import BOBS_EVM, credit
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.merchants.people import add_member, field_value, send_form, sign_in, text_of
from tests.refunds.claiming import more, paid_by, waiting_refund
from tests.refunds.stories import PAYEE


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    """24 dollars of one wallet, and one of another, in test mode."""
    made = paid_intent(merchant, mode="test", units=24_000_000, target_base_units=25_000_000)
    paid_by(made, BOBS_EVM)
    more(made, 1_000_000, PAYEE)
    PaymentIntent.objects.filter(pk=made.pk).update(received_usd=25)
    made.refresh_from_db()
    return made


def page_of(intent: PaymentIntent, instead_of: UUID | None = None) -> str:
    """Where it stands."""
    return f"/dashboard/test/payments/{intent.pk}/payers/" + (f"?instead_of={instead_of}" if instead_of else "")


def press(owner: Client, intent: PaymentIntent, **fields: str) -> object:
    """Press the button of a page as it is now."""
    key = field_value(owner.get(page_of(intent)), "key")
    return send_form(owner, page_of(intent), **({"key": key, "theirs": "on"} | fields))


def sent() -> list[tuple[str, int]]:
    """Where refunds go, and how much, those that were cancelled left out."""
    rows = Refund.objects.exclude(status="cancelled").order_by("-base_units", "pk")
    return list(rows.values_list("destination", "base_units"))


def test_it_shows_what_each_paid(intent: PaymentIntent, owner: Client) -> None:
    credit(intent, 1_000, block_time=now(), final_at=now(), value_usd=usd("0.001"))
    shown = text_of(owner.get(page_of(intent)))
    assert "Repay each payer its share" in shown
    for words in (f"$24.00 to <code>{BOBS_EVM}", f"$1.00 to <code>{PAYEE}", "$25.00 in all", "$0.001 came from nobody"):
        assert words in shown


def test_one_button_repays_each_once(intent: PaymentIntent, owner: Client) -> None:
    key = field_value(owner.get(page_of(intent)), "key")
    for _ in range(2):
        assert send_form(owner, page_of(intent), key=key, theirs="on").status_code == 302
    assert sent() == [(BOBS_EVM, 24_000_000), (PAYEE, 1_000_000)]
    assert "got its share back already" in text_of(owner.get(page_of(intent)))


def test_the_refund_that_waits_leads_there_and_is_replaced(
    intent: PaymentIntent, merchant: Merchant, owner: Client
) -> None:
    waiting = waiting_refund(merchant, "25", intent=intent)
    for path in ("/dashboard/test/refunds/", f"/dashboard/test/refunds/{waiting.pk}/"):
        assert f"{page_of(intent, waiting.pk)}" in text_of(owner.get(path))
    shown = text_of(owner.get(page_of(intent, waiting.pk)))
    assert "is cancelled for these" in shown
    send_form(owner, page_of(intent, waiting.pk), key="", theirs="on", instead_of=str(waiting.pk))
    waiting.refresh_from_db()
    assert (waiting.status, sent()) == ("cancelled", [(BOBS_EVM, 24_000_000), (PAYEE, 1_000_000)])


def test_what_cannot_be_done_changes_nothing(intent: PaymentIntent, merchant: Merchant, owner: Client) -> None:
    """Not confirmed; a refund that waits holds what they paid; nobody is proven."""
    key = field_value(owner.get(page_of(intent)), "key")
    before = all_rows()
    assert send_form(owner, page_of(intent), key=key).status_code == 400
    assert all_rows() == before
    waiting_refund(merchant, "25", intent=intent)
    before = all_rows()
    held = send_form(owner, page_of(intent), key=key, theirs="on")
    assert (held.status_code, "Cancel the refunds that wait" in text_of(held)) == (400, True)
    assert all_rows() == before
    Credit.objects.update(payer="")
    assert "Nothing proves which wallet paid" in text_of(owner.get(page_of(intent)))


def test_only_those_who_may_send_see_it(
    intent: PaymentIntent, merchant: Merchant, owner: Client, other_account: NewMerchant
) -> None:
    add_member(merchant, "viewer@example.com", Role.VIEWER)
    viewer = sign_in("viewer@example.com")
    assert viewer.get(page_of(intent)).status_code in {302, 403}
    assert owner.get(page_of(paid_intent(other_account.merchant, mode="test"))).status_code == 404


def test_a_new_refund_names_only_who_paid_as_much(intent: PaymentIntent, owner: Client) -> None:
    form = f"/dashboard/test/payments/{intent.pk}/refund/"
    assert "Several wallets paid" in text_of(owner.get(form))
    assert "It was paid from" not in text_of(owner.get(form))
    key = field_value(owner.get(form), "key")
    asked = send_form(owner, form, step="look", key=key, amount="20", reason="", destination="")
    assert f"It was paid from <code>{BOBS_EVM}" in text_of(asked)
