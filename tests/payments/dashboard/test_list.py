"""The list of payments, filtered by its address and in pages both ways; as a file; and what the home page asks for."""

import csv
import io
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from core.clock import now
from core.money import usd
from core.pagination import PageLimits
from dashboard.payments import export
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from payments.models import CountedElsewhere, Credit
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.factories.refunds import paid_intent, paid_leg
from tests.merchants.people import add_member, sign_in, text_of
from tests.payments.dashboard.stored import stored_intent
from tokens.models import Token

pytestmark = pytest.mark.slow
LIST, FILE = "/dashboard/test/payments/", "/dashboard/test/payments/export/"
ROW = re.compile(r'href="/dashboard/test/payments/([0-9a-f-]{36})/"')
WAY = re.compile(r'rel="(next|prev)" href="([^"]+)"')


def shown(client: Client, **asked: Any) -> list[str]:
    answer = client.get(LIST, asked)
    assert answer.status_code == 200, text_of(answer)
    return ROW.findall(text_of(answer))


def ways(client: Client, path: str = LIST) -> dict[str, str]:
    """Where the page leads: next is older, prev is newer."""
    return {kind: to.replace("&amp;", "&") for kind, to in WAY.findall(text_of(client.get(path)))}


def test_the_newest_is_first_and_said_in_words(owner: Client, merchant: Merchant) -> None:
    """A newcomer is told what will stand there."""
    page = text_of(owner.get(LIST))
    assert "Your payments will stand here" in page
    assert f"curl {settings.BASE_URL}/api/public/v1/payment-intents" in page
    old = stored_intent(merchant, 1, reference="A-1", customer_email="ann@payer.example")
    new = stored_intent(merchant, 2, status="settled", amount=usd("1234.5"), received_usd=usd("1234.5"))
    late = stored_intent(merchant, 3, status="expired", received_usd=usd("5"))
    assert shown(owner) == [str(late.pk), str(new.pk), str(old.pk)]
    page = text_of(owner.get(LIST))
    for told in ("$1,234.50", ">Paid<", "Waits for payer", "Expired, money arrived", "A-1", "ann@payer.example"):
        assert told in page


FILTERS: dict[str, tuple[dict[str, Any], list[int]]] = {
    "status": ({"status": "settled"}, [2]),
    "two statuses": ({"status": ["settled", "expired"]}, [3, 2]),
    "a day": ({"from": "2026-05-05", "to": "2026-05-05"}, [4]),
    "from a day": ({"from": "2026-05-05"}, [4]),
    "to a day": ({"to": "2026-05-04"}, [3, 2, 1]),
    "from an amount": ({"amount_gte": "25.01"}, [2]),
    "to an amount": ({"amount_lte": "24.99"}, [3]),
    "both amounts": ({"amount_gte": "25", "amount_lte": "25.00"}, [4, 1]),
    "chain": ({"settlement_chain": "solana"}, [4]),
    "token": ({"settlement_token": "pyusd"}, [2]),
    "reference": ({"reference": " A-1 "}, [1]),
    "e-mail": ({"customer_email": "ann@payer.example"}, [1]),
    "metadata": ({"metadata": "order = 17"}, [3]),
    "all at once": ({"status": "settled", "amount_gte": "26", "metadata": "order=18"}, [2]),
    "nothing": ({"reference": "A-2"}, []),
}


def test_each_filter(owner: Client, merchant: Merchant, other_account: NewMerchant, api: ApiClient) -> None:
    """REST has the same ones. What is not the merchant's, or of the other mode, is found by none."""
    for whose, mode in ((other_account.merchant, "test"), (merchant, "live")):
        stored_intent(whose, 1, mode=mode, status="settled", reference="A-1", metadata={"order": "18"})
    dear: dict[str, Any] = {"amount": usd("30"), "settlement_token": "PYUSD", "metadata": {"order": "18"}}
    rows = {
        1: stored_intent(merchant, 1, reference="A-1", customer_email="ann@payer.example"),
        2: stored_intent(merchant, 2, status="settled", **dear),
        3: stored_intent(merchant, 3, status="expired", amount=usd("20"), metadata={"order": 17}),
        4: stored_intent(merchant, 24 * 60, settlement_chain="solana"),
    }
    for name, (asked, expected) in FILTERS.items():
        assert shown(owner, **asked) == [str(rows[number].pk) for number in expected], name
    listed = api.get(
        "/payment-intents?amount_gte=30&amount_lte=30.00&settlement_chain=base&settlement_token=PYUSD"
    ).body
    assert [one["id"] for one in listed["data"]] == [str(rows[2].pk)]
    refused = api.get("/payment-intents?amount_gte=ten")
    assert (refused.status, refused.body["code"]) == (400, "invalid_parameter")


