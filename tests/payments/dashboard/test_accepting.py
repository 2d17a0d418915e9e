"""Accepting what arrived of a payment: a page that asks, then does it."""

import pytest
from django.test import Client

from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.merchants.people import OWNER, add_member, add_second_factor, confirm_identity, send_form, sign_in, text_of
from tests.payments.dashboard.stored import stored_intent
from tests.payments.statuses import intent_in
from tests.payments.world import World, events

pytestmark = pytest.mark.slow


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed, with a second factor."""
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client


def path_of(intent_id: object) -> str:
    """Where the payment's page is."""
    return f"/dashboard/test/payments/{intent_id}/"


def test_accepting_asks_first(world: World, api: ApiClient, owner: Client) -> None:
    intent = intent_in(world, api, "partially_filled")
    told, here = events(intent), path_of(intent["id"])
    assert "Accept what arrived" in text_of(owner.get(here))
    asks = " ".join(text_of(owner.get(f"{here}accept/")).split())
    assert "$15.00 of $25.00 arrived; $10.00 is missing." in asks
    assert f"/payment-intents/{intent['id']}/accept-partial" in asks
    assert PaymentIntent.objects.get().status == "partially_filled"
    assert send_form(owner, f"{here}accept/").headers["Location"] == here
    assert (PaymentIntent.objects.get().status, events(intent)) == ("settled", [*told, "settled"])
    page = text_of(owner.get(here))
    assert "The part was taken as the whole" in page
    assert "owner@shop.example" in page
    assert "accept/" not in page


def test_a_second_press_settles_once(world: World, api: ApiClient, owner: Client) -> None:
    intent = intent_in(world, api, "partially_filled")
    here = path_of(intent["id"])
    send_form(owner, f"{here}accept/")
    told = events(intent)
    answer = send_form(owner, f"{here}accept/", at="/dashboard/test/")
    assert answer.headers["Location"] == here
    assert "this one is settled" in text_of(owner.get(here))
    assert (events(intent), told.count("settled")) == (told, 1)
    assert "There is nothing to accept" in text_of(owner.get(f"{here}accept/"))


def test_while_more_is_on_its_way_the_page_says_so(world: World, api: ApiClient, owner: Client) -> None:
    intent = intent_in(world, api, "partially_filled")
    here = path_of(intent["id"])
    PaymentIntent.objects.get().legs.update(status="in_doubt")
    assert "More of this payment is on its way" in text_of(owner.get(f"{here}accept/"))
    send_form(owner, f"{here}accept/", at="/dashboard/test/")
    assert PaymentIntent.objects.get().status == "partially_filled"


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.SUPPORT, Role.VIEWER])
def test_only_who_may_move_money_is_offered_it(world: World, api: ApiClient, merchant: Merchant, role: Role) -> None:
    intent = intent_in(world, api, "partially_filled")
    add_member(merchant, "other@shop.example", role)
    browser, here = sign_in("other@shop.example"), path_of(intent["id"])
    assert "accept/" not in text_of(browser.get(here))
    before = all_rows()
    assert send_form(browser, f"{here}accept/", at="/dashboard/test/").status_code == 403
    assert all_rows() == before
    assert PaymentIntent.objects.get().status == "partially_filled"


def test_identity_is_asked_for_again(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent, client = intent_in(world, api, "partially_filled"), sign_in(OWNER)
    add_second_factor(OWNER)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    path = f"{path_of(intent['id'])}accept/"
    assert send_form(client, path, at="/dashboard/test/").headers["Location"] == path
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/accounts/reauthenticate/")
    assert PaymentIntent.objects.get().status == "partially_filled"


def test_what_nobody_paid_is_not_offered(owner: Client, merchant: Merchant) -> None:
    intent = stored_intent(merchant)
    assert "accept/" not in text_of(owner.get(path_of(intent.pk)))
