"""Daily statements: each begins where the one before ended, says what was booked, and whoever alters one is found."""

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import transaction

from core.clock import now
from ledger.models import Posting, Statement, StatementDay
from ledger.selectors import balances
from ledger.statements import TYPE, file_of, line_of, write_statements
from merchants.models import Merchant
from merchants.principal import Principal
from operations.opening import open_books
from payments.models import Credit
from proofs.canonical import canonical
from proofs.keys import published
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.ledger.forgetting import went_around
from tests.ledger.test_books import WHOLE, both
from tests.ledger.test_books import balances as booked
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, settled, work

DAY = 86_400


@pytest.fixture(autouse=True)
def _books(db: None) -> None:
    assert open_books()


def shown(statement: Statement) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(statement.document)
    return document


def test_two_days_are_two_statements_that_follow_each_other(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    assert write_statements() == 0
    world.wait(DAY)
    assert (write_statements(), write_statements()) == (1, 0)
    refund(api, intent, 10, destination=PAYEE)
    work(world)
    world.wait(2 * DAY)
    assert write_statements() == 2
    first, second = Statement.objects.order_by("day", "pk")
    assert StatementDay.objects.count() == 3
    received = {"base_units": "25000000", "amount_usd": "25.000000"}
    sent = {"base_units": "-25000000", "amount_usd": "-25.000000"}
    assert shown(first)["opening"] == {}
    assert shown(first)["closing"] == {"received": received, "payments": sent}
    assert shown(second)["opening"] == shown(first)["closing"]
    assert shown(second)["previous"] == first.digest == sha256(first.document.encode()).hexdigest()
    assert shown(second)["closing"]["refunded"] == {"base_units": "10000000", "amount_usd": "10.000000"}
    lines = Posting.objects.filter(booked_at__date=second.day).order_by("booked_at", "pk")
    digest = sha256("\n".join(line_of(row) for row in lines).encode()).hexdigest()
    assert (shown(second)["postings_sha256"], shown(second)["postings"]) == (digest, len(lines))
    assert violations() == []


def test_a_statement_is_signed_by_the_published_key(world: World, api: ApiClient) -> None:
    settled(world, api)
    world.wait(DAY)
    write_statements()
    kept = json.loads(file_of(Statement.objects.get()))
    [key] = [one for one in json.loads(published())["keys"] if one["id"] == kept["key_id"]]
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public_key"]))
    content = f"{TYPE}\n".encode() + canonical(kept["statement"])
    public.verify(bytes.fromhex(kept["signature"]), content)
    with pytest.raises(InvalidSignature):
        public.verify(bytes.fromhex(kept["signature"]), content.replace(b"25.000000", b"26.000000"))


def test_a_balance_is_the_newest_statement_and_what_came_since(
    world: World, api: ApiClient, principal: Principal, merchant: Merchant
) -> None:
    settled(world, api)
    world.wait(DAY)
    write_statements()
    settled(world, api)
    [found] = balances(principal)
    assert {account.value: tuple(amount) for account, amount in found.amounts.items()} == booked()
    assert booked()["received"] == both(2 * WHOLE)
    assert found.asset.merchant_id == merchant.pk


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE ledger_statement SET digest = 'f'", ["is not what was written"]),
        ("UPDATE ledger_posting SET amount_usd = 2 * amount_usd", ["does not say what was booked on"]),
    ],
)
def test_what_was_altered_is_found(statement: str, says: list[str], world: World, api: ApiClient) -> None:
    settled(world, api)
    world.wait(DAY)
    write_statements()
    with transaction.atomic():
        went_around(statement, table=statement.split()[1])
        found = [line for line in violations() if "statement" in line]
        assert [word in line for line, word in zip(found, says, strict=True)] == [True] * len(says)


def test_an_unbalanced_posting_is_found(world: World, api: ApiClient) -> None:
    settled(world, api)
    credit = Credit.objects.get()
    row = Posting.objects.get(account="received")
    went_around("UPDATE ledger_posting SET base_units = %s WHERE id = %s", 24_000_000, row.pk)
    stands = f"payments -{WHOLE}/-{WHOLE}, received {WHOLE}/{WHOLE}"
    is_booked = f"payments -{WHOLE}/-{WHOLE}, received 24000000/{WHOLE}"
    assert violations() == [
        f"I21 entry {row.entry} is off by -1000000 base units and 0 micro-dollars",
        f"I21 credit {credit.pk} stands for {stands}, and is booked as {is_booked}",
    ]


def test_what_is_booked_of_nothing_and_what_is_not_booked_is_found(world: World, api: ApiClient) -> None:
    settled(world, api)
    credit = Credit.objects.get()
    went_around("UPDATE ledger_posting SET source_id = '999999'")
    found = violations()
    assert "I21 credit 999999 is booked, and does not exist" in found
    assert [line for line in found if line.startswith(f"I21 credit {credit.pk} stands for")] != []
    assert now() - timedelta(days=1) < credit.observed_at
