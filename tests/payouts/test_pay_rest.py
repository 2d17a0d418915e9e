"""Paying out what came after a payout, or what a refund gave free again: on the payout's page."""

from decimal import Decimal
from uuid import UUID

import pytest
from django.test import Client

from merchants.principal import Principal
from merchants.services import NewMerchant
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.merchants.people import OWNER, confirm_identity, field_value, send_form, sign_in, text_of
from tests.payments.world import World
from tests.payouts.stories import asked, run, sent, settled
from tests.refunds.stories import PAYEE, ask, refund, work

LIST = "/dashboard/test/payouts/"


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed."""
    client = sign_in(OWNER)
    confirm_identity(client)
    return client


@pytest.mark.slow
def test_what_a_cancelled_refund_gave_free_is_paid_out(
    world: World, api: ApiClient, principal: Principal, owner: Client
) -> None:
    intent = settled(world, api)
    waiting = refund(api, intent, 10)
    payout = asked(principal, intent)
    run(world)
    page = text_of(owner.get(f"{LIST}{payout.pk}/"))
    assert "Left to refunds" in page
    assert "$10.00" in page
    assert "Pay out the rest" not in page
    assert api.post(f"/refunds/{waiting['id']}/cancel").status == 200
    assert "This payment holds $10.00 more" in text_of(owner.get(f"{LIST}{payout.pk}/"))
    assert "Pay out the other $10.00?" in text_of(owner.get(f"{LIST}{payout.pk}/rest/"))
    assert Payout.objects.count() == 1
    answer = send_form(owner, f"{LIST}{payout.pk}/rest/")
    rest = Payout.objects.exclude(pk=payout.pk).get()
    assert answer.headers["Location"] == f"{LIST}{rest.pk}/"
    run(world)
    rest.refresh_from_db()
    assert (rest.status, rest.amount_usd, rest.base_units) == ("paid", Decimal(10), 10_000_000)
    assert [one.base_units for one in [*sent(payout), *sent(rest)]] == [15_000_000, 10_000_000]
    assert "Nothing is left to pay out" in text_of(owner.get(f"{LIST}{rest.pk}/rest/"))
    send_form(owner, f"{LIST}{rest.pk}/rest/")
    assert Payout.objects.count() == 2


@pytest.mark.slow
def test_a_refund_of_what_was_paid_out_asks_for_the_merchants_word(
    world: World, api: ApiClient, principal: Principal, owner: Client
) -> None:
    intent = settled(world, api)
    asked(principal, intent)
    run(world)
    path = f"/dashboard/test/payments/{intent['id']}/refund/"
    page = owner.get(path)
    assert "$25.00 of this payment were paid out to you already." in text_of(page)
    assert field_value(page, "amount") == "25.00"
    form = {"key": field_value(page, "key"), "amount": "10", "reason": "", "destination": PAYEE}
    refused = send_form(owner, path, step="send", **form)
    assert "25.00 USD of this payment were paid out" in text_of(refused)
    assert not Refund.objects.exists()
    look = send_form(owner, path, step="look", from_other_funds="on", **form)
    assert 'name="from_other_funds" value="on"' in look.content.decode()
    send_form(owner, path, step="send", from_other_funds="on", **form)
    work(world)
    made = Refund.objects.get()
    assert (made.status, made.other_funds_usd) == ("paid", Decimal(10))
    assert ask(api, intent, 16, from_other_funds=True).status == 422
    assert UUID(intent["id"]) == made.intent_id


@pytest.mark.slow
def test_the_rest_of_a_rest_is_paid_out_from_the_first_payouts_page(
    world: World, api: ApiClient, principal: Principal, owner: Client
) -> None:
    intent = settled(world, api)
    one, other = refund(api, intent, 10), refund(api, intent, 5)
    payout = asked(principal, intent)
    run(world)
    for waiting in (one, other):
        assert api.post(f"/refunds/{waiting['id']}/cancel").status == 200
        send_form(owner, f"{LIST}{payout.pk}/rest/")
        run(world)
    assert [int(row.amount_usd) for row in Payout.objects.order_by("created_at", "pk")] == [10, 10, 5]
