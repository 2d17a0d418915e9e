"""Signing in: one page for everybody, by invitation, locked against guessing, never by forged forms."""

import re
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.test import Client

from merchants.models import User
from merchants.services import NewMerchant
from tests.merchants.people import PASSWORD, add_second_factor, browser, send_form, sign_in_by_page, text_of

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
    """The content security policy, as a set of rules."""
    return {rule.strip() for rule in response.headers["Content-Security-Policy"].split(";")}


def is_signed_in(client: Client) -> bool:
    """Whether the browser gets into the dashboard."""
    return client.get("/dashboard/test/").status_code == 200


def test_a_member_signs_in_with_address_and_password(account: NewMerchant) -> None:
    client = browser()
    answer = send_form(client, "/accounts/login/", login="Owner@Shop.example", password=PASSWORD)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/")
    assert is_signed_in(client)


def test_a_wrong_password_says_nothing_about_the_account(account: NewMerchant) -> None:
    known = send_form(browser(), "/accounts/login/", login="owner@shop.example", password="wrong")
    unknown = send_form(browser(), "/accounts/login/", login="nobody@shop.example", password="wrong")
    assert known.status_code == unknown.status_code == 200
    error = re.compile(r'<ul class="errorlist[^>]*>.*?</ul>', re.DOTALL)
    assert error.findall(text_of(known)) == error.findall(text_of(unknown)) != []


def test_guessing_locks_the_address_out(account: NewMerchant) -> None:
    client = browser()
    for _ in range(5):
        send_form(client, "/accounts/login/", login="owner@shop.example", password="wrong")
    send_form(client, "/accounts/login/", login="owner@shop.example", password=PASSWORD)
    assert not is_signed_in(client)


def test_nobody_signs_up_alone_where_sign_up_is_closed(db: None, settings: Any) -> None:
    settings.SIGN_UP, client = False, browser()
    assert "Accounts come by invitation" in text_of(client.get("/accounts/signup/"))
    sent = send_form(client, "/accounts/signup/", at="/accounts/login/", email="new@shop.example", password1=PASSWORD)
    assert "Accounts come by invitation" in text_of(sent)
    assert User.objects.count() == 0


def test_addresses_cannot_be_changed_without_proof(account: NewMerchant) -> None:
    client = sign_in_by_page("owner@shop.example")
    answer = send_form(
        client, "/accounts/email/", at="/accounts/password/change/", email="boss@shop.example", action_add=""
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/2fa/")
    assert User.objects.get(pk=account.owner.pk).email == "owner@shop.example"


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/logout/", "/accounts/password/reset/"])
def test_forged_forms_are_refused(account: NewMerchant, path: str) -> None:
    client = sign_in_by_page("owner@shop.example")
    answer = client.post(path, {"login": "owner@shop.example", "password": PASSWORD, "email": "owner@shop.example"})
    assert answer.status_code == 403
    assert "Please send the form again" in text_of(answer)
    assert is_signed_in(client)
    assert mail.outbox == []


def test_signing_out_needs_the_button(account: NewMerchant) -> None:
    client = sign_in_by_page("owner@shop.example")
    client.get("/accounts/logout/")
    assert is_signed_in(client)
    send_form(client, "/accounts/logout/")
    assert not is_signed_in(client)


@pytest.mark.spec("Rulings B11.1")
def test_a_second_factor_is_asked_for(account: NewMerchant) -> None:
    add_second_factor("owner@shop.example")
    client = browser()
    answer = send_form(client, "/accounts/login/", login="owner@shop.example", password=PASSWORD)
    assert answer.headers["Location"] == "/accounts/2fa/authenticate/"
    assert not is_signed_in(client)
    send_form(client, "/accounts/2fa/authenticate/", code="000000")
    assert not is_signed_in(client)
    counter = next(iter(yield_hotp_counters_from_time()))
    send_form(client, "/accounts/2fa/authenticate/", code=format_hotp_value(hotp_value("JBSWY3DPEHPK3PXP", counter)))
    assert is_signed_in(client)


def test_second_factors_are_sealed_in_the_database(account: NewMerchant) -> None:
    add_second_factor("owner@shop.example")
    stored = str(Authenticator.objects.get().data)
    assert "JBSWY3DPEHPK3PXP" not in stored
    assert Authenticator.objects.get().wrap().instance.user == account.owner


def test_a_forgotten_password_is_reset_by_a_link_that_works_once(account: NewMerchant) -> None:
    client = browser()
    send_form(client, "/accounts/password/reset/", email="owner@shop.example")
    (message,) = mail.outbox
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(message.body))
    assert link is not None
    form = client.get(link.group(1), follow=True)
    at = form.redirect_chain[-1][0]
    send_form(client, at, password1="a new horse battery", password2="a new horse battery")
    assert not is_signed_in(sign_in_by_page("owner@shop.example"))
    assert is_signed_in(sign_in_by_page("owner@shop.example", "a new horse battery"))
    assert "no longer works" in text_of(browser().get(link.group(1), follow=True))


def test_a_reset_for_an_unknown_address_looks_the_same(account: NewMerchant) -> None:
    known = send_form(browser(), "/accounts/password/reset/", email="owner@shop.example")
    unknown = send_form(browser(), "/accounts/password/reset/", email="nobody@shop.example")
    assert (known.status_code, known.headers["Location"]) == (unknown.status_code, unknown.headers["Location"])


def test_proof_of_identity_ages(account: NewMerchant) -> None:
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        client = sign_in_by_page("owner@shop.example")
        send_form(client, "/accounts/reauthenticate/", password=PASSWORD)
        assert client.get("/dashboard/test/keys/roll/").status_code == 200
        clock.shift(601)
        assert client.get("/dashboard/test/keys/roll/").headers["Location"].startswith("/accounts/reauthenticate/")


@pytest.mark.parametrize("path", [*OPEN_PAGES, *ACCOUNT_PAGES])
def test_pages_are_strict(account: NewMerchant, path: str) -> None:
    client = sign_in_by_page("owner@shop.example") if path in ACCOUNT_PAGES else browser()
    answer = client.get(path)
    assert answer.status_code == 200
    assert policy_of(answer) == STRICT_POLICY
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert INLINE.findall(text_of(answer)) == []


@pytest.mark.parametrize("path", ACCOUNT_PAGES)
def test_account_pages_need_a_person(db: None, path: str) -> None:
    answer = browser().get(path)
    assert answer.status_code == 302
    assert answer.headers["Location"] in {f"/accounts/login/?next={path}", "/"}


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(account: NewMerchant, target: str) -> None:
    answer = send_form(browser(), "/accounts/login/", login="owner@shop.example", password=PASSWORD, next=target)
    assert answer.headers["Location"] == "/dashboard/"