FAULTS = {
    "status": ({"status": "paid"}, "There is no such status."),
    "day": ({"from": "yesterday"}, "That is no day."),
    "impossible day": ({"to": "9999-12-31"}, "That is no day."),
    "amount": ({"amount_gte": "ten"}, "Write an amount in dollars"),
    "long amount": ({"amount_lte": "1" * 400}, "Write an amount in dollars"),
    "negative amount": ({"amount_lte": "-1"}, "Write an amount in dollars"),
    "metadata": ({"metadata": "A-1042"}, "Write a key and its value"),
    "metadata key": ({"metadata": "a[b]=1"}, "Write a key and its value"),
    "NUL": ({"reference": "a\x00b"}, "cannot contain NUL"),
    "too long": ({"reference": "x" * 513}, "That is too long"),
    "cursor": ({"starting_after": "x"}, "That page is gone."),
    "unknown cursor": ({"ending_before": "00000000-0000-4000-8000-000000000000"}, "That page is gone."),
}


def test_what_makes_no_sense_is_told_and_finds_nothing(owner: Client, merchant: Merchant) -> None:
    stored_intent(merchant)
    for name, (asked, words) in FAULTS.items():
        answer = owner.get(LIST, asked)
        assert answer.status_code == 400, name
        assert words in text_of(answer), name
        assert ROW.findall(text_of(answer)) == [], name


def test_pages_lead_both_ways_and_keep_the_filter(owner: Client, merchant: Merchant) -> None:
    made = [stored_intent(merchant, number, status="settled") for number in range(120)]
    stored_intent(merchant, 500)
    newest_first = [str(intent.pk) for intent in reversed(made)]
    pages = [newest_first[:50], newest_first[50:100], newest_first[100:]]
    here = f"{LIST}?status=settled"
    for number, way, others in ((0, "next", set()), (1, "next", {"prev"}), (2, "prev", set()), (1, "prev", {"next"})):
        assert ROW.findall(text_of(owner.get(here))) == pages[number]
        assert set(ways(owner, here)) == {way, *others}
        here = ways(owner, here)[way]
    assert ROW.findall(text_of(owner.get(here))) == pages[0]
    assert set(ways(owner, here)) == {"next"}


def test_viewers_see_no_payers(merchant: Merchant) -> None:
    add_member(merchant, "viewer@shop.example", Role.VIEWER)
    made = stored_intent(merchant, reference="A-1", customer_email="ann@payer.example", metadata={"order": "17"})
    other = stored_intent(merchant, 1)
    viewer = sign_in("viewer@shop.example")
    page = text_of(viewer.get(LIST))
    assert "A-1" in page
    assert [hidden for hidden in ("ann@payer.example", "Metadata", "Download as CSV") if hidden in page] == []
    asked = {"customer_email": "ann@payer.example", "metadata": "order=17"}
    assert shown(viewer, **asked) == [str(other.pk), str(made.pk)]


