"""``causeway listen`` loses no event, wherever it is ended, and hands on exactly what was signed."""

import stat
from pathlib import Path
from typing import Any

import orjson
import pytest
from causeway_sdk import webhooks
from causeway_sdk.cli import desk
from causeway_sdk.cli import listen as module
from causeway_sdk.testing import FakeAnswer
from django.db.models import F

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.sdks.door import Terminal
from tests.webhooks.actors import happen
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.pulling import LEASE
from webhooks.models import Delivery, WebhookEndpoint

pytestmark = pytest.mark.django_db
RECEIVER = "http://127.0.0.1:4242/webhooks"
STEPS = ["GET account", "POST webhook-endpoints", "PATCH endpoint", "GET pull", "POST 4242", "POST answer"]
FORWARD = f"listen --once --forward-to {RECEIVER}"


class Killed(BaseException):
    """The program is ended, without a chance to clean up."""


@pytest.fixture
def terminal(api: ApiClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: None)
    monkeypatch.setattr("causeway_sdk.cli.desk.folder", lambda: tmp_path / "causeway")
    return Terminal(api.key)


class Receiver:
    """An idempotent one: verifies, and takes each event once."""

    def __init__(self, terminal: Terminal, status: int = 200) -> None:
        self.terminal, self.status, self.came, self.taken = terminal, status, 0, dict[str, bytes]()
        terminal.door.others[RECEIVER] = self

    def __call__(self, raw: bytes, headers: dict[str, str]) -> int:
        assert "Authorization" not in headers
        webhooks.verify(raw, headers, self.terminal.run("listen --print-secret").stdout.strip())
        self.came += 1
        if self.status == 200:
            self.taken[orjson.loads(raw)["id"]] = raw
        return self.status


def happened(principal: Principal, count: int) -> set[str]:
    ids = {str(happen(principal).pk) for _ in range(count)}
    fan_out()
    return ids


def let_leases_end() -> None:
    Delivery.objects.filter(leased_until__isnull=False).update(leased_until=F("leased_until") - LEASE)


def test_each_event_is_shown_handed_on_and_answered(terminal: Terminal, principal: Principal) -> None:
    receiver = Receiver(terminal)
    assert terminal.rows(FORWARD) == []
    ids = happened(principal, 7)
    assert {one["id"] for one in terminal.rows(FORWARD)} == ids == set(receiver.taken)
    assert receiver.came == 7
    assert {one.outcome for one in Delivery.objects.all()} == {"delivered"}
    assert terminal.rows(FORWARD) == []


def test_the_secret_and_the_endpoint_stay_and_only_their_owner_reads_them(terminal: Terminal) -> None:
    secrets = {terminal.run("listen --print-secret").stdout for _ in range(3)}
    assert len(secrets) == 1
    assert WebhookEndpoint.objects.count() == 1
    assert stat.S_IMODE((desk.folder() / module.KEPT).stat().st_mode) == 0o600
    assert [one.name for one in desk.folder().iterdir()] == ["listen.json"]


def test_what_is_not_delivered_comes_again(terminal: Terminal, principal: Principal) -> None:
    receiver = Receiver(terminal, status=500)
    terminal.rows(FORWARD)
    ids = happened(principal, 1)
    terminal.rows(FORWARD)
    assert {one.outcome for one in Delivery.objects.all()} == {"due"}
    receiver.status = 200
    Delivery.objects.update(pull_at=F("created_at"))
    terminal.rows(FORWARD)
    assert set(receiver.taken) == ids


