"""An operator's first factor takes a word of a terminal, and /admin/ opens to the session that proved a factor."""

from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core.management import CommandError, call_command
from django.test import Client

from core.clock import now
from merchants.models import Change, User
from merchants.services import NewMerchant
from tests.merchants.people import (
    PASSWORD,
    add_second_factor,
    confirm_identity,
    field_value,
    sign_in,
    sign_in_by_page,
    text_of,
)

ROOT, OTHER = "root@service.example", "other@service.example"
ACTIVATE = "/accounts/2fa/totp/activate/"
SECRET = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def root(db: None) -> Client:
    """An operator without a factor, by the password alone; whose password it is nobody knows."""
    User.objects.create_superuser(ROOT, PASSWORD)
    client = sign_in(ROOT)
    confirm_identity(client)
    return client


def word(email: str = ROOT) -> str:
    """What the terminal prints."""
    printed = StringIO()
    call_command("factor_word", email, stdout=printed)
    return printed.getvalue().strip()


def code(secret: str) -> str:
    """What an authenticator app shows now."""
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))


def enrol(client: Client, **fields: str) -> int:
    """Add an authenticator; the answer's status."""
    secret = field_value(client.get(ACTIVATE), "authenticator_secret")
    client.handler.enforce_csrf_checks = False
    return client.post(ACTIVATE, {"code": code(secret), **fields}).status_code


def test_a_password_alone_enrols_no_operator(root: Client) -> None:
    assert enrol(root) == 200
    User.objects.create_superuser(OTHER, PASSWORD)
    with time_machine.travel(now() - timedelta(minutes=61), tick=False):
        old = word()
    for wrong in (old, "", "nonsense", f"{word()}x", word(OTHER)):
        assert enrol(root, word=wrong) == 200
    assert "Word of the operator" in text_of(root.get("/accounts/2fa/webauthn/add/"))
    assert not Authenticator.objects.exists()
    assert root.get("/admin/").status_code == 302


def test_the_word_enrols_one_factor_and_the_session_proves_it(root: Client) -> None:
    assert enrol(root, word=f" {word()} ") == 302
    assert Authenticator.objects.filter(user__email=ROOT, type="totp").exists()
    asked = root.get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0] == "/accounts/2fa/reauthenticate/?next=%2Fadmin%2F"
    assert "Operators prove their second factor" in text_of(asked)


def test_a_session_older_than_the_factor_is_asked_for_it(root: Client) -> None:
    add_second_factor(ROOT)
    assert root.get("/admin/queues/").status_code == 302
    root.handler.enforce_csrf_checks = False
    assert root.post("/accounts/2fa/reauthenticate/?next=/admin/", {"code": code(SECRET)}).status_code == 302
    assert root.get("/admin/queues/").status_code == 200


def test_others_need_no_word_and_get_none(account: NewMerchant, root: Client) -> None:
    person = sign_in(account.owner.email)
    confirm_identity(person)
    assert "Word of the operator" not in text_of(person.get(ACTIVATE))
    assert enrol(person) == 302
    for email in (account.owner.email, "nobody@service.example"):
        with pytest.raises(CommandError, match="is no operator"):
            word(email)
    add_second_factor(ROOT)
    with pytest.raises(CommandError, match="is no operator"):
        word()


@pytest.mark.django_db(transaction=True)
def test_a_new_factor_ends_what_is_signed_in_elsewhere(account: NewMerchant) -> None:
    """Whoever sits there may have come in by the password alone."""
    person = account.merchant.memberships.get().user
    person.set_password(PASSWORD)
    person.save()
    elsewhere, here = sign_in_by_page(person.email), sign_in_by_page(person.email)
    confirm_identity(here)
    assert [client.get("/dashboard/test/").status_code for client in (elsewhere, here)] == [200, 200]
    assert enrol(here) == 302
    assert [client.get("/dashboard/test/").status_code for client in (elsewhere, here)] == [302, 200]
    ended = Change.objects.filter(action="person.sessions_ended")
    assert [line.after for line in ended] == [{"sessions": 1}]
