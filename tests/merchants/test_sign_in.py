"""Signing in: one page for everybody, by invitation, locked against guessing, never by forged forms."""

import re
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.conf import settings as configured
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from pytest_django import Settings

from merchants.models import User
from merchants.services import NewMerchant
from tests.merchants.people import OWNER, PASSWORD, add_second_factor, browser, send_form, sign_in_by_page, text_of

pytestmark = pytest.mark.slow

STRICT_POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
ACCOUNT_PAGES = ["/accounts/2fa/", "/accounts/password/change/", "/accounts/sessions/", "/accounts/logout/"]
OPEN_PAGES = ["/accounts/login/", "/accounts/password/reset/", "/accounts/signup/"]
INLINE = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")", re.IGNORECASE)


def policy_of(response: Any) -> set[str]:
    return {rule.strip() for rule in response.headers["Content-Security-Policy"].split(";")}


def assert_strict(answer: Any) -> None:
    """A page of which nothing comes from elsewhere, stands inline, is framed or tells others where it was."""
    assert policy_of(answer) == STRICT_POLICY
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert INLINE.findall(text_of(answer)) == []


def is_signed_in(client: Client) -> bool:
    return client.get("/dashboard/test/").status_code == 200


def test_a_member_signs_in_with_address_and_password(account: NewMerchant) -> None:
    """And is led nowhere else."""
    for target in ("", "https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        client = browser()
        answer = send_form(client, "/accounts/login/", login="Owner@Shop.example", password=PASSWORD, next=target)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/")
        assert is_signed_in(client)


def test_a_wrong_password_says_nothing_about_the_account_and_guessing_locks_it(account: NewMerchant) -> None:
    known = send_form(browser(), "/accounts/login/", login=OWNER, password="wrong")
    unknown = send_form(browser(), "/accounts/login/", login="nobody@shop.example", password="wrong")
    assert known.status_code == unknown.status_code == 200
    error = re.compile(r'<ul class="errorlist[^>]*>.*?</ul>', re.DOTALL)
    assert error.findall(text_of(known)) == error.findall(text_of(unknown)) != []
    client = browser()
    for _ in range(5):
        send_form(client, "/accounts/login/", login=OWNER, password="wrong")
    send_form(client, "/accounts/login/", login=OWNER, password=PASSWORD)
    assert not is_signed_in(client)


def test_addresses_cannot_be_changed_without_proof(account: NewMerchant) -> None:
    client = sign_in_by_page(OWNER)
    answer = send_form(
        client, "/accounts/email/", at="/accounts/password/change/", email="boss@shop.example", action_add=""
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/2fa/")
    assert User.objects.get(pk=account.owner.pk).email == OWNER


def test_forged_forms_are_refused(account: NewMerchant) -> None:
    """And signing out needs the button."""
    client = sign_in_by_page(OWNER)
    for path in ("/accounts/login/", "/accounts/logout/", "/accounts/password/reset/"):
        answer = client.post(path, {"login": OWNER, "password": PASSWORD, "email": OWNER})
        assert (answer.status_code, "Please send the form again" in text_of(answer)) == (403, True)
        assert is_signed_in(client)
    assert mail.outbox == []
    client.get("/accounts/logout/")
    assert is_signed_in(client)
    send_form(client, "/accounts/logout/")
    assert not is_signed_in(client)


@pytest.mark.spec("Rulings B11.1")
def test_a_second_factor_is_asked_for_and_sealed_in_the_database(account: NewMerchant) -> None:
    add_second_factor(OWNER)
    assert "JBSWY3DPEHPK3PXP" not in str(Authenticator.objects.get().data)
    client = browser()
    answer = send_form(client, "/accounts/login/", login=OWNER, password=PASSWORD)
    assert answer.headers["Location"] == "/accounts/2fa/authenticate/"
    assert not is_signed_in(client)
    send_form(client, "/accounts/2fa/authenticate/", code="000000")
    assert not is_signed_in(client)
    counter = next(iter(yield_hotp_counters_from_time()))
    send_form(client, "/accounts/2fa/authenticate/", code=format_hotp_value(hotp_value("JBSWY3DPEHPK3PXP", counter)))
    assert is_signed_in(client)


def test_a_forgotten_password_is_reset_by_a_link_that_works_once(account: NewMerchant) -> None:
    """A reset for an unknown address looks the same."""
    client = browser()
    send_form(client, "/accounts/password/reset/", email=OWNER)
    (message,) = mail.outbox
    link = re.search(rf"{configured.BASE_URL}(/accounts/password/reset/key/\S+)", str(message.body))
    assert link is not None
    assert "testserver" not in str(message.body), "the host that the caller named is no place to send people"
    form = client.get(link.group(1), follow=True)
    at = form.redirect_chain[-1][0]
    send_form(client, at, password1="a new horse battery", password2="a new horse battery")
    assert not is_signed_in(sign_in_by_page(OWNER))
    assert is_signed_in(sign_in_by_page(OWNER, "a new horse battery"))
    assert "no longer works" in text_of(browser().get(link.group(1), follow=True))
    known = send_form(browser(), "/accounts/password/reset/", email=OWNER)
    unknown = send_form(browser(), "/accounts/password/reset/", email="nobody@shop.example")
    assert (known.status_code, known.headers["Location"]) == (unknown.status_code, unknown.headers["Location"])


def test_nobody_has_more_than_ten_resets_a_day_written_to_somebody_else(account: NewMerchant) -> None:
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        for _ in range(30):
            send_form(browser(), "/accounts/password/reset/", email=OWNER)
            clock.shift(61)
    assert len(mail.outbox) == 10


def test_proof_of_identity_ages(account: NewMerchant) -> None:
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        client = sign_in_by_page(OWNER)
        send_form(client, "/accounts/reauthenticate/", password=PASSWORD)
        assert client.get("/dashboard/test/keys/roll/").status_code == 200
        clock.shift(601)
        assert client.get("/dashboard/test/keys/roll/").headers["Location"].startswith("/accounts/reauthenticate/")


def test_pages_are_strict_and_those_of_accounts_need_a_person(account: NewMerchant) -> None:
    client = sign_in_by_page(OWNER)
    for path in (*OPEN_PAGES, *ACCOUNT_PAGES):
        answer = (client if path in ACCOUNT_PAGES else browser()).get(path)
        assert answer.status_code == 200
        assert_strict(answer)
    for path in ACCOUNT_PAGES:
        answer = browser().get(path)
        assert (answer.status_code, answer.headers["Location"] in {f"/accounts/login/?next={path}", "/"}) == (302, True)


def test_what_the_database_holds_of_a_session_opens_none(account: NewMerchant, settings: Settings) -> None:
    settings.SESSION_COOKIE_SIGNED = True
    person = sign_in_by_page(OWNER)
    [key] = Session.objects.values_list("session_key", flat=True)
    cookie = person.cookies["sessionid"].value
    assert (cookie.startswith(f"{key}:"), is_signed_in(person)) == (True, True)
    for forged in (key, f"{key}:", f"{key}:{cookie.partition(':')[2][::-1]}", cookie.upper(), "", ":"):
        thief = browser()
        thief.cookies["sessionid"] = forged
        assert not is_signed_in(thief), forged
    assert send_form(person, "/accounts/logout/").status_code == 302
    assert not is_signed_in(person)
