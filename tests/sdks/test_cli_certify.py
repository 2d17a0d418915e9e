"""``causeway webhooks certify`` waits for the report, and its exit code says whether all of it was passed."""

from collections.abc import Iterator

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.sdks.door import Terminal
from tests.webhooks.actors import subscribe
from tests.webhooks.receivers import Receiver, answer, receiver_on
from webhooks.delivery.certifying import certify_receivers

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiver_on() as running:
        yield running


def test_a_receiver_that_believes_everything_fails(
    api: ApiClient, principal: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.script = answer(200)
    endpoint = subscribe(principal, receiver.url)
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: certify_receivers())
    ended = Terminal(api.key).run(f"webhooks certify {endpoint.id}")
    assert ended.exit_code == 1
    assert "8 of 12." in ended.stderr
    assert '"name":"stale","passed":false' in ended.stdout.replace(" ", "")


def test_one_that_does_not_end_is_given_up(
    api: ApiClient, principal: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = subscribe(principal, receiver.url)
    clock = iter(range(0, 10_000, 100))
    monkeypatch.setattr("causeway_sdk._http.pause", lambda seconds: None)
    monkeypatch.setattr("causeway_sdk._http.now", lambda: float(next(clock)))
    ended = Terminal(api.key).run(f"webhooks certify {endpoint.id}")
    assert ended.exit_code == 1
    assert "The test has not ended." in ended.stderr