def lines(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_a_line_of_the_file_says_what_the_interface_says(owner: Client, merchant: Merchant, api: ApiClient) -> None:
    intent = stored_intent(merchant, reference="A-1", customer_email="ann@payer.example", metadata={"order": "17"})
    paid_leg(intent, tx_hash="0xaa", destination_tx_hash="0xbb")
    answer = owner.get(FILE)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="payments-test.csv"'
    [line] = lines(answer)
    body = api.get(f"/payment-intents/{intent.pk}").body
    assert list(line) == [*body, "transaction_hashes"]
    plain = {name: value for name, value in body.items() if isinstance(value, str)}
    assert {name: line[name] for name in plain} == plain
    assert (line["metadata"], line["transaction_hashes"]) == ('{"order":"17"}', "0xaa 0xbb")
    assert (line["partially_funded"], line["settled_at"], line["last_error"]) == ("false", "", "")


def test_every_chunk_of_the_file_is_written_once(
    owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "CHUNK", PageLimits(default=2, maximum=2))
    made = [stored_intent(merchant, number // 2) for number in range(7)]
    newest_first = sorted(made, key=lambda intent: (intent.created_at, intent.pk), reverse=True)
    assert [line["id"] for line in lines(owner.get(FILE))] == [str(intent.pk) for intent in newest_first]


def test_the_filter_of_the_list_holds_for_the_file(owner: Client, merchant: Merchant) -> None:
    wanted, _ = stored_intent(merchant, 1, reference="A-1"), stored_intent(merchant, 2)
    stored_intent(merchant, 3, reference="A-1", mode="live")
    assert [line["id"] for line in lines(owner.get(FILE, {"reference": "A-1"}))] == [str(wanted.pk)]
    refused = owner.get(FILE, {"status": "paid"})
    assert (refused.status_code, "There is no such status." in text_of(refused)) == (400, True)


def test_nothing_in_the_file_is_a_formula(owner: Client, merchant: Merchant) -> None:
    starts = ["=", "+", "-", "@", "\t", "\uff1d"]
    for number, start in enumerate(starts):
        stored_intent(merchant, -number, reference=f"{start}1+1", customer_email=f"{start}a@payer.example")
    told = [(line["reference"], line["customer_email"]) for line in lines(owner.get(FILE))]
    assert told == [(f"'{start}1+1", f"'{start}a@payer.example") for start in starts]


def test_payers_are_left_out_of_a_file(owner: Client, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    """No role of today saves files and sees no payers; the columns hang on their own act all the same."""
    stored_intent(merchant, customer_email="ann@payer.example", metadata={"order": "17"})
    monkeypatch.setattr("dashboard.visit.may", lambda role, act: act != "see_customers")
    [line] = lines(owner.get(FILE))
    assert {"customer_email", "metadata"} & set(line) == set()


HASH = "0x" + "77" * 32
NOBODYS = "Transfers that came inside a payer's transaction and count for nobody"
STRAY = "Tokens that came with a payment and were not asked for"
ELSEWHERE = "Payments whose transaction counts for another one"


def read(owner: Client, path: str = "") -> str:
    """A page's text; the home page's without a path."""
    return unescape(text_of(owner.get(f"/dashboard/test/{path}")))


def test_what_is_nobodys_is_shown(owner: Client, merchant: Merchant) -> None:
    """Money beside a payment that does not count for it: a task on the home page, a line on its timeline."""
    intent, beside = paid_intent(merchant, mode="test"), stored_intent(merchant)
    assert NOBODYS not in read(owner)
    made = credit(intent, 40_000_000, leg=paid_leg(intent), purpose="unattributed", block_time=now(), tx_hash=HASH)
    made.intent = None
    made.save(update_fields=["intent"])
    assert NOBODYS in read(owner)
    told = "40 USDC moved to the address inside the payer's transaction, and counts for nobody"
    assert told in read(owner, f"payments/{intent.pk}/")
    assert shown(owner, apart="unattributed") == [str(intent.pk)] != [str(beside.pk)]
    Credit.objects.filter(tx_hash=HASH).update(observed_at=now() - timedelta(days=31))
    assert NOBODYS not in read(owner)


@pytest.mark.spec("Rulings C11.1")
def test_a_token_that_was_not_asked_for_is_shown(owner: Client, merchant: Merchant) -> None:
    intent, _ = paid_intent(merchant, mode="test"), stored_intent(merchant)
    assert STRAY not in read(owner)
    weth = Token.objects.get(chain="base", symbol="WETH").address
    facts = {"purpose": "stray", "chain": "base", "token_address": weth, "block_time": now(), "final_at": now()}
    made = credit(intent, 3 * 10**15, leg=paid_leg(intent), tx_hash=HASH, **facts)
    assert STRAY in read(owner)
    told = "0.003 WETH, which was not asked for, arrived and counts for nothing"
    page = read(owner, f"payments/{intent.pk}/")
    assert told in page
    assert "0.003 WETH, which was not asked for, is deep enough in the chain" in page
    assert shown(owner, apart="stray") == [str(intent.pk)]
    made.reversed_at = now()
    made.save(update_fields=["reversed_at"])
    assert STRAY not in read(owner)


def test_what_counts_elsewhere_is_shown(owner: Client, merchant: Merchant) -> None:
    """A payment that was paid otherwise needs nobody."""
    intent, _ = stored_intent(merchant), stored_intent(merchant, 1)
    assert ELSEWHERE not in read(owner)
    facts = {"merchant": merchant, "mode": intent.mode, "intent": intent, "leg": paid_leg(intent), "told_at": now()}
    place = {"chain": "base", "tx_hash": HASH, "kind": "log", "position": "3", "base_units": 25_000_000}
    CountedElsewhere.objects.create(**facts | place)
    assert ELSEWHERE in read(owner)
    told = "25 USDC came with this payment's mark, and counts for another one"
    assert told in read(owner, f"payments/{intent.pk}/")
    assert shown(owner, apart="elsewhere") == [str(intent.pk)]
    for status in ("settled", "refunded"):
        intent.status = status
        intent.save()
        assert ELSEWHERE not in read(owner), status
