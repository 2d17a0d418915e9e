"""Mail: kept where it is sent from, sent by a worker, tried again, given up after a day, never readable at rest."""

import logging
import re
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail import BadHeaderError, EmailMessage, EmailMultiAlternatives, send_mail
from django.core.mail.backends import locmem
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from core.pauses import Paused, pause, resume
from merchants.mail import BATCH, forget_old_mail, send_due
from merchants.models import OutgoingMail
from merchants.services import NewMerchant
from tests.merchants.people import OWNER, browser, send_form
from tests.payments.world import World

DAY = 86_400
UP, DOWN, DEADLY = "django.core.mail.backends.locmem.EmailBackend", f"{__name__}.ServerIsDown", f"{__name__}.WorkerDies"
PAUSES_AFTER_ONE = f"{__name__}.PausesAfterOne"
"""Servers that mail may be handed to."""


class ServerIsDown(BaseEmailBackend):
    """A mail server that refuses everything and repeats the address."""

    def send_messages(self, email_messages: Any) -> int:
        raise ConnectionRefusedError(f"550 {email_messages[0].to} said {email_messages[0].body}")


class WorkerDies(BaseEmailBackend):
    """Ends the process at the worst moment."""

    def send_messages(self, email_messages: Any) -> int:
        raise SystemExit


class PausesAfterOne(locmem.EmailBackend):
    """An operator pauses all sending while the first mail is handed over."""

    def send_messages(self, messages: Any) -> int:
        pause(Paused.SENDING, reason="a leak", by="root@service.example")
        return super().send_messages(messages)


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any, db: None) -> None:
    settings.EMAIL_BACKEND = "merchants.mail.OutboxBackend"
    settings.MAIL_DELIVERY = UP


def waiting() -> int:
    return OutgoingMail.objects.exclude(next_attempt_at=None).count()


def test_a_request_writes_a_row_and_a_worker_sends_it(account: NewMerchant, settings: Any) -> None:
    settings.MAIL_DELIVERY = DOWN
    assert send_form(browser(), "/accounts/password/reset/", email=OWNER).status_code == 302
    assert (waiting(), mail.outbox) == (1, [])
    settings.MAIL_DELIVERY = UP
    row = OutgoingMail.objects.get()
    assert OWNER.encode() not in bytes(row.sealed)
    assert b"password" not in bytes(row.sealed)
    assert send_due() == 1
    (message,) = mail.outbox
    assert (message.to, message.from_email) == ([OWNER], "no-reply@localhost")
    assert re.search(rf"{settings.BASE_URL}/accounts/password/reset/key/\S+", str(message.body))
    row.refresh_from_db()
    assert (bytes(row.sealed), row.next_attempt_at, row.sent_at is None) == (b"", None, False)
    assert send_due() == 0
    assert len(mail.outbox) == 1


def test_every_part_of_a_message_survives() -> None:
    message = EmailMultiAlternatives(
        "Grüße", "text", "shop@service.example", ["a@x.example"], cc=["b@x.example"], bcc=["c@x.example"]
    )
    message.reply_to, message.extra_headers = ["d@x.example"], {"X-Kind": "notice"}
    message.attach_alternative("<p>text</p>", "text/html")
    assert message.send() == 1
    send_due()
    sent: Any = mail.outbox[0]
    assert (sent.subject, sent.body) == ("Grüße", "text")
    assert (sent.to, sent.cc, sent.bcc) == (["a@x.example"], ["b@x.example"], ["c@x.example"])
    assert (sent.reply_to, sent.extra_headers) == (["d@x.example"], {"X-Kind": "notice"})
    assert [tuple(one) for one in sent.alternatives] == [("<p>text</p>", "text/html")]


def test_what_is_rolled_back_is_never_sent() -> None:
    with transaction.atomic():
        send_mail("subject", "body", None, ["a@x.example"])
        transaction.set_rollback(True)
    assert OutgoingMail.objects.count() == 0


