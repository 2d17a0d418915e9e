"""The queue of refunds: what needs an address first, filters in the address, pages, a file, what others hear."""

import csv
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, UsdAmount
from dashboard.refunds.finding import find_refunds, refunds_in_need
from dashboard.refunds.story import story_of_payment
from dashboard.visit import Visit
from merchants.models import Change, Merchant, Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from refunds.models import Refund
from tests.factories.payments import ANNS_SOLANA
from tests.factories.refunds import paid_intent
from tests.merchants.people import add_member, send_form, sign_in, text_of
from tests.refunds.claiming import ELSEWHERE, PAYER, claim, paid_by, signed, text_for, waiting_refund

LIST = "/dashboard/test/refunds/"


@pytest.fixture
def visit(account: NewMerchant) -> Visit:
    principal = Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{account.owner.pk}")
    return Visit(person=account.owner, merchant=account.merchant, role=Role.OWNER, principal=principal)


def refund_of(merchant: Merchant, **fields: Any) -> Refund:
    facts = {
        "intent": fields.pop("intent", None) or paid_intent(merchant, mode=fields.get("mode", "test")),
        **{"status": "paid", "amount_usd": UsdAmount(Decimal(5)), "base_units": BaseUnits(5_000_000)},
        **{"chain": "base", "token": "USDC", "token_decimals": 6, "mode": "test"},
    }
    made: Refund = Refund.objects.create(merchant=merchant, **facts | fields)
    return made


def shown(page: Any) -> list[str]:
    table = text_of(page).rpartition('id="all-title"')[2]
    return [part[:36] for part in table.split("/dashboard/test/refunds/")[1:] if part[36:38] == '/"']


def test_what_needs_an_address_is_on_top_oldest_first_and_support_may_ask(merchant: Merchant, owner: Client) -> None:
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, PAYER.address)
    new, old = (
        refund_of(merchant, status="waiting", intent=intent, created_at=now() - timedelta(days=days)) for days in (1, 9)
    )
    refund_of(merchant, reason="=HYPERLINK(1)")
    assert "'=HYPERLINK(1)" in b"".join(owner.get(f"{LIST}export/")).decode()
    assert f"/dashboard/test/payments/{intent.pk}/refund/" in text_of(
        owner.get(f"/dashboard/test/payments/{intent.pk}/")
    )
    page = text_of(owner.get(LIST))
    top = page.partition('data-testid="needing"')[2].partition("</section>")[0]
    assert top.index(str(old.pk)) < top.index(str(new.pk))
    assert top.count("Use the paying wallet") == 2
    assert PAYER.address in top
    assert "It may be an exchange’s" in top
    add_member(merchant, "support@shop.example", Role.SUPPORT)
    page = text_of(sign_in("support@shop.example").get(LIST))
    assert f"{LIST}{old.pk}/ask/" in page
    assert "Enter an address" not in page


FILTERS = {
    "": ["waiting", "queued", "wallet", "paid", "failed"],
    "status=paid": ["paid"],
    "status=queued": ["queued", "wallet"],
    "waits=address": ["waiting"],
    "waits=signature": ["wallet"],
    "waits=nothing": ["queued", "paid", "failed"],
    "waits=signature&status=queued": ["wallet"],
    "waits=address&status=paid": [],
    "since=2026-05-03": ["wallet", "paid", "failed"],
    "until=2026-05-03": ["waiting", "queued", "wallet"],
    "since=2026-05-03&until=2026-05-03": ["wallet"],
}


@pytest.fixture
def five(merchant: Merchant) -> dict[str, str]:
    """One refund a day from the first of May on, and their names by id."""
    kinds: dict[str, dict[str, Any]] = {
        "waiting": {"status": "waiting"},
        "queued": {"status": "queued", "rail": "simulated"},
        "wallet": {"status": "queued", "rail": "merchant_wallet"},
        "paid": {"status": "paid", "rail": "merchant_wallet"},
        "failed": {"status": "failed"},
    }
    days = enumerate(kinds.items(), start=1)
    return {
        str(refund_of(merchant, created_at=datetime(2026, 5, day, 12, tzinfo=UTC), **facts).pk): name
        for day, (name, facts) in days
    }


