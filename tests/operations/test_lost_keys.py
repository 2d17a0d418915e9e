"""A key that is lost is named at once: by readiness, by Django's check, in the log; and it stops nothing else."""

import logging
from collections.abc import Callable

import pytest
from django.core.mail import send_mail
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import OperationalError, connection
from pytest_django import Settings

from merchants.models import IdempotencyRecord
from merchants.services import NewMerchant
from operations.sealed import tell_unreadable
from proofs.keys import sign
from proofs.models import ProofKey
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.merchants.people import OWNER, add_second_factor
from tests.payments.world import World, create

CREATE = {"amount": 25}


def endpoint(api: ApiClient) -> None:
    """A secret that signs."""
    body = {"url": "https://shop.example/hook", "events": ["*"]}
    assert api.post("/webhook-endpoints", body).status == 201


def answer(api: ApiClient) -> None:
    """An answer that a key stands for."""
    assert api.post("/payment-intents", CREATE, Idempotency_Key="order").status == 201


def mail(_: ApiClient) -> None:
    """A mail that waits."""
    send_mail("subject", "body", None, [OWNER])


def factor(_: ApiClient) -> None:
    """An authenticator app."""
    add_second_factor(OWNER)


def receipt_key(_: ApiClient) -> None:
    """The key that signs receipts."""
    sign("causeway.receipt.v1", b"content")


STORED: dict[str, Callable[[ApiClient], None]] = {
    "signing secrets": endpoint, "remembered answers": answer, "mail": mail, "second factors": factor,
    "receipt keys": receipt_key,
}  # fmt: skip


def secrets_of(anonymous: ApiClient) -> tuple[str, str]:
    """What readiness says of them."""
    check = anonymous.get("/api/public/health/ready").body["checks"]["secrets"]
    return check["status"], check.get("detail", "")


@pytest.mark.parametrize("kind", STORED)
def test_what_no_key_opens_is_named_until_the_key_is_back(
    kind: str, api: ApiClient, anonymous: ApiClient, account: NewMerchant, settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    settings.EMAIL_BACKEND = "merchants.mail.OutboxBackend"
    STORED[kind](api)
    assert secrets_of(anonymous) == ("ok", "")
    usual = settings.ENCRYPTION_KEYS
    settings.ENCRYPTION_KEYS = ["another"]
    said = f"No key opens stored {kind}. Name the key of before in ENCRYPTION_KEYS, too."
    assert secrets_of(anonymous) == ("unavailable", said)
    with pytest.raises(SystemCheckError, match=f"No key opens stored {kind}"):
        call_command("check", databases=["default"])
    with caplog.at_level(logging.ERROR, "causeway.secrets"):
        tell_unreadable()
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [f"secrets_unreadable kind={kind}"]
    settings.ENCRYPTION_KEYS = ["another", *usual]
    assert secrets_of(anonymous) == ("ok", "")
    call_command("check", databases=["default"])


@pytest.mark.django_db(transaction=True)
def test_a_start_is_told_what_can_be_asked_where_a_table_is_not_there_yet(
    api: ApiClient, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A new release over the tables of before."""
    endpoint(api)
    settings.ENCRYPTION_KEYS = ["another"]
    monkeypatch.setattr(ProofKey._meta, "db_table", "proofs_of_a_later_release")
    with caplog.at_level(logging.WARNING, "causeway.secrets"):
        tell_unreadable()
    said = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert said == ["secrets_unasked kind=receipt keys", "secrets_unreadable kind=signing secrets"]
    assert "proofs_of_a_later_release" in caplog.records[0].getMessage()


def test_a_start_asks_a_database_that_is_away_once(
    db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(connection, "cursor", refuse)
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    with caplog.at_level(logging.WARNING, "causeway.secrets"):
        tell_unreadable()
    assert [record.getMessage() for record in caplog.records] == ["secrets_unasked kind=demo shops: connection refused"]


def test_a_repeated_create_whose_answer_cannot_be_opened_is_told_to_come_back(
    world: World, api: ApiClient, settings: Settings
) -> None:
    """500 said that it is our fault, and that a second one may be tried."""
    first = api.post("/payment-intents", CREATE, Idempotency_Key="order").body
    usual, settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS, ["another"]
    before = all_rows()
    reply = api.post("/payment-intents", CREATE, Idempotency_Key="order")
    assert (reply.status, reply.body["code"]) == (503, "temporarily_unavailable")
    assert all_rows() == before
    create(api)
    settings.ENCRYPTION_KEYS = ["another", *usual]
    assert api.post("/payment-intents", CREATE, Idempotency_Key="order").body == first
    assert IdempotencyRecord.objects.count() == 1
