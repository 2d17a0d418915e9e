"""Forty hostile texts in every field that a payer, a merchant or a program writes, and every page that could show them.

What stands in the tables is written past the services on purpose: a text that a form refuses today may have come in
yesterday, or by another door tomorrow, and pages must not depend on it.
"""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from django.db.models import CharField, EmailField, JSONField, Model, TextField
from django.test import Client

from checkout.models import Branding
from core.modes import Mode
from dashboard.urls import PAGES
from mcp.models import AgentConnection, AgentRecord, Application
from merchants.audit import record_audit
from merchants.models import AllowedOrigin, ApiKey, Invitation, Merchant, RefusedOrigin, RequestRecord, User
from merchants.services import NewMerchant
from payments.models import Leg, PaymentIntent, RouteCandidate
from payouts.models import Payout
from refunds.models import Refund
from tests.dashboard.hostile import TEXTS, escapes
from tests.dashboard.places import ONLY_FORMS, actor, address, words_of
from tests.factories.refunds import paid_leg
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, sign_in
from webhooks.models import DeliveryAttempt, WebhookEndpoint

pytestmark = pytest.mark.slow

WRITTEN: dict[type[Model], tuple[str, ...]] = {
    PaymentIntent: ("reference", "return_url", "last_error_message", "customer_email", "metadata"),
    Leg: ("error", "tool", "bridge", "payer_address", "token", "to_token"),
    RouteCandidate: ("reason", "error", "from_token", "to_token"),
    Refund: ("reason", "destination"),
    Payout: ("destination", "token"),
    Merchant: ("name",),
    User: ("name",),
    ApiKey: ("name", "last_used_address"),
    AllowedOrigin: ("origin",),
    RefusedOrigin: ("origin",),
    RequestRecord: ("path", "query", "user_agent", "body", "code"),
    Invitation: ("email",),
    Application: ("name",),
    AgentConnection: ("name",),
    WebhookEndpoint: ("url",),
    DeliveryAttempt: ("response_headers", "response_body"),
    Branding: ("display_name", "support_url", "terms_url", "privacy_url"),
}
"""Every column whose words come from outside, by table. The tables that only grow are written anew each time."""


ROUNDS = 5
"""Eight texts stand behind each other at a time: every round of all pages costs many seconds."""
LISTED_ONCE = frozenset({Invitation, AllowedOrigin, RefusedOrigin})
"""Tables that hold a text once for each merchant: there one row is enough."""


def columns() -> Iterator[tuple[type[Model], Any]]:
    for table, names in WRITTEN.items():
        have = {field.name: field for field in table._meta.fields}
        yield from ((table, have[name]) for name in names)


def fitting(column: Any, text: str) -> Any:
    """The text as a column can hold it: cut, in an address, or as a key and a value."""
    if isinstance(column, JSONField) or column.get_internal_type() == "JSONField" or "Json" in type(column).__name__:
        return {text[:200]: text, "list": [text], "deep": {"text": text}}
    if column is RequestRecord._meta.get_field("body"):  # the log keeps JSON alone
        return orjson.dumps({text[:99]: text}).decode()
    if isinstance(column, EmailField):
        return f"{text[:200]}@mail.example"[: column.max_length]
    assert isinstance(column, (CharField, TextField)), column
    return text[: column.max_length or 10_000]


def write_everywhere(text: str, account: NewMerchant) -> None:
    for table, column in columns():
        value = fitting(column, text)
        first = table._default_manager.order_by("pk").values_list("pk", flat=True)[:1]
        rows = table._default_manager.all()
        rows = rows.filter(pk__in=list(first)) if table in LISTED_ONCE else rows
        rows.update(**{column.name: value})  # past save() and every service
    record_audit(
        actor(account, Mode.TEST), "origin.allowed", text[:128], before={text[:99]: text}, after={"name": text}
    )
    AgentRecord.objects.create(
        **{"merchant_id": account.merchant.pk, "mode": "test", "action": "call", "tool": "create_refund"},
        **{"outcome": "denied", "code": text[:60], "client_name": text[:255]},
        arguments={text[:99]: text, "reason": text},
    )


@pytest.fixture
def looker(account: NewMerchant) -> Client:
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client


@pytest.fixture
def paths(account: NewMerchant) -> dict[str, str]:
    found = {"home": "/dashboard/test/"}
    for page in (page for page in PAGES if page.name not in ONLY_FORMS):
        found[page.name] = address(page, words_of(page, account))
    for intent in PaymentIntent.objects.all()[:3]:
        paid_leg(intent, error="x")
    return found


def seen_through(client: Client, path: str) -> str:
    """What a page says; nothing for files and answers to scripts."""
    answer = client.get(path)
    assert answer.status_code < 500, path
    return answer.content.decode() if answer.headers.get("Content-Type", "").startswith("text/html") else ""


def test_no_page_writes_a_text_as_anything_else(account: NewMerchant, looker: Client, paths: dict[str, str]) -> None:
    wrong: dict[str, list[str]] = {}
    shown = set()
    for number in range(ROUNDS):
        texts = TEXTS[number::ROUNDS]
        write_everywhere(" ".join(texts), account)
        for name, path in paths.items():
            page = seen_through(looker, path)
            if found := [fault for text in texts for fault in escapes(page, text)]:
                wrong.setdefault(name, []).append(f"round {number}: {found}")
            if "&lt;script&gt;" in page:
                shown.add(name)
    assert wrong == {}
    assert shown >= {"home", "payments", "payment", "refund"}, "the texts are not shown at all"


def test_the_check_itself_finds_what_gets_out() -> None:
    for text in TEXTS[:8]:
        assert escapes(f"<p>{text}</p>", text), text
        assert escapes(f'<input value="{text}">', text) or '"' not in text, text
    assert escapes("<p>W</p>", "W") == []