def test_list_and_file_are_filtered(five: dict[str, str], merchant: Merchant, owner: Client, visit: Visit) -> None:
    """And nothing of the other mode; home counts what waits for a person."""
    live = str(refund_of(merchant, mode="live").pk)
    for query, wanted in FILTERS.items():
        page = owner.get(f"{LIST}?{query}")
        assert (page.status_code, [five[one] for one in shown(page)]) == (200, wanted[::-1]), query
        rows = list(csv.DictReader(StringIO(b"".join(owner.get(f"{LIST}export/?{query}")).decode())))
        assert [five[row["id"]] for row in rows] == wanted[::-1], query
    for query in (
        *("status=lost", "waits=me", "since=May", "until=2026-02-31", "until=9999-12-31&since=x", "after=nothing"),
        f"after={live}",
    ):
        page = owner.get(f"{LIST}?{query}")
        assert (page.status_code, shown(page), 'role="alert"' in text_of(page)) == (400, [], True), query
    refund_of(merchant, status="failed", updated_at=now() - timedelta(days=31))
    told = {need.words: (len(list(need.count)), need.tone) for need in refunds_in_need(visit)}  # type: ignore[arg-type]  # these are querysets
    assert told == {
        "Refunds need an address.": (1, "warn"),
        "Refunds await your wallet’s signature.": (1, "warn"),
        "Refunds by key to new addresses wait for somebody’s word.": (0, "bad"),
        "Refunds failed in the last 30 days.": (1, "bad"),
    }


def test_pages_follow_each_other_without_a_gap_and_cost_few_queries(merchant: Merchant, owner: Client) -> None:
    intent, kinds = paid_intent(merchant, mode="test"), ("paid", "waiting", "waiting")
    made = [
        refund_of(merchant, intent=intent, status=kinds[n % 3], created_at=now() - timedelta(minutes=n))
        for n in range(120)
    ]
    seen: list[str] = []
    address = LIST
    for _ in range(3):
        with CaptureQueriesContext(connection) as asked:
            page = owner.get(address)
        seen += shown(page)
        text = text_of(page)
        address = LIST + text.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert seen == [str(refund.pk) for refund in made]
    assert 'rel="next"' not in text
    assert len(asked) <= 15, [one["sql"] for one in asked]


def test_the_paying_wallet_is_offered_and_must_be_confirmed(merchant: Merchant, owner: Client) -> None:
    intent = paid_intent(merchant, mode="test")
    paid_by(intent, PAYER.address)
    refund = waiting_refund(merchant, "5", intent=intent)
    path = f"{LIST}{refund.pk}/destination/"
    assert f'value="{PAYER.address}"' not in text_of(owner.get(path))
    filled = text_of(owner.get(f"{path}?use=wallet"))
    assert f'value="{PAYER.address}"' in filled
    assert "exchange’s own wallet" in filled
    for spelled in (PAYER.address, PAYER.address.lower()):
        refused = send_form(owner, path, destination=spelled)
        assert (refused.status_code, "Tick that the payer called it its own" in text_of(refused)) == (400, True)
    refund.refresh_from_db()
    assert refund.status == "waiting"
    assert send_form(owner, path, destination=PAYER.address, theirs="on").status_code == 302
    refund.refresh_from_db()
    assert (refund.status, refund.destination) == ("queued", PAYER.address)


WRONG_ADDRESSES = {
    "payer.eth": "Names are not looked up.",
    ANNS_SOLANA: "This is an address of Solana, and the refund goes out on Base",
    "0x12": "40 hexadecimal digits",
    "0x52908400098527886e0F7030069857D2E4169EE7": "does not match its checksum",
    "0x" + "0" * 40: "reserved by the chain",
    "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913": "own address, not a wallet",
    "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE": "public contract",
    "": "40 hexadecimal digits",
    "x" * 500: "40 hexadecimal digits",
}


def test_every_wrong_address_has_its_sentence(merchant: Merchant, owner: Client) -> None:
    refund = waiting_refund(merchant, mode="test")
    for typed, words in WRONG_ADDRESSES.items():
        page = send_form(owner, f"{LIST}{refund.pk}/destination/", destination=typed)
        assert (page.status_code, words in text_of(page)) == (400, True), typed
    refund.refresh_from_db()
    assert (refund.status, refund.destination) == ("waiting", "")


