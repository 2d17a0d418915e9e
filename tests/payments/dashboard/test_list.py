"""The list of payments: newest first, filtered by its address, in pages both ways."""

import re
from typing import Any

import pytest
from django.test import Client

from core.money import usd
from merchants.models import Merchant, Role
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.merchants.people import add_member, sign_in, text_of
from tests.payments.dashboard.stored import HOSTILE, stored_intent

pytestmark = pytest.mark.slow
LIST = "/dashboard/test/payments/"
ROW = re.compile(r'href="/dashboard/test/payments/([0-9a-f-]{36})/"')
WAY = re.compile(r'rel="(next|prev)" href="([^"]+)"')


def shown(client: Client, **asked: Any) -> list[str]:
    """The ids on the page, in their order."""
    answer = client.get(LIST, asked)
    assert answer.status_code == 200, text_of(answer)
    return ROW.findall(text_of(answer))


def ways(client: Client, path: str = LIST) -> dict[str, str]:
    """Where the page leads: next is older, prev is newer."""
    return {kind: to.replace("&amp;", "&") for kind, to in WAY.findall(text_of(client.get(path)))}


def test_a_newcomer_is_told_what_will_stand_there(owner: Client) -> None:
    page = text_of(owner.get(LIST))
    assert "Your payments will stand here" in page
    assert "payment-intents" in page


def test_the_newest_is_first_and_said_in_words(owner: Client, merchant: Merchant) -> None:
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


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter(owner: Client, merchant: Merchant, name: str) -> None:
    asked, expected = FILTERS[name]
    rows = {
        1: stored_intent(merchant, 1, reference="A-1", customer_email="ann@payer.example"),
        2: stored_intent(
            merchant, 2, status="settled", amount=usd("30"), settlement_token="PYUSD", metadata={"order": "18"}
        ),
        3: stored_intent(merchant, 3, status="expired", amount=usd("20"), metadata={"order": 17}),
        4: stored_intent(merchant, 24 * 60, settlement_chain="solana"),
    }
    assert shown(owner, **asked) == [str(rows[number].pk) for number in expected]


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


@pytest.mark.parametrize("name", FAULTS)
def test_what_makes_no_sense_is_told_and_finds_nothing(owner: Client, merchant: Merchant, name: str) -> None:
    stored_intent(merchant)
    asked, words = FAULTS[name]
    answer = owner.get(LIST, asked)
    assert answer.status_code == 400
    assert words in text_of(answer)
    assert ROW.findall(text_of(answer)) == []


def test_pages_lead_both_ways_and_keep_the_filter(owner: Client, merchant: Merchant) -> None:
    made = [stored_intent(merchant, number, status="settled") for number in range(120)]
    stored_intent(merchant, 500)
    newest_first = [str(intent.pk) for intent in reversed(made)]
    first = f"{LIST}?status=settled"
    assert ROW.findall(text_of(owner.get(first))) == newest_first[:50]
    assert set(ways(owner, first)) == {"next"}
    second = ways(owner, first)["next"]
    assert ROW.findall(text_of(owner.get(second))) == newest_first[50:100]
    third = ways(owner, second)["next"]
    assert ROW.findall(text_of(owner.get(third))) == newest_first[100:]
    assert set(ways(owner, third)) == {"prev"}
    back = ways(owner, third)["prev"]
    assert ROW.findall(text_of(owner.get(back))) == newest_first[50:100]
    again = ways(owner, back)["prev"]
    assert ROW.findall(text_of(owner.get(again))) == newest_first[:50]
    assert set(ways(owner, again)) == {"next"}


def test_others_rows_are_not_listed(owner: Client, merchant: Merchant, other_account: NewMerchant) -> None:
    stored_intent(other_account.merchant, reference="theirs")
    stored_intent(merchant, mode="live", reference="real")
    assert shown(owner) == []
    assert shown(owner, reference="theirs") == []
    assert shown(owner, reference="real") == []


def test_viewers_see_no_payers(merchant: Merchant) -> None:
    add_member(merchant, "viewer@shop.example", Role.VIEWER)
    made = stored_intent(merchant, reference="A-1", customer_email="ann@payer.example", metadata={"order": "17"})
    other = stored_intent(merchant, 1)
    viewer = sign_in("viewer@shop.example")
    page = text_of(viewer.get(LIST))
    assert "A-1" in page
    assert "ann@payer.example" not in page
    for hidden in ("Metadata", "Download as CSV"):
        assert hidden not in page
    asked = {"customer_email": "ann@payer.example", "metadata": "order=17"}
    assert shown(viewer, **asked) == [str(other.pk), str(made.pk)]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_texts(owner: Client, merchant: Merchant, name: str) -> None:
    text = HOSTILE[name]
    names: dict[str, Any] = {"settlement_chain": text[:128], "settlement_token": text[:128]}
    stored_intent(merchant, reference=text[:128], customer_email=text[:254], **names)
    for answer in (owner.get(LIST), owner.get(LIST, {"reference": text[:500], "settlement_chain": text[:500]})):
        page = text_of(answer)
        assert answer.status_code == 200
        assert "<script>alert" not in page
        assert '" onmouseover' not in page
        assert "x" * 700 not in page


def test_rest_has_the_same_filters(api: ApiClient, merchant: Merchant) -> None:
    stored_intent(merchant, 1, settlement_chain="solana")
    dear = stored_intent(merchant, 2, amount=usd("30"))
    listed = api.get("/payment-intents?amount_gte=30&amount_lte=30.00&settlement_chain=base&settlement_token=USDC").body
    assert [one["id"] for one in listed["data"]] == [str(dear.pk)]
    refused = api.get("/payment-intents?amount_gte=ten")
    assert (refused.status, refused.body["code"]) == (400, "invalid_parameter")
