"""SECRET_KEY is exchanged beside people and programs: what the key of before signed is good until it is dropped."""

import ast
import re
from collections.abc import Callable
from uuid import UUID

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from checkout.services.receipt_mail import _is_mark_of, form_mark
from checkout.views.access import Opener, issue_token, opener_of
from core.errors import ServiceError
from core.modes import Mode
from mcp.oauth.consent_request import Choice, Ticket, TicketRefused, read_choice, read_ticket, sign_choice
from merchants.first_factor import is_word_of, word_for
from merchants.models import User
from merchants.services import NewMerchant
from tests.architecture.source import app_modules
from tests.merchants.people import OWNER, browser, send_form, sign_in_by_page

NEW = "a new key of more than thirty-two characters"
INTENT = UUID(int=7)
Still = Callable[[], bool]
"""Whether what was signed is still good."""


def session() -> Still:
    """Somebody who is signed in. Why a browser each time: an answer may sign the cookie anew."""
    kept = sign_in_by_page(OWNER).cookies["sessionid"].value

    def is_signed_in() -> bool:
        client = Client()
        client.cookies["sessionid"] = kept
        return client.get("/dashboard/test/").status_code == 200

    return is_signed_in


def reset_link() -> Still:
    send_form(browser(), "/accounts/password/reset/", email=OWNER)
    link = re.search(r"(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
    assert link is not None
    return lambda: b"no longer works" not in browser().get(link.group(1), follow=True).content


def checkout_token() -> Still:
    token, opener = issue_token(INTENT, Opener(3, "https://shop.example")), Opener(3, "https://shop.example")

    def opens() -> bool:
        try:
            return opener_of({"HTTP_CHECKOUT_TOKEN": token}, INTENT) == opener
        except ServiceError:
            return False

    return opens


def consent_ticket() -> Still:
    person = User.objects.get(email=OWNER)
    ticket = Ticket(query="q", user_id=person.pk, merchant_id=1, mode="test", connection_id=None, offered=[], nonce="n")
    text = ticket.signed()

    def is_read() -> bool:
        try:
            return read_ticket(text, person) == ticket
        except TicketRefused:
            return False

    return is_read


def consent_choice() -> Still:
    person, choice = User.objects.get(email=OWNER), Choice(merchant_id=1, mode=Mode.LIVE)
    text = sign_choice(choice, "q", person)
    return lambda: read_choice(text, "q", person) == choice


def receipt_form() -> Still:
    mark = form_mark(INTENT)
    return lambda: _is_mark_of(mark, INTENT)


def factor_word() -> Still:
    person = User.objects.get(email=OWNER)
    word = word_for(person)
    return lambda: is_word_of(person, word)


SIGNED = (session, reset_link, checkout_token, consent_ticket, consent_choice, receipt_form, factor_word)


@pytest.mark.django_db
@pytest.mark.parametrize("sign", SIGNED, ids=lambda sign: sign.__name__)
def test_what_was_signed_is_good_until_its_key_is_dropped(
    sign: Callable[[], Still], account: NewMerchant, settings: Settings
) -> None:
    """Three steps: known everywhere, first everywhere, alone."""
    settings.SESSION_COOKIE_SIGNED = True
    old = settings.SECRET_KEY
    still = sign()
    settings.SECRET_KEY_FALLBACKS = [NEW]
    assert still(), "the new key is known, and signs nothing yet"
    settings.SECRET_KEY = NEW
    settings.SECRET_KEY_FALLBACKS = [old]
    assert still()
    by_the_new_one = sign()
    settings.SECRET_KEY_FALLBACKS = []
    assert (still(), by_the_new_one()) == (False, True)


@pytest.mark.django_db
@pytest.mark.parametrize("sign", SIGNED, ids=lambda sign: sign.__name__)
def test_a_program_that_still_signs_with_the_key_of_before_reads_what_one_after_signed(
    sign: Callable[[], Still], account: NewMerchant, settings: Settings
) -> None:
    """Programs are started again one after the other, so for a while there are both."""
    settings.SESSION_COOKIE_SIGNED = True
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [old]
    still = sign()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = old, [NEW]
    assert still()


def test_nobody_signs_past_the_fallbacks() -> None:
    """Django's signers ask all keys; ``salted_hmac`` and the setting itself know one. Each such place is listed."""
    found = [
        (module.path, node.attr if isinstance(node, ast.Attribute) else "salted_hmac")
        for module in app_modules()
        for node in module.nodes
        if (isinstance(node, ast.Attribute) and node.attr == "SECRET_KEY")
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "salted_hmac")
    ]
    assert found == [("refunds/services/claim.py", "salted_hmac")], "who asks for texts is counted afresh, no more"