def test_a_failed_refund_says_what_to_do_and_can_be_made_again(merchant: Merchant, owner: Client) -> None:
    refund = refund_of(merchant, status="failed", failure_reason="destination_blocked", reason="Sold out")
    page = text_of(owner.get(f"{LIST}{refund.pk}/"))
    assert "The token’s issuer blocks the address." in page
    assert "Ask the payer for another address" in page
    again = f"/dashboard/test/payments/{refund.intent_id}/refund/?amount=5.00&amp;reason=Sold+out"
    assert again in page
    form = text_of(owner.get(again.replace("&amp;", "&")))
    assert 'value="5.00"' in form
    assert 'value="Sold out"' in form


def test_the_search_finds_refunds_by_id_transaction_and_address(merchant: Merchant, visit: Visit) -> None:
    tx_hash = "0x" + "ab" * 32
    refund = refund_of(merchant, tx_hash=tx_hash, destination=ELSEWHERE)
    live = refund_of(merchant, mode="live", tx_hash=tx_hash, destination=ELSEWHERE)
    for text in (str(refund.pk), tx_hash, tx_hash.upper().replace("0X", "0x"), ELSEWHERE, ELSEWHERE.lower()):
        [hit] = find_refunds(visit, text)
        assert (hit.kind, hit.url) == ("Refund", f"{LIST}{refund.pk}/"), text
    for text in (str(live.pk), "", "0x", "nothing", "x" * 600, "a\0b"):
        assert not list(find_refunds(visit, text)), text


def test_a_payments_story_tells_of_its_refunds_in_one_query(merchant: Merchant, visit: Visit) -> None:
    refund = waiting_refund(merchant, mode="test")
    told = text_for(refund)
    assert claim(refund, told["nonce"], signed(told["message"])).status == 200
    with CaptureQueriesContext(connection) as asked:
        lines = list(story_of_payment(visit, refund.intent_id))
    assert len(asked) == 1
    assert [(line.what, line.by) for line in reversed(lines)] == [
        ("Refund of $25.00 made", "key:1"),
        ("Refund of $25.00 was given an address", f"payer:…{PAYER.address[-6:]}"),
    ]
    assert lines[0].why == "Signed for by the wallet that paid"
    assert {line.kind for line in lines} == {"refund"}


def ask_page(refund: Refund) -> str:
    return f"/dashboard/{refund.mode}/refunds/{refund.pk}/ask/"


def test_the_claim_link_is_shown_and_mailed_once_an_hour(merchant: Merchant, owner: Client) -> None:
    refund = waiting_refund(merchant, mode="test")
    type(refund.intent).objects.filter(pk=refund.intent_id).update(customer_email="payer@example.org")
    page = text_of(owner.get(ask_page(refund)))
    link = f"http://localhost:8000/claim/{refund.pk}"
    assert link in page
    assert "payer@example.org" in page
    assert send_form(owner, ask_page(refund)).status_code == 302
    [letter] = mail.outbox
    assert (letter.to, link in letter.body, "25.00 USDC" in letter.body) == (["payer@example.org"], True, True)
    again = send_form(owner, ask_page(refund))
    assert (again.status_code, "within the last hour" in text_of(again), len(mail.outbox)) == (400, True, 1)
    assert Change.objects.get(action="refund.payer_asked").subject == str(refund.pk)


def test_nobody_is_mailed_without_an_address_or_when_nothing_waits(merchant: Merchant, owner: Client) -> None:
    """And a merchant's name cannot write a letter of its own."""
    Merchant.objects.filter(pk=merchant.pk).update(name="Shop\r\nBcc: all@example.org\r\n" + "x" * 60)
    refund = waiting_refund(merchant, mode="test")
    refused = send_form(owner, ask_page(refund))
    assert (refused.status_code, "No e-mail address came with this payment" in text_of(refused)) == (400, True)
    Refund.objects.filter(pk=refund.pk).update(status="cancelled")
    type(refund.intent).objects.filter(pk=refund.intent_id).update(customer_email="payer@example.org")
    assert send_form(owner, ask_page(refund)).status_code == 400
    assert (mail.outbox, Change.objects.filter(action="refund.payer_asked").count()) == ([], 0)
    Refund.objects.filter(pk=refund.pk).update(status="waiting")
    send_form(owner, ask_page(refund))
    [letter] = mail.outbox
    assert letter.recipients() == ["payer@example.org"]
    assert "\nBcc" not in letter.body
