"""The books on the dashboard: balances, one asset, an entry's way back, statements, and the accountant's file."""

import csv
import io
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from core.clock import now
from ledger.models import Opening, Posting, Statement
from ledger.statements import write_statements
from merchants.services import NewMerchant
from operations.opening import open_books
from payments.models import Credit
from tests.conftest import ApiClient
from tests.factories.refunds import USDC_ON_BASE
from tests.merchants.people import confirm_identity, sign_in, text_of
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, settled, work

BOOKS = "/dashboard/test/books/"
SIDES = ("debit", "credit")
ASSET = f"{BOOKS}asset/?chain=base&token={USDC_ON_BASE}"


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    client = sign_in(account.owner.email)
    confirm_identity(client)
    return client


def test_balances_and_the_way_from_an_entry_to_its_transaction(world: World, api: ApiClient, owner: Client) -> None:
    page = text_of(owner.get(BOOKS))
    assert "Nothing is booked yet" in page
    intent = settled(world, api)
    made = refund(api, intent, 10, destination=PAYEE)
    work(world)
    page = text_of(owner.get(BOOKS))
    assert "still being carried over" in page
    Opening.objects.create(finished_at=now())
    page = text_of(owner.get(BOOKS))
    for words in ("Received", "15.00 USDC", "Refunded", "10.00 USDC", "Payments", "25.00 USDC"):
        assert words in page, words
    assert "still being carried over" not in page

    page = text_of(owner.get(ASSET))
    entries = re.findall(r'href="/dashboard/test/books/entries/(\d+)/"', page)
    assert len(entries) == Posting.objects.count()
    credit = Credit.objects.get()
    of_credit = Posting.objects.filter(source="credit").latest("pk")
    entry = text_of(owner.get(f"{BOOKS}entries/{of_credit.pk}/"))
    assert credit.tx_hash in entry
    assert f"/dashboard/test/payments/{intent['id']}/" in entry
    of_refund = Posting.objects.filter(source="refund").latest("pk")
    assert f"/dashboard/test/refunds/{made['id']}/" in text_of(owner.get(f"{BOOKS}entries/{of_refund.pk}/"))


def test_a_statement_and_the_file_say_the_same(world: World, api: ApiClient, owner: Client) -> None:
    assert open_books()
    settled(world, api)
    world.wait(86_400)
    write_statements()
    statement = Statement.objects.get()
    assert f"/dashboard/test/books/statements/{statement.pk}/" in text_of(owner.get(ASSET))
    kept = json.loads(owner.get(f"{BOOKS}statements/{statement.pk}/").content)["statement"]
    answer: Any = owner.get(f"{BOOKS}export/?from=2026-05-04")
    file = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(file)))
    for account, amount in kept["closing"].items():
        mine = [row for row in rows if row["account"] == account]
        for name in ("base_units", "usd"):
            debits, credits = (sum(Decimal(row[f"{side}_{name}"] or 0) for row in mine) for side in SIDES)
            assert debits - credits == Decimal(amount["amount_usd" if name == "usd" else name])
    assert {row["token"] for row in rows} == {"USDC"}
    assert {row["debit"] or row["credit"] for row in rows} == {"25.00"}
    for address in (f"{BOOKS}export/?from=soon", f"{ASSET}&from=soon"):
        refused = owner.get(address)
        assert (refused.status_code, "is no day" in text_of(refused)) == (400, True)
