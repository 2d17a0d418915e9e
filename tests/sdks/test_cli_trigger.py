"""``causeway trigger``: each event by doing what leads to it, valid and found by its id; and what cannot happen."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from causeway_sdk.cli.trigger import IMPOSSIBLE, STORIES
from django.conf import settings

from merchants.principal import Principal
from payments.models import PaymentIntent
from payouts.services import pause_payouts, set_payout_at_settle
from tests.conftest import ApiClient
from tests.contract.conformity import document
from tests.payments.world import World
from tests.sdks.door import Terminal, let_workers_work_meanwhile
from webhooks.catalog import NAMES_IN_ORDER
from webhooks.models import WebhookEndpoint


@pytest.fixture
def terminal(world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    let_workers_work_meanwhile(world, monkeypatch)
    return Terminal(api.key)


def faults_of(event: dict[str, Any]) -> list[str]:
    described = document()["webhooks"][event["type"]]["post"]["requestBody"]["content"]["application/json"]["schema"]
    judge = jsonschema_rs.Draft202012Validator(
        {**described, "components": document()["components"]}, validate_formats=True
    )
    return [error.message for error in judge.iter_errors(event)]


def test_every_event_of_the_catalogue_has_a_story_or_a_reason() -> None:
    assert sorted([*STORIES, *IMPOSSIBLE]) == sorted(NAMES_IN_ORDER)


@pytest.mark.parametrize("name", STORIES)
def test_it_happens_and_is_read_again(name: str, terminal: Terminal, principal: Principal, api: ApiClient) -> None:
    set_payout_at_settle(principal, enabled=True)
    if name == "payout.paused":
        pause_payouts(principal)
    [event] = terminal.rows(f"trigger {name}")
    assert (event["type"], faults_of(event)) == (name, [])
    assert api.get(f"/events/{event['id']}").body == event
    kind, about = event["resource"]["type"], event["resource"]["id"]
    if kind not in {"ping", "webhook_endpoint"}:
        assert api.get(f"/{kind.replace('_', '-')}s/{about}").body["id"] == about
    assert not WebhookEndpoint.objects.filter(deleted_at=None).exists()


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_happen_says_why_and_is_sent_as_a_sample(name: str, terminal: Terminal, api: ApiClient) -> None:
    ended = terminal.run(f"trigger {name}")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"{name} cannot happen in test mode: {IMPOSSIBLE[name]}.")
    [event] = terminal.rows(f"trigger {name} --sample")
    assert (event["type"], faults_of(event)) == (name, [])
    assert api.get(f"/events/{event['id']}").body == event


def test_the_payment_is_as_it_was_asked_for(terminal: Terminal) -> None:
    line = "trigger payment_intent.created --set amount=19.99 --set reference=1001 --set metadata.size=L"
    [event] = terminal.rows(f"{line} --set expires_in_seconds=120 --scenario partial")
    assert (
        event["data"]
        | {
            **{"amount": "19.99", "reference": "1001", "metadata": {"simulate": "partial", "size": "L"}},
        }
        == event["data"]
    )


def test_a_refund_finds_an_address_on_the_chain_it_settled_on(terminal: Terminal) -> None:
    [event] = terminal.rows("trigger refund.paid --set settlement_chain=solana --set amount=5")
    assert (event["data"]["status"], event["data"]["chain"]) == ("paid", "solana")


def test_a_story_that_takes_another_turn_ends_with_what_happened(terminal: Terminal) -> None:
    ended = terminal.run("trigger payment_intent.settled --scenario fail")
    assert (ended.exit_code, ended.stdout) == (3, "")
    assert "payment_intent.settled did not come within 60 seconds" in ended.stderr
    ended = terminal.run("trigger refund.paid --scenario fail")
    assert ended.exit_code == 1
    assert "ended as failed" in ended.stderr


def test_without_payouts_it_says_where_to_turn_them_on(terminal: Terminal, principal: Principal) -> None:
    ended = terminal.run("trigger payout.paid")
    assert ended.exit_code == 1
    assert "No payout was made. Turn on paying out at settle on the dashboard's page Payouts" in ended.stderr
    set_payout_at_settle(principal, enabled=True)
    ended = terminal.run("trigger payout.paused")
    assert ended.exit_code == 3
    assert "Press Pause on the dashboard's page Payouts" in ended.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trigger", "Which TYPE? See --list."),
        ("trigger payment_intent.flown", "payment_intent.flown is no event. See --list."),
        ("trigger payment_intent.created --set amount", "'amount' is not NAME=VALUE"),
        ("trigger payment_intent.created --set speed=9", "A payment has no speed."),
    ],
)
def test_wrong_use_makes_nothing(line: str, words: str, terminal: Terminal) -> None:
    ended = terminal.run(line)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert not PaymentIntent.objects.exists()


@pytest.mark.filterwarnings("ignore::causeway_sdk.LiveKeyWarning")
def test_no_live_key_makes_anything_happen(terminal: Terminal, live_api: ApiClient) -> None:
    terminal.key = live_api.key
    ended = terminal.run("--yes trigger payment_intent.created")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "Test keys only" in ended.stderr
    assert not PaymentIntent.objects.exists()


def test_the_list_says_how_each_is_made(terminal: Terminal) -> None:
    rows = terminal.rows("trigger --list")
    assert sorted(row["type"] for row in rows) == sorted(NAMES_IN_ORDER)
    assert {row["type"] for row in rows if not row["happens"]} == set(IMPOSSIBLE)
    assert rows[0] == {"type": "payment_intent.created", "happens": True, "by": "create a payment (settle)"}


def test_the_page_names_those_that_cannot_happen_and_why() -> None:
    page = Path(settings.BASE_DIR, "docs/sdks.md").read_text(encoding="utf-8")
    for name, why in IMPOSSIBLE.items():
        assert any(f"`{name}`" in line and line.endswith(f"| {why} |") for line in page.splitlines()), name
    assert f"makes {len(STORIES)} of the {len(NAMES_IN_ORDER)} event types happen" in page
