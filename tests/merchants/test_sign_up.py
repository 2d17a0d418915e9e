"""Signing up: an address is proven before anything exists, and nobody learns whether it has an account."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from core.secrets import encrypt_text
from merchants.models import ApiKey, Change, Membership, Merchant, Role, User
from merchants.services import NewMerchant
from tests.merchants.people import OWNER, PASSWORD, add_second_factor, browser, send_form, sign_in_by_page, text_of
from tests.payments.world import World

pytestmark = pytest.mark.slow

SIGN_UP = "/accounts/signup/"
NEW = "founder@new.example"
LINK = re.compile(r"http://localhost:8000(/accounts/signup/\S+)")


@pytest.fixture(autouse=True)
def _is_open(settings: Any, db: None) -> None:
    settings.SIGN_UP = True


def ask(client: Client, email: str = NEW, business: str = "New Shop") -> Any:
    return send_form(client, SIGN_UP, email=email, business=business)


def link_mailed(number: int = -1) -> str:
    found = LINK.search(str(mail.outbox[number].body))
    assert found is not None
    return found.group(1)


def counts() -> tuple[int, int, int]:
    return User.objects.count(), Merchant.objects.count(), Membership.objects.count()


def test_an_account_opens_by_the_mailed_link() -> None:
    client = browser()
    assert "Look at your mail" in text_of(ask(client, "Founder@New.example"))
    assert counts() == (0, 0, 0)
    assert mail.outbox[0].to == [NEW]
    assert not re.search(r"sk_(test|live)_", text_of(browser().get(link_mailed())))
    for password in ("", "short", "12345678", "password", NEW):
        poor = send_form(browser(), link_mailed(), password=password)
        assert (poor.status_code, counts(), 'class="errorlist"' in text_of(poor)) == (400, (0, 0, 0), True)
    entered = send_form(client, link_mailed(), password=PASSWORD)
    assert (entered.status_code, entered.headers["Location"]) == (302, "/dashboard/test/")
    assert "<title>[TEST] Home · New Shop</title>" in text_of(client.get("/dashboard/test/"))
    member = Membership.objects.select_related("user").get()
    assert (member.user.email, member.role) == (NEW, Role.OWNER)
    assert ApiKey.objects.filter(merchant=member.merchant_id).count() == 4
    assert sign_in_by_page(NEW).get("/dashboard/test/").status_code == 200
    line = Change.objects.get(action="merchant.created")
    assert (line.actor, line.subject, line.mode) == (f"user:{member.user.pk}", "New Shop", "")
    assert line.after == {"owner": NEW}
    assert client.get(SIGN_UP).headers["Location"] == "/dashboard/test/"
    assert client.get("/dashboard/live/").status_code == 403
    add_second_factor(NEW)
    assert client.get("/dashboard/live/").status_code == 200


def test_nobody_learns_whether_an_address_has_an_account(account: NewMerchant, django_assert_num_queries: Any) -> None:
    answers = []
    for email in (OWNER, "other@shop.example"):
        client = browser()
        client.get(SIGN_UP)
        with django_assert_num_queries(1):
            answers.append(ask(client, email))
    known, unknown = answers
    assert known.status_code == unknown.status_code == 200
    assert text_of(known).replace(OWNER, "…") == text_of(unknown).replace("other@shop.example", "…")
    assert known.headers.keys() == unknown.headers.keys()
    assert [message.to for message in mail.outbox] == [[OWNER], ["other@shop.example"]]
    assert "It has one already" in str(mail.outbox[0].body)
    assert LINK.search(str(mail.outbox[0].body)) is None
    assert User.objects.count() == 1


def test_a_link_works_once() -> None:
    ask(browser())
    link = link_mailed()
    send_form(browser(), link, password=PASSWORD)
    before = counts()
    again = browser().get(link)
    assert (again.status_code, "was used already" in text_of(again)) == (409, True)
    assert send_form(browser(), link, at="/accounts/login/", password="another horse battery").status_code == 409
    assert counts() == before == (1, 1, 1)
    assert sign_in_by_page(NEW).get("/dashboard/test/").status_code == 200


def test_two_links_of_one_address_make_one_account() -> None:
    ask(browser(), business="First")
    ask(browser(), business="Second")
    send_form(browser(), link_mailed(0), password=PASSWORD)
    assert send_form(browser(), link_mailed(1), at="/accounts/login/", password=PASSWORD).status_code == 409
    assert [merchant.name for merchant in Merchant.objects.all()] == ["First"]


def test_a_link_ends_after_a_day(world: World) -> None:
    ask(browser())
    world.wait(86_399)
    assert browser().get(link_mailed()).status_code == 200
    world.wait(1)
    answer = browser().get(link_mailed())
    assert (answer.status_code, "no longer works" in text_of(answer)) == (409, True)


def test_what_is_no_link_opens_nothing() -> None:
    of_other_kinds = [encrypt_text(text) for text in ('{"kind": "mail"}', "[]")]
    for token in ("x", "٣", "A" * 3000, "gAAAAA==", *of_other_kinds):
        assert browser().get(f"{SIGN_UP}{token}/").status_code == 409
        sent = send_form(browser(), f"{SIGN_UP}{token}/", at="/accounts/login/", password=PASSWORD)
        assert (sent.status_code, counts()) == (409, (0, 0, 0))


def test_what_cannot_be_is_named_and_sends_nothing() -> None:
    emails = ("", "nobody", "a@b.example\nBcc: c@d.example", f"{'a' * 250}@b.example")
    names = ("", "   ", "x" * 121, "two\nlines", "right\u202eleft", "nul\0")
    for email, business in (*((email, "Shop") for email in emails), *((NEW, name) for name in names)):
        answer = ask(browser(), email, business)
        assert (answer.status_code, mail.outbox, counts()) == (400, [], (0, 0, 0)), (email, business)


def test_a_hostile_name_is_only_a_name() -> None:
    name = '"><script>alert(1)</script>{{ 7|add:7 }}'
    client = browser()
    ask(client, business=name)
    assert "script" not in str(mail.outbox[0].body)
    assert "<script>alert" not in text_of(client.get(link_mailed()))
    send_form(client, link_mailed(), password=PASSWORD)
    page = text_of(client.get("/dashboard/test/"))
    assert "<script>alert" not in page
    assert "{{ 7|add:7 }}" in page


def test_sign_ups_of_one_place_and_mails_to_one_address_are_counted(settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    answers = [ask(browser()) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert ("That was too often" in text_of(answers[-1]), int(answers[-1].headers["Retry-After"]) > 0) == (True, True)
    others = [ask(browser(), f"person{number}@new.example").status_code for number in range(6)]
    assert others == [200] * 5 + [429]
    assert len(mail.outbox) == 10


def test_forged_forms_are_refused() -> None:
    ask(browser())
    for path in (SIGN_UP, link_mailed()):
        assert browser().post(path, {"email": NEW, "business": "Shop", "password": PASSWORD}).status_code == 403
    assert (len(mail.outbox), counts()) == (1, (0, 0, 0))


def test_sign_up_can_be_closed(settings: Any) -> None:
    settings.SIGN_UP = False
    assert "Accounts come by invitation" in text_of(browser().get(SIGN_UP))
    sent = send_form(browser(), SIGN_UP, at="/accounts/login/", email=NEW, business="Shop", password1=PASSWORD)
    assert "Accounts come by invitation" in text_of(sent)
    assert (mail.outbox, counts()) == ([], (0, 0, 0))