def test_headers_cannot_be_forged_and_attachments_are_refused_aloud() -> None:
    for subject, to in (
        ("Hello\nBcc: thief@evil.example", "a@x.example"),
        ("Hello\r\nBcc: thief@evil.example", "a@x.example"),
        ("Hello", "a@x.example\nBcc: thief@evil.example"),
        ("Hello", "a@x.example, thief@evil.example"),
        ("Hello", "a@x.example>,<thief@evil.example"),
        ("Hello", "not an address"),
    ):
        with pytest.raises((BadHeaderError, ValidationError)):
            send_mail(subject, "body", None, ["good@x.example", to])
    message = EmailMessage("subject", "body", None, ["a@x.example"])
    message.attach("a.txt", "text", "text/plain")
    with pytest.raises(ValueError, match="attachments"):
        message.send()
    assert EmailMessage("subject", "body").send() == 0
    assert OutgoingMail.objects.count() == 0


def test_a_failure_is_tried_again_and_given_up_after_a_day(
    world: World, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    send_mail("subject", "a secret link", None, ["a@x.example"])
    settings.MAIL_DELIVERY = DOWN
    tried_at = []
    with caplog.at_level(logging.WARNING, "causeway.mail"):
        for minute in range(0, 26 * 60, 5):
            tried_at += [minute] if send_due() else []
            world.wait(300)
    assert tried_at == [0, 5, 10, 25, 85, 265, 625, 1345]
    row = OutgoingMail.objects.get()
    assert (row.sent_at, row.given_up_at is None, row.attempts, bytes(row.sealed)) == (None, False, 8, b"")
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 7 + ["ERROR"]
    assert "a@x.example" not in caplog.text
    assert "a secret link" not in caplog.text


def test_a_server_that_comes_back_gets_the_mail(world: World, settings: Any) -> None:
    send_mail("subject", "body", None, ["a@x.example"])
    settings.MAIL_DELIVERY = DOWN
    send_due()
    settings.MAIL_DELIVERY = UP
    assert send_due() == 0
    world.wait(61)
    assert send_due() == 1
    assert len(mail.outbox) == 1


def test_one_bad_mail_holds_up_no_other(settings: Any) -> None:
    send_mail("first", "body", None, ["a@x.example"])
    OutgoingMail.objects.update(sealed=b"sealed under a key that is gone")
    for number in range(BATCH + 2):
        send_mail(f"mail {number}", "body", None, ["a@x.example"])
    assert send_due() == BATCH + 3
    assert len(mail.outbox) == BATCH + 2
    assert {message.subject for message in mail.outbox} == {f"mail {number}" for number in range(BATCH + 2)}
    assert waiting() == 1


def test_a_worker_that_dies_delays_a_mail_by_its_lease(world: World, settings: Any) -> None:
    send_mail("subject", "body", None, ["a@x.example"])
    settings.MAIL_DELIVERY = DEADLY
    with pytest.raises(SystemExit):
        send_due()
    settings.MAIL_DELIVERY = UP
    assert send_due() == 0
    world.wait(121)
    assert send_due() == 1
    assert len(mail.outbox) == 1


def test_rows_are_forgotten_after_a_month(world: World) -> None:
    send_mail("sent", "body", None, ["a@x.example"])
    send_due()
    world.wait(30 * DAY - 1)
    send_mail("waiting", "body", None, ["a@x.example"])
    assert forget_old_mail() == 0
    world.wait(31 * DAY)
    assert forget_old_mail() == 1
    assert waiting() == 1


def test_a_pause_in_the_middle_of_a_sweep_lets_no_more_mail_leave_and_none_is_lost(
    settings: Any,
) -> None:
    for number in range(BATCH + 2):
        send_mail(f"mail {number}", "body", None, ["a@x.example"])
    settings.MAIL_DELIVERY = PAUSES_AFTER_ONE
    assert send_due() == 1
    assert (len(mail.outbox), waiting()) == (1, BATCH + 1)
    assert (send_due(), len(mail.outbox)) == (0, 1)
    assert resume(Paused.SENDING, by="root@service.example")
    settings.MAIL_DELIVERY = UP
    assert send_due() == BATCH + 1
    assert {message.subject for message in mail.outbox} == {f"mail {number}" for number in range(BATCH + 2)}
    assert waiting() == 0