@pytest.mark.parametrize("answers", [0, 1], ids=["before it is asked", "before its answer comes"])
@pytest.mark.parametrize("step", STEPS)
def test_ended_at_any_step_it_loses_nothing_and_makes_no_second_endpoint(
    terminal: Terminal, principal: Principal, step: str, answers: int
) -> None:
    receiver = Receiver(terminal)
    verb, word = step.split()
    ids: set[str] = set()
    if word in {"pull", "4242", "answer"}:
        terminal.rows(FORWARD)
        ids = happened(principal, 3)
    asked = terminal.door.request

    def is_wanted(url: str) -> bool:
        return word in url or (word == "endpoint" and "webhook-endpoints/" in url)

    left = [1]

    def ended(method: str, url: str, **more: Any) -> Any:
        hit = method == verb and is_wanted(url) and left[0]
        if hit and not answers:
            left[0] = 0
            raise Killed
        answer = asked(method, url, **more)
        if hit:
            left[0] = 0
            raise Killed
        return answer

    terminal.door.request = ended  # type: ignore[method-assign]  # the network, ended at one step
    with pytest.raises(Killed):
        terminal.run(FORWARD)
    assert left == [0]
    if not ids:
        terminal.rows(FORWARD)
        ids = happened(principal, 3)
    let_leases_end()
    terminal.rows(FORWARD)
    assert set(receiver.taken) == ids
    assert WebhookEndpoint.objects.count() == 1
    assert {one.outcome for one in Delivery.objects.all()} == {"delivered"}


def test_a_service_that_is_away_for_a_while_is_asked_again(terminal: Terminal, principal: Principal) -> None:
    receiver = Receiver(terminal)
    terminal.rows(FORWARD)
    ids = happened(principal, 2)
    left = [7]

    def away(method: str, path: str) -> None:
        if "/pull" in path and left[0]:
            left[0] -= 1
            raise ConnectionError("restarting")

    terminal.door.before = away
    ended = terminal.run(FORWARD)
    assert ended.exit_code == 0
    assert "Trying again." in ended.stderr
    assert set(receiver.taken) == ids


def test_what_is_only_shown_is_read_from_a_cursor_and_needs_no_endpoint(
    terminal: Terminal, principal: Principal
) -> None:
    assert terminal.rows("listen --once") == []
    ids = happened(principal, 3)
    shown = terminal.rows("listen --once")
    assert ({one["id"] for one in shown}, len(shown)) == (ids, 3)
    assert terminal.rows("listen --once") == []
    assert WebhookEndpoint.objects.count() == 0


def test_a_cursor_that_ended_is_said_once_and_then_it_goes_on(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.rows("listen --once")
    (desk.folder() / module.KEPT).write_text((desk.folder() / module.KEPT).read_text().replace("cur_", "cur_x"))
    asked = terminal.door.request

    def expired(method: str, url: str, **more: Any) -> Any:
        if "cur_x" in url:
            return FakeAnswer(410, {}, b'{"error": "Gone.", "code": "cursor_expired"}')
        return asked(method, url, **more)

    monkeypatch.setattr(terminal.door, "request", expired)
    ended = terminal.run("listen --once")
    assert (ended.exit_code, "cursor_expired" in ended.stderr) == (1, True)
    assert terminal.rows("listen --once") == []


def test_what_does_not_verify_is_neither_shown_nor_handed_on(terminal: Terminal, principal: Principal) -> None:
    receiver = Receiver(terminal)
    terminal.rows(FORWARD)
    happened(principal, 1)
    file = desk.folder() / module.KEPT
    file.write_text(file.read_text().replace("whsec_", "whsec_X"))
    ended = terminal.run(FORWARD)
    assert (ended.exit_code, ended.stdout, receiver.came) == (1, "", 0)
    assert "signature_mismatch" in ended.stderr


def test_where_the_service_answers_at_once_it_rests_between_two_questions(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many may wait there at once: who is one more is answered right away, and must not ask without a rest."""
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) == 3:
            raise Killed

    monkeypatch.setattr("causeway_sdk._http.pause", rest)
    monkeypatch.setattr("causeway_sdk._http.now", lambda: 1000.0)
    with pytest.raises(Killed):
        terminal.run("listen")
    assert rests == [1.0, 1.0, 1.0]
