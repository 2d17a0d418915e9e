"""The rest of the command: the request log, webhooks that came or did not, the test clock, and a kept key."""

import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from causeway_sdk.cli import desk
from causeway_sdk.testing import TEST_SECRET, sign

from core.clock import now
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.merchants.log_lines import logged
from tests.sdks.door import ADDRESS, Terminal
from tests.webhooks.actors import happen, subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery
from webhooks.states import Outcome

pytestmark = pytest.mark.django_db
BODY = b'{"id": "evt_1", "type": "ping", "created_at": "2026-11-28T12:00:00.000Z", "data": {}}'


class Ended(BaseException):
    """Somebody ends the program."""


@pytest.fixture
def terminal(api: ApiClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(desk, "folder", lambda: tmp_path / "settings")
    return Terminal(api.key)


# logs


def test_the_log_is_shown_oldest_first_and_followed(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("payment-intents", "refunds", "payouts"):
        terminal.run(f"{name} get nothing")
    logged()
    shown = [row["path"].split("/")[4] for row in terminal.rows("logs tail --once --lines 2")]
    assert shown == ["refunds", "payouts"]
    asked = iter(["events", "webhook-endpoints", None])

    def meanwhile(seconds: float) -> None:
        name = next(asked)
        if name is None:
            raise Ended
        Terminal(terminal.key).run(f"{name} get nothing")
        logged()

    monkeypatch.setattr("causeway_sdk._http.pause", meanwhile)
    shown.clear()
    monkeypatch.setattr("causeway_sdk.cli.logs.write", lambda to, one: shown.append(one.path.split("/")[4]))
    with pytest.raises(Ended):
        terminal.run("logs tail --lines 1")
    assert shown == ["payouts", "events", "webhook-endpoints"]


def test_the_log_is_filtered(terminal: Terminal) -> None:
    terminal.run("payment-intents get nothing")
    terminal.rows("account get")
    logged()
    assert [(row["status"], row["code"]) for row in terminal.rows("logs tail --once --status 4xx")] == [
        (404, "not_found")
    ]
    assert terminal.rows("logs tail --once --path /api/public/v1/refunds") == []


def test_what_matches_nothing_yet_is_followed_from_now_on(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.rows("account get")
    logged()
    shown: list[str] = []

    def meanwhile(seconds: float) -> None:
        if shown:
            raise Ended
        Terminal(terminal.key).run("refunds get nothing")
        logged()

    monkeypatch.setattr("causeway_sdk._http.pause", meanwhile)
    monkeypatch.setattr("causeway_sdk.cli.logs.write", lambda to, one: shown.append(f"{one.status} {one.method}"))
    with pytest.raises(Ended):
        terminal.run("logs tail --status 4xx")
    assert shown == ["404 GET"]


# webhooks


def verified(terminal: Terminal, body: bytes, headers: dict[str, str], *more: str) -> Any:
    Path("body.json").write_bytes(body)
    given = " ".join(f"-H '{name}: {value}'" for name, value in headers.items())
    return terminal.run(f"webhooks verify body.json {given} {' '.join(more)}")


def test_a_webhook_is_verified_and_its_event_shown(terminal: Terminal) -> None:
    terminal.more["CAUSEWAY_WEBHOOK_SECRET"] = TEST_SECRET
    ended = verified(terminal, BODY, {"Svc-Signature": sign(BODY)["Svc-Signature"]})
    assert (ended.exit_code, orjson.loads(ended.stdout)["id"]) == (0, "evt_1")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("body", "signature_mismatch: Another secret signed it, or the body is not exactly what came."),
        ("age", "timestamp_outside_tolerance: It is older than five minutes"),
        ("secret", "secret_empty: Give --secret, or set CAUSEWAY_WEBHOOK_SECRET."),
        ("header", "header_missing: Give every header that came."),
    ],
)
def test_one_that_does_not_verify_says_why(terminal: Terminal, change: str, words: str) -> None:
    terminal.more["CAUSEWAY_WEBHOOK_SECRET"] = "" if change == "secret" else TEST_SECRET
    moment = (now() - timedelta(minutes=10 if change == "age" else 0)).timestamp()
    headers = {} if change == "header" else {"Svc-Signature": sign(BODY, timestamp=moment)["Svc-Signature"]}
    ended = verified(terminal, BODY + b" " if change == "body" else BODY, headers)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert words in ended.stderr
    if change == "age":
        assert verified(terminal, BODY, headers, "--any-age").exit_code == 0


def test_an_event_is_sent_again_to_whom_it_was_for(terminal: Terminal, principal: Principal) -> None:
    first, second = (subscribe(principal, "https://shop.example/hook") for _ in range(2))
    event, other = happen(principal), happen(principal)
    fan_out()
    Delivery.objects.update(outcome=Outcome.DELIVERED, next_attempt_at=None, finished_at=now())
    sent = terminal.rows(f"webhooks resend {event.pk}")
    assert [(one["event_id"], one["status"]) for one in sent] == [(event.pk, "due")] * 2
    assert {one.event_id for one in Delivery.objects.filter(outcome=Outcome.DUE)} == {event.pk}
    sent = terminal.rows(f"webhooks resend {other.pk} --endpoint {second.id}")
    assert [one["id"] for one in sent] == [str(Delivery.objects.get(event=other, endpoint=second.endpoint).pk)]
    assert Delivery.objects.get(event=other, endpoint=first.endpoint).outcome == "delivered"
    ended = terminal.run("webhooks resend evt_none")
    assert (ended.exit_code, ended.stdout) == (1, "")


def test_what_was_missed_is_recovered_for_each_endpoint(terminal: Terminal, principal: Principal) -> None:
    assert terminal.run("webhooks recover --since 2h").stderr == "No endpoint is enabled.\n"
    happen(principal)
    fan_out()
    endpoint = subscribe(principal, "https://shop.example/hook")
    assert [(one["id"], one["scheduled"]) for one in terminal.rows("webhooks recover --since 2h")] == [(endpoint.id, 1)]
    assert terminal.run("webhooks recover --since yesterday").exit_code == 1


# the clock


@pytest.mark.parametrize(("span", "seconds"), [("90", 90), ("30m", 1800), ("2h", 7200), ("1d", 86400)])
def test_the_clock_is_moved_by_a_span(terminal: Terminal, span: str, seconds: int) -> None:
    assert terminal.rows(f"clock advance {span}") == [{"advanced_seconds": seconds}]


def test_what_is_no_span_moves_nothing(terminal: Terminal) -> None:
    ended = terminal.run("clock advance soon")
    assert (ended.exit_code, ended.stdout) == (2, "")


# login


def login(terminal: Terminal, key: str) -> Any:
    return terminal.run(f"login --base-url {ADDRESS}", input=f"{key}\n")


def test_a_key_is_kept_for_its_owner_alone_and_taken_where_none_is_given(
    terminal: Terminal, api: ApiClient, other_api: ApiClient
) -> None:
    terminal.key = ""
    assert terminal.run("account get").exit_code == 4
    ended = login(terminal, api.key)
    assert ended.exit_code == 0
    assert api.key not in ended.stdout + ended.stderr
    assert stat.S_IMODE((desk.folder() / "login.json").stat().st_mode) == 0o600
    [mine] = terminal.rows("account get")
    terminal.key = other_api.key
    [theirs] = terminal.rows("account get")
    assert mine["merchant"] != theirs["merchant"]
    terminal.key = ""
    terminal.run("login --forget")
    assert terminal.run("account get").exit_code == 4


def test_a_key_that_is_not_known_is_not_kept(terminal: Terminal) -> None:
    terminal.key = ""
    assert login(terminal, "sk_test_of_nobody").exit_code == 4
    assert not (desk.folder() / "login.json").exists()


@pytest.mark.filterwarnings("ignore::causeway_sdk.LiveKeyWarning")
def test_a_live_key_is_kept_beside_and_taken_only_where_that_is_said(
    terminal: Terminal, api: ApiClient, live_api: ApiClient
) -> None:
    terminal.key = ""
    login(terminal, live_api.key)
    assert terminal.run("account get").exit_code == 4
    login(terminal, api.key)
    assert [row["mode"] for row in terminal.rows("account get")] == ["test"]
    assert [row["mode"] for row in terminal.rows("--live account get")] == ["live"]


# the skill


def test_the_skill_is_put_where_an_agent_finds_it(terminal: Terminal) -> None:
    terminal.key = ""
    [row] = terminal.rows("skill install")
    assert row == {"skill": "causeway-python", "file": ".agents/skills/causeway-python/SKILL.md"}
    text = Path(row["file"]).read_text(encoding="utf-8")
    assert text.splitlines()[1] == "name: causeway-python"
    assert [one["file"] for one in terminal.rows("skill install --into mine")] == ["mine/causeway-python/SKILL.md"]
