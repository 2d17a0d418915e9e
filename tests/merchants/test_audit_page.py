"""The audit log: who did what, from where, in words; filtered, in pages, as a file; and only for those who lead."""

import csv
import io
import re
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client

from core.modes import Mode
from merchants.audit import record_audit, record_audit_for_both_modes
from merchants.models import Change, Role, User
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.merchants.people import (
    OWNER,
    PASSWORD,
    add_member,
    add_second_factor,
    browser,
    confirm_identity,
    send_form,
    sign_in,
    sign_in_by_page,
    text_of,
)

pytestmark = pytest.mark.slow

AUDIT, EXPORT = "/dashboard/test/audit/", "/dashboard/test/audit/export/"
TAGS = re.compile(r"<[^>]+>")


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, signed in through the page, which leaves a line, identity just confirmed."""
    client = sign_in_by_page(OWNER)
    confirm_identity(client)
    return client


def actor(account: NewMerchant, mode: Mode = Mode.TEST) -> Principal:
    return Principal(merchant_id=account.merchant.pk, mode=mode, actor=f"user:{account.owner.pk}")


def words(response: Any) -> str:
    return " ".join(TAGS.sub(" ", text_of(response)).split())


def deeds(account: NewMerchant) -> list[tuple[str, str]]:
    return list(Change.objects.filter(merchant_id=account.merchant.pk).order_by("pk").values_list("actor", "action"))


def table(response: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(response).decode())))


def test_a_line_says_who_what_and_from_where(owner: Client, account: NewMerchant) -> None:
    """Unknown deeds are readable, and who left is still named."""
    before = {"enabled": True, "url": "https://a.example"}
    record_audit(actor(account), "endpoint.changed", "we_7", before=before, after=before | {"enabled": False})
    page = words(owner.get(AUDIT))
    assert "Webhook endpoint changed we_7 enabled before: yes → now: no" in page
    assert "https://a.example" not in page
    assert f"{OWNER} Signed in" in page
    assert "127.0.0.1" in page
    assert re.search(r"req_\w{4}", page)
    record_audit(actor(account), "moon_base.switched_on", "crater 7", after={"lamps": [1, 2], "air": None})
    page = words(owner.get(AUDIT))
    assert "Moon base: switched on crater 7 air now: nothing lamps now: 1, 2" in page
    gone = add_member(account.merchant, "gone@shop.example", Role.ADMIN)
    record_audit(Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{gone.pk}"), "key.rolled")
    gone.memberships.all().delete()
    assert "gone@shop.example (left the team)" in words(owner.get(AUDIT))


def test_each_mode_shows_its_own_and_what_belongs_to_both_and_nothing_of_others(
    owner: Client, account: NewMerchant, other_account: NewMerchant
) -> None:
    add_second_factor(OWNER)
    record_audit(actor(account), "key.rolled", "only in test")
    record_audit(actor(account, Mode.LIVE), "key.rolled", "only in live")
    record_audit_for_both_modes(actor(account), "merchant.renamed", "in both")
    record_audit(actor(other_account), "key.rolled", "theirs")
    test, live = words(owner.get(AUDIT)), words(owner.get("/dashboard/live/audit/"))
    subjects = ("only in test", "only in live", "in both", "theirs")
    assert [subject in test for subject in subjects] == [True, False, True, False]
    assert [subject in live for subject in subjects] == [False, True, True, False]
    assert all(row["about"] != "theirs" for row in table(owner.get(EXPORT)))
    page = words(owner.get(AUDIT, {"who": f"user:{other_account.owner.pk}"}))
    assert "Nothing in the log is like that." in page
    assert other_account.owner.email not in page


def test_only_those_who_lead_are_led_to_it(account: NewMerchant) -> None:
    for role in Role:
        add_member(account.merchant, f"{role}-2@shop.example", role)
        menu = text_of(sign_in(f"{role}-2@shop.example").get("/dashboard/test/"))
        assert (f'href="{AUDIT}"' in menu) == (role in {Role.OWNER, Role.ADMIN})


def test_filters_by_person_deed_and_day(owner: Client, account: NewMerchant) -> None:
    other = add_member(account.merchant, "second@shop.example", Role.ADMIN)
    with time_machine.travel("2026-03-04T23:59:59Z", tick=False):
        record_audit(actor(account), "key.rolled", "late")
    with time_machine.travel("2026-03-05T00:00:00Z", tick=False):
        record_audit(
            Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{other.pk}"), "key.revoked"
        )

    def subjects(**asked: str) -> list[tuple[str, str]]:
        return [(row["deed"], row["about"]) for row in table(owner.get(EXPORT, asked))]

    assert subjects(day="2026-03-04") == [("key.rolled", "late")]
    assert subjects(day="2026-03-05") == [("key.revoked", "")]
    assert subjects(who=f"user:{other.pk}") == [("key.revoked", "")]
    assert subjects(deed="key.rolled") == [("key.rolled", "late")]
    assert subjects(deed="key.rolled", who=f"user:{other.pk}") == []
    page = words(owner.get(AUDIT, {"deed": "key.rolled"}))
    assert ["late" in page, "Signed in 127" in page] == [True, False]


def test_what_makes_no_sense_is_named(owner: Client) -> None:
    for name, value, sentence in (
        ("who", "'; drop", "There is nobody like that."),
        ("deed", "Ж", "There is no such deed."),
        ("deed", "x" * 5000, "There is no such deed."),
        ("day", "yesterday", "That is no day."),
        ("day", "9999-12-31", "That is no day."),
    ):
        for path in (AUDIT, EXPORT):
            answer = owner.get(path, {name: value})
            assert (answer.status_code, sentence in text_of(answer)) == (400, True), (path, name)


def test_pages_go_on_without_gap_or_repeat_and_ask_few_questions(
    owner: Client, account: NewMerchant, django_assert_max_num_queries: Any
) -> None:
    for number in range(120):
        record_audit(actor(account), "key.created", f"number-{number}.")
    seen, path = [], f"{AUDIT}?deed=key.created"
    for _ in range(3):
        page = text_of(owner.get(path))
        seen += re.findall(r"number-\d+\.", page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = AUDIT + older[1].replace("&amp;", "&") if older else ""
    assert seen == [f"number-{number}." for number in reversed(range(120))]
    assert path == ""
    for number in range(60):
        member = add_member(account.merchant, f"person{number}@shop.example", Role.VIEWER)
        record_audit(
            Principal(merchant_id=account.merchant.pk, mode=Mode.TEST, actor=f"user:{member.pk}"), "key.created"
        )
    with django_assert_max_num_queries(15):
        owner.get(AUDIT)


def test_the_file_is_whole_and_no_spreadsheet_calculates_it(owner: Client, account: NewMerchant) -> None:
    record_audit(actor(account), "key.created", "=cmd|'/c calc'!A1", after={"name": "@SUM(1)"})
    answer = owner.get(EXPORT)
    assert answer.streaming
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit-log-test.csv"'
    row = table(answer)[0]
    assert row["about"] == "'=cmd|'/c calc'!A1"
    assert (row["who"], row["what"], row["mode"], row["after"]) == (OWNER, "Key created", "test", '{"name": "@SUM(1)"}')


def test_hostile_words_are_only_words(owner: Client, account: NewMerchant) -> None:
    image = '"><img src=x onerror=alert(1)>'
    for text in ("<script>alert(1)</script>", "{{ 7|add:7 }}", "\u202egnp.exe", "x" * 10_000, image):
        record_audit(actor(account), "key.created", text, before={text: text}, after={"name": text})
        answer = Client(headers={"User-Agent": text})
        answer.cookies = owner.cookies
        send_form(answer, "/accounts/reauthenticate/", password=PASSWORD)
        page = text_of(answer.get(AUDIT))
        for ran in ("<script>alert", "<img src=x", ">14<", "x" * 600):
            assert ran not in page


@pytest.mark.django_db(transaction=True)
def test_second_factors_are_put_down(account: NewMerchant, owner: Client) -> None:
    path = "/accounts/2fa/totp/activate/"
    form = text_of(owner.get(path))
    secret = re.search(r'id="authenticator_secret"[^>]*value="(\w+)"', form)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
    assert secret is not None
    assert token is not None
    code = format_hotp_value(hotp_value(secret[1], next(iter(yield_hotp_counters_from_time()))))
    owner.post(path, {"csrfmiddlewaretoken": token[1], "code": code})
    assert Authenticator.objects.filter(user=account.owner).exists()
    send_form(owner, "/accounts/2fa/recovery-codes/generate/")
    send_form(owner, "/accounts/2fa/totp/deactivate/")
    assert [deed for _, deed in deeds(account)] == [
        "person.signed_in",
        "person.second_factor_added",
        "person.recovery_codes_made",
        "person.recovery_codes_made",
        "person.second_factor_removed",
        "person.second_factor_removed",
    ]
    assert Change.objects.get(action="person.second_factor_added").after == {"kind": "authenticator app"}


def test_what_people_do_to_their_accounts_is_put_down(account: NewMerchant) -> None:
    """Failures for nobody and for people of no team are put down nowhere."""
    User.objects.create_user("lonely@shop.example", PASSWORD)
    for email in ("nobody@shop.example", "lonely@shop.example"):
        send_form(browser(), "/accounts/login/", login=email, password="wrong")
    assert deeds(account) == []
    me = f"user:{account.owner.pk}"
    client = sign_in_by_page(OWNER)
    confirm_identity(client)
    other = sign_in_by_page(OWNER)
    send_form(client, "/accounts/sessions/")
    assert other.get("/dashboard/test/").status_code == 302
    wish = dict.fromkeys(("password1", "password2"), "a new horse battery")
    send_form(client, "/accounts/password/change/", oldpassword=PASSWORD, **wish)
    send_form(client, "/accounts/logout/")
    send_form(browser(), "/accounts/login/", login=OWNER, password="wrong")
    assert deeds(account) == [
        (me, "person.signed_in"),
        (me, "person.signed_in"),
        (me, "person.sessions_ended"),
        (me, "person.password_changed"),
        (me, "person.signed_out"),
        ("visitor", "person.sign_in_failed"),
    ]
    line = Change.objects.get(action="person.sign_in_failed")
    assert (line.subject, line.mode, line.address, bool(line.request_id)) == (OWNER, "", "127.0.0.1", True)


def test_a_person_of_two_teams_stands_in_both(account: NewMerchant, other_account: NewMerchant) -> None:
    add_member(account.merchant, "both@shop.example", Role.VIEWER).memberships.create(
        merchant=other_account.merchant, role=Role.VIEWER
    )
    sign_in_by_page("both@shop.example")
    assert [deed for _, deed in deeds(account)] == [deed for _, deed in deeds(other_account)] == ["person.signed_in"]
