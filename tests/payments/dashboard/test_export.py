"""Payments as a file: what the list shows, in the columns of the interface, harmless to spreadsheets."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from core.pagination import PageLimits
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from payments.dashboard import export
from tests.conftest import ApiClient
from tests.factories.refunds import paid_leg
from tests.merchants.people import add_member, sign_in, text_of
from tests.payments.dashboard.stored import stored_intent

pytestmark = pytest.mark.slow
FILE = "/dashboard/test/payments/export/"


def rows(answer: Any) -> list[dict[str, str]]:
    """The file's lines by the names of its columns."""
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_a_line_says_what_the_interface_says(owner: Client, merchant: Merchant, api: ApiClient) -> None:
    intent = stored_intent(merchant, reference="A-1", customer_email="ann@payer.example", metadata={"order": "17"})
    paid_leg(intent, tx_hash="0xaa", destination_tx_hash="0xbb")
    answer = owner.get(FILE)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="payments-test.csv"'
    [line] = rows(answer)
    body = api.get(f"/payment-intents/{intent.pk}").body
    assert list(line) == [*body, "transaction_hashes"]
    plain = {name: value for name, value in body.items() if isinstance(value, str)}
    assert {name: line[name] for name in plain} == plain
    assert (line["metadata"], line["transaction_hashes"]) == ('{"order":"17"}', "0xaa 0xbb")
    assert (line["partially_funded"], line["settled_at"], line["last_error"]) == ("false", "", "")


def test_every_chunk_is_written_once(owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "CHUNK", PageLimits(default=2, maximum=2))
    made = [stored_intent(merchant, number // 2) for number in range(7)]
    newest_first = sorted(made, key=lambda intent: (intent.created_at, intent.pk), reverse=True)
    assert [line["id"] for line in rows(owner.get(FILE))] == [str(intent.pk) for intent in newest_first]


def test_the_filter_of_the_list_holds(owner: Client, merchant: Merchant, other_account: NewMerchant) -> None:
    wanted = stored_intent(merchant, 1, reference="A-1")
    stored_intent(merchant, 2)
    stored_intent(merchant, 3, reference="A-1", mode="live")
    stored_intent(other_account.merchant, 4, reference="A-1")
    assert [line["id"] for line in rows(owner.get(FILE, {"reference": "A-1"}))] == [str(wanted.pk)]
    refused = owner.get(FILE, {"status": "paid"})
    assert refused.status_code == 400
    assert "There is no such status." in text_of(refused)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\uff1d"])
def test_nothing_is_a_formula(owner: Client, merchant: Merchant, start: str) -> None:
    stored_intent(merchant, reference=f"{start}1+1", customer_email=f"{start}a@payer.example")
    [line] = rows(owner.get(FILE))
    assert (line["reference"], line["customer_email"]) == (f"'{start}1+1", f"'{start}a@payer.example")


def test_who_may_save_a_file(merchant: Merchant) -> None:
    stored_intent(merchant, customer_email="ann@payer.example")
    for role, status in ((Role.SUPPORT, 200), (Role.VIEWER, 403)):
        add_member(merchant, f"{role}@shop.example", role)
        assert sign_in(f"{role}@shop.example").get(FILE).status_code == status


def test_payers_are_left_out_for_who_may_not_see_them(
    owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No role of today saves files and sees no payers; the columns hang on their own act all the same."""
    stored_intent(merchant, customer_email="ann@payer.example", metadata={"order": "17"})
    monkeypatch.setattr("merchants.panels.may", lambda role, act: act != "see_customers")
    [line] = rows(owner.get(FILE))
    assert "customer_email" not in line
    assert "metadata" not in line
