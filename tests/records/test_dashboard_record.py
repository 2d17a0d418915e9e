"""The page of a payment's receipt, and the record to be saved."""

import json

import pytest
from causeway_sdk.records import verify
from django.test import Client

from records.services import sweep_due
from tests.conftest import ApiClient
from tests.merchants.people import OWNER, sign_in, text_of
from tests.payments.world import World, create
from tests.payouts.stories import settled

pytestmark = pytest.mark.django_db


def test_a_settled_payment_leads_to_its_receipt_and_to_the_file(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    sweep_due()
    client = sign_in(OWNER)
    payment = f"/dashboard/test/payments/{intent['id']}/"
    assert f"{payment}record/" in client.get(payment).content.decode()
    page = client.get(f"{payment}record/")
    words = text_of(page)
    assert "Test mode: the chain is simulated, so no money moved and nobody held any." in words
    assert "25.00 USD" in words
    saved = client.get(f"{payment}record/download/")
    assert saved["Content-Disposition"] == f'attachment; filename="flight-record-{intent["id"]}.json"'
    assert saved.content == api.get(f"/payment-intents/{intent['id']}/flight-record").raw
    keys = Client().get("/.well-known/causeway-receipt-keys.json").content
    assert verify(saved.content, keys).problems == []


def test_before_it_settled_there_is_a_record_and_no_receipt(api: ApiClient) -> None:
    intent = create(api)
    client = sign_in(OWNER)
    payment = f"/dashboard/test/payments/{intent['id']}/"
    assert "Receipt and record" not in client.get(payment).content.decode()
    assert "There is no receipt yet" in text_of(client.get(f"{payment}record/"))
    assert json.loads(client.get(f"{payment}record/download/").content)["seals"] == []


def test_the_page_that_checks_without_a_server_is_there_to_be_saved() -> None:
    answer = Client().get("/docs/verify.html")
    assert (answer.status_code, answer["Content-Disposition"]) == (200, 'attachment; filename="verify.html"')
    assert b"default-src 'none'" in answer.content
