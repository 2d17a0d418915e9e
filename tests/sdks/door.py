"""The service in this process, as an HTTP client that the Python SDK is given, and the command over it."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import orjson
import pytest
from causeway_sdk.cli.app import causeway
from causeway_sdk.cli.desk import Desk
from causeway_sdk.testing import FakeAnswer
from click.testing import CliRunner, Result
from django.test import Client

from core.clock import now
from payments.services import advance as payments
from payouts.services import advance as payouts
from refunds.services import advance as refunds
from scripts.served import AsServed
from tests.payments.world import START, World
from theatre import services as theatre
from webhooks.delivery.fan_out import fan_out

ADDRESS = "http://localhost:8000"


@dataclass
class Door:
    """Sends requests to the service's own handler. ``before`` sees each first, and may raise what a network does."""

    before: Callable[[str, str], None] = lambda method, path: None
    others: dict[str, Callable[[bytes, dict[str, str]], int]] = field(default_factory=dict)
    """Receivers by their URL: what each answers."""

    def request(
        self, method: str, url: str, *, content: bytes | None, headers: dict[str, str], timeout: float
    ) -> FakeAnswer:
        """Send one request."""
        del timeout
        if url in self.others:
            return FakeAnswer(self.others[url](content or b"", headers), {}, b"taken")
        path = url.removeprefix(ADDRESS)
        self.before(method, path)
        client = Client(raise_request_exception=False, headers=headers)
        client.handler = AsServed()
        reply = client.generic(method, path, content or b"", content_type="application/json")
        return FakeAnswer(reply.status_code, dict(reply.headers), reply.content)


@dataclass
class Terminal:
    """The command with a key, over a door."""

    key: str
    door: Door = field(default_factory=Door)
    more: dict[str, str] = field(default_factory=dict)

    def run(self, line: str, **options: Any) -> Result:
        """Run one line of a terminal."""
        environment = {"CAUSEWAY_API_KEY": self.key, "CAUSEWAY_BASE_URL": ADDRESS, **self.more}
        desk = Desk(http_client=self.door)
        return CliRunner().invoke(causeway, shlex.split(line), obj=desk, env=environment, **options)

    def rows(self, line: str) -> list[dict[str, Any]]:
        """The JSON lines of a command that must end well."""
        ended = self.run(line)
        assert ended.exit_code == 0, (ended.stdout, ended.stderr, ended.exception)
        return [orjson.loads(one) for one in ended.stdout.splitlines()]


def let_workers_work_meanwhile(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the command rests, time passes and the workers of payments, payouts, refunds and events work."""

    def rest(seconds: float) -> None:
        world.clock.shift(timedelta(seconds=max(seconds, 1)))
        payments.sweep_due()
        payouts.sweep_due()
        refunds.sweep_due()
        theatre.sweep_due()
        fan_out()

    def passed() -> float:
        return (now() - START).total_seconds()

    monkeypatch.setattr("causeway_sdk._http.pause", rest)
    monkeypatch.setattr("causeway_sdk._http.now", passed)
