"""POST /checkout/{id}/receipt: the receipt by mail, on request, and nothing sent on every refusal."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client

from checkout.services.receipt_mail import form_mark
from merchants.mail import send_due
from merchants.models import OutgoingMail
from tests.checkout.pages import read_page
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World, create
from tests.refunds.stories import PAYEE, refund, settled, work

TO = "ann@buyer.example"


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any, db: None) -> None:
    settings.EMAIL_BACKEND = "merchants.mail.OutboxBackend"
    settings.MAIL_DELIVERY = "django.core.mail.backends.locmem.EmailBackend"
    settings.RATE_LIMIT_SCALE = 1


def mark_of(intent: dict[str, Any]) -> str:
    """The mark in the form of a receipt."""
    answer = Client().get(f"/checkout/{intent['id']}/receipt")
    return read_page(answer).by_test_id["form-mark"].attributes["value"]  # type: ignore[arg-type]  # the client's own subclass


def send(intent: dict[str, Any], to: str = TO, mark: str | None = None, caller: str = "198.51.100.7") -> HttpResponse:
    """Send the form as a browser without cookies does."""
    form = {"email": to, "form": mark_of(intent) if mark is None else mark}
    browser = Client(enforce_csrf_checks=True, REMOTE_ADDR=caller)
    return browser.post(f"/checkout/{intent['id']}/receipt", form)  # type: ignore[return-value]  # the client's own


def outcome(answer: HttpResponse) -> tuple[int, str]:
    """What the page says of it."""
    return answer.status_code, read_page(answer).by_test_id["mail-note"].attributes["data-outcome"]


def posted() -> list[Any]:
    """Every mail that a worker hands over now."""
    send_due()
    return mail.outbox


@pytest.mark.spec("No personal data in public views")
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


def test_a_form_makes_one_mail(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    mark = mark_of(intent)
    assert [outcome(send(intent, mark=mark)) for _ in range(5)] == [(200, "sent")] * 5
    assert len(posted()) == 1


def test_a_payment_is_mailed_three_times_a_day(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    answers = [send(intent, f"{name}@buyer.example", caller=f"198.51.100.{place}")
               for place, name in enumerate(("ann", "bob", "cay", "dan"))]  # fmt: skip
    assert [outcome(answer) for answer in answers] == [(200, "sent")] * 3 + [(429, "too_many")]
    assert 28_000 < int(answers[3].headers["Retry-After"]) <= 28_800
    assert len(posted()) == 3


def test_who_receives_many_gets_no_more_and_nobody_is_told(world: World, api: ApiClient) -> None:
    intents = [settled(world, api) for _ in range(4)]
    answers = [send(intents[place % 4], TO.upper() if place % 2 else TO) for place in range(7)]
    assert [outcome(answer) for answer in answers] == [(200, "sent")] * 7
    shapes = {re.sub(r"[0-9a-f-]{32,36}|value=\S+|<path[^>]*>", "", answer.content.decode()) for answer in answers[3:4]}
    assert shapes == {re.sub(r"[0-9a-f-]{32,36}|value=\S+|<path[^>]*>", "", send(intents[3]).content.decode())}
    assert len(posted()) == 5


def test_one_caller_does_not_send_without_end(world: World, api: ApiClient) -> None:
    intents = [settled(world, api) for _ in range(7)]
    answers = [send(intents[place % 7], f"a{place}@buyer.example") for place in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert len(posted()) == 20


NO_MAILBOXES = {
    "nothing": "",
    "no_at": "ann.buyer.example",
    "no_host": "ann@",
    "no_name": "@buyer.example",
    "host_alone": "ann@localhost",
    "two": "ann@buyer.example,bob@buyer.example",
    "two_by_semicolon": "ann@buyer.example;bob@buyer.example",
    "with_a_name": "Ann <ann@buyer.example>",
    "line": "ann@buyer.example\nBcc: bob@buyer.example",
    "return": "ann@buyer.example\r\nSubject: free money",
    "return_alone": "ann@buyer.example\rBcc: bob@buyer.example",
    "encoded_line": "ann@buyer.example%0aBcc:bob@buyer.example",
    "next_line": "ann@buyer.example\u0085Bcc: bob@buyer.example",
    "line_separator": "ann@buyer.example\u2028Bcc: bob@buyer.example",
    "tab": "ann\t@buyer.example",
    "nul": "ann@buyer.example\0",
    "trailing_line": "ann@buyer.example\n",
    "quoted": '"ann bcc"@buyer.example',
    "route": "ann%evil.example@buyer.example",
    "comment": "ann(bcc)@buyer.example",
    "number": "ann@[127.0.0.1]",
    "numbers": "ann@127.0.0.1",
    "double_dot": "ann@buyer..example",
    "wide": "ann＠buyer.example",
    "other_script": "ann@bu\u0443er.example",
    "long_name": f"{'a' * 65}@buyer.example",
    "long": f"ann@{'a.' * 125}example",
}


@pytest.mark.parametrize("to", NO_MAILBOXES.values(), ids=NO_MAILBOXES)
def test_what_is_no_mailbox_is_sent_nothing(world: World, api: ApiClient, to: str) -> None:
    intent = settled(world, api)
    mark, before = mark_of(intent), all_rows()
    answer = send(intent, to, mark)
    assert outcome(answer) == (400, "bad_address")
    assert read_page(answer).by_test_id["mail-to"].attributes.keys() >= {"aria-invalid", "autofocus"}
    assert "value" not in read_page(answer).by_test_id["mail-to"].attributes
    assert all_rows() == before
    assert posted() == []


def test_a_form_of_another_payment_or_day_or_hand_is_refused(world: World, api: ApiClient) -> None:
    intent, other = settled(world, api), settled(world, api)
    own, checkout_page = mark_of(intent), Client().get(f"/checkout/{intent['id']}")
    token = re.findall(rb'"checkout_token":"([^"]+)"', checkout_page.content)[0].decode()
    for mark in (mark_of(other), "", "x", f"{own}x", own.replace(":", ".", 1), token, intent["id"]):
        assert outcome(send(intent, mark=mark)) == (403, "form_old")
    world.wait(7201)
    assert outcome(send(intent, mark=own)) == (403, "form_old")
    assert posted() == []


@pytest.mark.parametrize("body", [b"", b"email=ann%40buyer.example&form=%ff", b"\xff\xfe", b"&" * 5000])
def test_bodies_that_are_no_form(world: World, api: ApiClient, body: bytes) -> None:
    intent = settled(world, api)
    address = f"/checkout/{intent['id']}/receipt"
    for kind in ("application/x-www-form-urlencoded", "application/json", "multipart/form-data", "text/plain"):
        assert Client().post(address, body, content_type=kind).status_code in (400, 403)
    assert posted() == []


def test_nothing_is_mailed_before_money_arrived(world: World, api: ApiClient) -> None:
    paid, intent = settled(world, api), create(api)
    page = read_page(Client().get(f"/checkout/{intent['id']}/receipt"))  # type: ignore[arg-type]  # the client's own
    assert "mail-form" not in page.by_test_id
    with_own = send(intent, mark=form_mark(UUID(intent["id"])))
    assert outcome(with_own) == (409, "nothing_paid")
    assert outcome(send(intent, mark=mark_of(paid))) == (403, "form_old")
    assert not OutgoingMail.objects.exists()
