"""The receipt of a payment: complete without scripts at any moment; by mail on request, and nothing on a refusal."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client, override_settings

from checkout.services.branding import WantedLook, set_look
from checkout.services.receipt_mail import form_mark
from merchants.mail import send_due
from merchants.models import Merchant, OutgoingMail
from merchants.principal import Principal
from refunds.models import Refund
from tests.checkout.pages import Page, read_page, receipt, visit
from tests.checkout.test_hosted_page import POLICY, policy_of
from tests.conftest import ApiClient
from tests.factories.refunds import paid_intent, paid_leg
from tests.factories.rows import all_rows
from tests.merchants.people import text_of
from tests.payments.payer import Payer
from tests.payments.world import World, create
from tests.refunds.stories import PAYEE, refund, settled, work

TO = "ann@buyer.example"


def receipt_page(intent_id: object) -> Page:
    return read_page(receipt(intent_id))


def test_a_paid_payment(world: World, api: ApiClient, principal: Principal) -> None:
    set_look(principal, WantedLook(display_name="Corner & Co", accent="#1f4fd1", shape="round", font="system"))
    intent = create(api, amount=1234.5, reference="INV 17", customer_email="ann@buyer.example")
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "base", "USDC"))
    world.run(6)
    page = receipt_page(intent["id"])
    assert page.text("merchant-name") == "Corner & Co"
    assert (page.text("kind"), page.text("amount")) == ("Receipt", "$1,234.50 USD")
    assert page.text("status-title") == "Paid."
    assert page.text("received") == "1,234.50 USDC on Base ($1,234.50)"
    assert re.fullmatch(r"4 May 2026, 12:00:\d\d UTC", page.text("paid-at"))
    assert (page.text("reference"), page.text("payment-id")) == ("INV 17", intent["id"])
    assert page.text("leg-row").startswith("1,234.50 USDC on Base Arrived $1,234.50 from wallet 0x7e57…0001")
    assert page.text("leg-hash").startswith("0x")
    assert page.text("receipt-url") == f"http://localhost:8000/checkout/{intent['id']}/receipt"
    assert page.by_test_id["qr"].attributes["role"] == "img"
    assert "leg-link" not in page.by_test_id, "no explorer shows play money"
    assert "refunds" not in page.by_test_id
    state = payer.state()
    assert (state["merchant_name"], state["receipt_url"]) == ("Corner & Co", page.text("receipt-url"))
    assert f"/checkout/{intent['id']}/receipt" in read_page(visit(intent["id"])).links


def test_live_transactions_lead_to_their_explorers(merchant: Merchant) -> None:
    intent = paid_intent(merchant, reference="INV 18")
    arrival, returned = "0x" + "cd" * 32, "0x" + "ef" * 32
    sent = {"chain": "ethereum", "token": "ETH", "token_decimals": 18, "input_base_units": 6_894_123_456_789_012}
    paid_leg(intent, **sent, destination_tx_hash=arrival)
    facts = {"chain": "base", "token": "USDC", "token_decimals": 6, "base_units": 5_000_000, "amount_usd": Decimal(5)}
    facts |= {"mode": "live", "status": "paid", "destination": PAYEE, "tx_hash": returned}
    Refund.objects.create(intent=intent, merchant=merchant, **facts)
    page = receipt_page(intent.pk)
    links = {name: page.by_test_id[f"{name}-link"].attributes["href"] for name in ("leg", "arrival", "refund")}
    assert links == {
        "leg": "https://etherscan.io/tx/0x" + "ab" * 32,
        "arrival": f"https://basescan.org/tx/{arrival}",
        "refund": f"https://basescan.org/tx/{returned}",
    }
    assert page.text("leg-row").startswith("0.006894123456789012 ETH from Ethereum to Base Arrived $25.00")
    assert not {"test-banner", "test-stamp"} & set(page.by_test_id)


def test_refunds_are_told_to_their_end(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    asked = refund(api, intent, 5, reason="a secret reason")
    page = receipt_page(intent["id"])
    assert page.text("refund-title") == "Your refund waits for an address."
    assert page.by_test_id["claim-link"].attributes["href"] == f"/claim/{asked['id']}"
    world.wait(1)
    refund(api, intent, 20, destination=PAYEE)
    assert api.post(f"/refunds/{asked['id']}/destination", {"destination": PAYEE}).status == 200
    work(world, 20)
    page = receipt_page(intent["id"])
    assert page.text("refunds").count("Your refund was paid.") == 2
    assert page.text("refunds").startswith("5.00 USDC on Base $5.00")
    assert f"to an address ending in …{PAYEE[-6:]}" in page.text("refunds")
    assert page.text("refund-hash") == Refund.objects.get(amount_usd=20).tx_hash
    assert "claim-link" not in page.by_test_id
    text = receipt(intent["id"]).content.decode()
    assert PAYEE not in text
    assert "a secret reason" not in text


@pytest.mark.spec("Hosted checkout: headers")
@pytest.mark.spec("Test mode never looks like live mode")
def test_headers_and_elements(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    for named in (intent["id"], "nothing-here"):
        response = receipt(named)
        assert policy_of(response) == POLICY
        expected = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "X-Frame-Options": "DENY"}
        assert {name: response.headers[name] for name in expected} == expected
        assert not response.cookies
    page = receipt_page(intent["id"])
    assert not page.scripts
    assert not any(name.startswith("on") or name == "style" for _, names in page.shape for name in names)
    assert "<title>[TEST] Receipt: 25.00 USD to Corner Shop</title>" in text_of(receipt(intent["id"]))
    assert page.text("test-banner") == "TEST · No real money moved. This is not a proof of any payment."
    assert page.text("test-stamp") == "TEST"
    assert all_rows() == before


def test_a_receipt_is_asked_for_so_often_only(api: ApiClient) -> None:
    intent = create(api)
    with override_settings(RATE_LIMIT_SCALE=0.02):  # two a minute
        answers = [receipt(intent["id"]) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) >= 1


@pytest.fixture
def post(db: None) -> Iterator[None]:
    """Mail as in production. Why not by the fixture of settings: stories would be told anew (``tests.told``)."""
    delivery = "django.core.mail.backends.locmem.EmailBackend"
    backend = "merchants.mail.OutboxBackend"
    with override_settings(EMAIL_BACKEND=backend, MAIL_DELIVERY=delivery, RATE_LIMIT_SCALE=1):
        yield


def mark_of(intent: dict[str, Any]) -> str:
    return receipt_page(intent["id"]).by_test_id["form-mark"].attributes["value"]


def send(intent: dict[str, Any], to: str = TO, mark: str | None = None, caller: str = "198.51.100.7") -> HttpResponse:
    """Send the form as a browser without cookies does."""
    form = {"email": to, "form": mark_of(intent) if mark is None else mark}
    browser = Client(enforce_csrf_checks=True, REMOTE_ADDR=caller)
    return browser.post(f"/checkout/{intent['id']}/receipt", form)  # type: ignore[return-value]  # the client's own


def outcome(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, read_page(answer).by_test_id["mail-note"].attributes["data-outcome"]


def posted() -> list[Any]:
    send_due()
    return mail.outbox


@pytest.mark.spec("No personal data in public views")
@pytest.mark.usefixtures("post")
def test_the_receipt_is_mailed_on_request(world: World, api: ApiClient) -> None:
    intent = settled(world, api, reference="INV 17", metadata={"secret": "value"}, customer_email="bob@buyer.example")
    refund(api, intent, 5, destination=PAYEE)
    work(world, 20)
    answer = send(intent)
    assert outcome(answer) == (200, "sent")
    assert TO not in answer.content.decode()
    assert not answer.cookies
    [letter] = posted()
    assert (letter.subject, letter.to, letter.cc, letter.bcc) == ("[TEST] Your receipt: 25.00 USD", [TO], [], [])
    assert letter.body.startswith("TEST: no real money moved.")
    assert "Your payment of 25.00 USD to Corner Shop\n" in letter.body
    assert "The merchant received 25.00 USDC on Base ($25.00).\n" in letter.body
    assert "Refund of 5.00 USDC: Your refund was paid.\n" in letter.body
    assert f"\nhttp://localhost:8000/checkout/{intent['id']}/receipt\n" in letter.body
    assert "\n\n\n" not in letter.body
    for secret in ("bob@", "INV 17", "secret", PAYEE):
        assert secret not in letter.body
    assert TO not in str(all_rows())


@pytest.mark.usefixtures("post")
def test_a_form_makes_one_mail_and_a_payment_three_a_day(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    mark = mark_of(intent)
    assert [outcome(send(intent, mark=mark)) for _ in range(5)] == [(200, "sent")] * 5
    assert len(posted()) == 1
    answers = [
        send(intent, f"{name}@buyer.example", caller=f"198.51.100.{place}")
        for place, name in enumerate(("bob", "cay", "dan"))
    ]
    assert [outcome(answer) for answer in answers] == [(200, "sent")] * 2 + [(429, "too_many")]
    assert 28_000 < int(answers[2].headers["Retry-After"]) <= 28_800
    assert len(posted()) == 3


@pytest.mark.usefixtures("post")
@pytest.mark.slow
def test_who_receives_many_gets_no_more_and_nobody_is_told(merchant: Merchant) -> None:
    intents = [{"id": str(paid_intent(merchant).pk)} for _ in range(4)]
    answers = [send(intents[place % 4], TO.upper() if place % 2 else TO) for place in range(7)]
    assert [outcome(answer) for answer in answers] == [(200, "sent")] * 7
    sent, kept_back = (
        re.sub(r"[0-9a-f-]{32,36}|value=\S+|<path[^>]*>", "", answer.content.decode())
        for answer in (answers[3], send(intents[3]))
    )
    assert sent == kept_back
    assert len(posted()) == 5


@pytest.mark.usefixtures("post")
@pytest.mark.slow
def test_one_caller_does_not_send_without_end(merchant: Merchant) -> None:
    intents = [{"id": str(paid_intent(merchant).pk)} for _ in range(7)]
    answers = [send(intents[place % 7], f"a{place}@buyer.example") for place in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert len(posted()) == 20


NO_MAILBOXES = [
    *("", "ann.buyer.example", "ann@", "@buyer.example", "ann@localhost", "ann@buyer.example,bob@buyer.example"),
    *("ann@buyer.example;bob@buyer.example", "Ann <ann@buyer.example>", "ann@buyer.example\nBcc: bob@buyer.example"),
    *("ann@buyer.example\r\nSubject: free money", "ann@buyer.example\rBcc: bob@buyer.example"),
    *("ann@buyer.example%0aBcc:bob@buyer.example", "ann@buyer.example\u0085Bcc: bob@buyer.example"),
    *("ann@buyer.example\u2028Bcc: bob@buyer.example", "ann\t@buyer.example", "ann@buyer.example\0"),
    *("ann@buyer.example\n", '"ann bcc"@buyer.example', "ann%evil.example@buyer.example", "ann(bcc)@buyer.example"),
    *("ann@[127.0.0.1]", "ann@127.0.0.1", "ann@buyer..example", "ann＠buyer.example", "ann@bu\u0443er.example"),
    *(f"{'a' * 65}@buyer.example", f"ann@{'a.' * 125}example"),
]


@pytest.mark.usefixtures("post")
def test_what_is_no_mailbox_is_sent_nothing(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    mark, before = mark_of(intent), all_rows()
    for place, to in enumerate(NO_MAILBOXES):
        answer = send(intent, to, mark, caller=f"198.51.100.{place}")
        assert outcome(answer) == (400, "bad_address"), to
        field = read_page(answer).by_test_id["mail-to"].attributes
        assert field.keys() >= {"aria-invalid", "autofocus"}, to
        assert "value" not in field, to
        assert all_rows() == before, to
    assert posted() == []


@pytest.mark.usefixtures("post")
def test_what_is_no_form_of_this_paid_payment_of_today_is_refused(world: World, api: ApiClient) -> None:
    intent, other, unpaid = settled(world, api), settled(world, api), create(api)
    own, token = mark_of(intent), Payer.of(intent).token
    for mark in (mark_of(other), "", "x", f"{own}x", own.replace(":", ".", 1), token, intent["id"]):
        assert outcome(send(intent, mark=mark)) == (403, "form_old"), mark
    assert "mail-form" not in receipt_page(unpaid["id"]).by_test_id
    assert outcome(send(unpaid, mark=form_mark(UUID(unpaid["id"])))) == (409, "nothing_paid")
    assert outcome(send(unpaid, mark=own)) == (403, "form_old")
    address = f"/checkout/{intent['id']}/receipt"
    for body in (b"", b"email=ann%40buyer.example&form=%ff", b"\xff\xfe", b"&" * 5000):
        for kind in ("application/x-www-form-urlencoded", "application/json", "multipart/form-data", "text/plain"):
            assert Client().post(address, body, content_type=kind).status_code in (400, 403), (body[:40], kind)
    world.wait(7201)
    assert outcome(send(intent, mark=own)) == (403, "form_old")
    assert posted() == []
    assert not OutgoingMail.objects.exists()
