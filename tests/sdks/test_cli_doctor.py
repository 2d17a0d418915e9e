"""``causeway doctor`` names each of the faults that are planted here, says what to do, and finds none where none is."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from causeway_sdk.cli import doctor as module
from causeway_sdk.testing import TEST_SECRET, FakeAnswer

from core.clock import now
from merchants.models import ApiKey
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.merchants.log_lines import logged
from tests.merchants.test_restricted_keys import make
from tests.sdks.door import ADDRESS, Terminal
from tests.webhooks.actors import happen, subscribe
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery, DeliveryAttempt, WebhookEndpoint

pytestmark = pytest.mark.django_db
URL = "https://shop.example/hook"


@pytest.fixture
def terminal(api: ApiClient, principal: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One where all is well."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: None)
    monkeypatch.setattr("causeway_sdk.cli.desk.folder", lambda: tmp_path / "settings")
    subscribe(principal, URL)
    terminal = Terminal(api.key)
    answers(terminal, "/health/ready", b'{"status": "ok", "checks": {}}')
    return terminal


def answers(terminal: Terminal, path: str, body: bytes) -> None:
    asked = terminal.door.request

    def request(method: str, url: str, **more: Any) -> FakeAnswer:
        return FakeAnswer(200, {}, body) if url.endswith(path) else asked(method, url, **more)

    terminal.door.request = request  # type: ignore[method-assign]  # the network, with another answer


def faults(terminal: Terminal) -> dict[str, tuple[str, str]]:
    """What is found, by its check, and the exit code is another one than 0 exactly then."""
    logged()
    ended = terminal.run("doctor")
    rows = [orjson.loads(one) for one in ended.stdout.splitlines()]
    found = {one["check"]: (one["found"], one["do"]) for one in rows if not one["ok"]}
    assert (ended.exit_code != 0) is bool(found), (ended.stderr, ended.exception)
    return found


def tried(principal: Principal, **outcome: Any) -> None:
    """The last delivery to the endpoint ended so."""
    happen(principal)
    fan_out()
    delivery = Delivery.objects.get()
    given = {"merchant_id": principal.merchant_id, "mode": principal.mode, "event_at": delivery.event_at}
    DeliveryAttempt.objects.create(delivery=delivery, number=1, at=now(), latency_ms=3, **given, **outcome)


def test_where_all_is_well_it_finds_nothing(terminal: Terminal) -> None:
    ended = terminal.run("doctor")
    assert ended.exit_code == 0, ended.stdout
    rows = [orjson.loads(one) for one in ended.stdout.splitlines()]
    assert [one["check"] for one in rows] == [
        *("address", "key", "version", "clock", "service", "endpoint", "secret", "requests"),
    ]
    assert all(one["ok"] for one in rows)


Plant = Callable[[Terminal, Principal, pytest.MonkeyPatch], object]


def _no_network(terminal: Terminal) -> None:
    def lost(method: str, path: str) -> None:
        raise ConnectionError("refused")

    terminal.door.before = lost


def _restricted(terminal: Terminal, principal: Principal) -> None:
    terminal.key = make(principal).secret


def _not_ready(terminal: Terminal) -> None:
    answers(terminal, "/health/ready", b'{"checks": {"worker": {"status": "unavailable", "detail": "no heartbeat"}}}')


FAULTS: dict[str, tuple[Plant, str, str, str]] = {
    "no key": (lambda t, p, m: setattr(t, "key", ""), "key", "No key.", "CAUSEWAY_API_KEY"),
    "a publishable key": (lambda t, p, m: setattr(t, "key", "pk_test_x"), "key", "publishable", "CAUSEWAY_API_KEY"),
    "an unknown key": (lambda t, p, m: setattr(t, "key", "sk_test_x"), "key", "invalid_api_key", "Copy the key again"),
    "a revoked key": (
        lambda t, p, m: ApiKey.objects.update(revoked_at=now()),
        "key",
        "revoked_api_key",
        "Make another key",
    ),
    "a key that may only read": (
        lambda t, p, m: _restricted(t, p),
        "scopes",
        "payment_intents:read",
        "payment_intents:write",
    ),
    "nothing listens": (lambda t, p, m: _no_network(t), "address", "no answer", "CAUSEWAY_BASE_URL"),
    "a wrong address": (
        lambda t, p, m: t.more.update(CAUSEWAY_BASE_URL=f"{ADDRESS}/docs"),
        "address",
        "404",
        "CAUSEWAY_BASE_URL",
    ),
    "an address that is none": (
        lambda t, p, m: t.more.update(CAUSEWAY_BASE_URL="localhost"),
        "address",
        "base_url must be like",
        "CAUSEWAY_BASE_URL",
    ),
    "another version": (
        lambda t, p, m: m.setattr("causeway_sdk._generated.API_VERSION", "1.9.0"),
        "version",
        "SDK 1.9.0",
        "Update the service",
    ),
    "a wrong clock": (
        lambda t, p, m: m.setattr(module, "clock", lambda: now() + timedelta(minutes=5)),
        "clock",
        "+300 s",
        "clock",
    ),
    "no worker": (lambda t, p, m: _not_ready(t), "service", "worker: no heartbeat", "operator"),
    "no endpoint": (
        lambda t, p, m: WebhookEndpoint.objects.update(deleted_at=now()),
        "endpoint",
        "none is enabled",
        "causeway listen",
    ),
    "an endpoint that is off": (
        lambda t, p, m: WebhookEndpoint.objects.update(enabled=False, disabled_reason="failing"),
        "endpoint",
        "is off: failing",
        "--enabled true",
    ),
    "an endpoint without the news": (
        lambda t, p, m: WebhookEndpoint.objects.update(events=["ping"]),
        "endpoint",
        "none gets payment_intent.settled",
        "Add it",
    ),
    "an endpoint by http": (
        lambda t, p, m: WebhookEndpoint.objects.update(url="http://shop.example/hook"),
        "endpoint",
        "is not https",
        "Serve it by https",
    ),
    "nobody listens at the endpoint": (
        lambda t, p, m: tried(p, error="connection_failed"),
        "endpoint",
        "connection_failed",
        "Start your receiver",
    ),
    "a receiver with another secret": (
        lambda t, p, m: tried(p, response_status=401),
        "endpoint",
        ": 401",
        "raw body with this endpoint's secret",
    ),
    "a receiver that redirects": (
        lambda t, p, m: tried(p, response_status=308),
        "endpoint",
        ": 308",
        "redirects are not followed",
    ),
    "a secret that is none": (
        lambda t, p, m: t.more.update(CAUSEWAY_WEBHOOK_SECRET=t.key),
        "secret",
        "no signing secret",
        "whsec_",
    ),
    "requests that are refused": (
        lambda t, p, m: t.run("payment-intents get nothing"),
        "requests",
        "not_found: 1",
        "causeway logs tail",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named_with_what_to_do(
    name: str, terminal: Terminal, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, check, found, do = FAULTS[name]
    plant(terminal, principal, monkeypatch)
    named = faults(terminal)
    assert list(named) == [check]
    assert found in named[check][0]
    assert do in named[check][1]


def test_at_least_twelve_faults_are_planted() -> None:
    assert len(FAULTS) >= 12


def test_an_endpoint_on_this_machine_is_not_reached_from_another(terminal: Terminal) -> None:
    WebhookEndpoint.objects.update(url="http://localhost:4242/hook")
    assert faults(terminal) == {}
    terminal.more["CAUSEWAY_BASE_URL"] = "http://testserver"
    assert "is the service's own machine" in faults(terminal)["endpoint"][0]


def test_a_secret_of_the_environment_is_that_of_listen_or_of_nobody(terminal: Terminal) -> None:
    WebhookEndpoint.objects.update(deleted_at=now())
    secret = terminal.run("listen --print-secret").stdout.strip()
    terminal.more["CAUSEWAY_WEBHOOK_SECRET"] = secret
    assert faults(terminal) == {}
    terminal.more["CAUSEWAY_WEBHOOK_SECRET"] = TEST_SECRET
    assert "is of no endpoint" in faults(terminal)["secret"][0]


@pytest.mark.filterwarnings("ignore::causeway_sdk.LiveKeyWarning")
def test_a_missing_settlement_address_is_named(terminal: Terminal, live_api: ApiClient) -> None:
    terminal.key = live_api.key
    assert terminal.run("--yes payment-intents create --amount 5").exit_code == 1
    found, do = faults(terminal)["requests"]
    assert (found, do) == (
        "settlement_profile_missing: 1 of late",
        "Enter where money settles on the dashboard's page Settings.",
    )


def test_where_the_key_is_the_fault_it_ends_with_four_and_where_nobody_answers_with_three(terminal: Terminal) -> None:
    key, terminal.key = terminal.key, "sk_test_x"
    assert terminal.run("doctor").exit_code == 4
    terminal.key = key
    _no_network(terminal)
    assert terminal.run("doctor").exit_code == 3
