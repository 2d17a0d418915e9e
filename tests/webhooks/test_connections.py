"""Connections are kept for the next delivery: for whom, how long, how many, and after which answers not.

The seconds between deliveries are the event loop's, which these tests move.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from core.outbound import dialling, pool
from core.outbound.addresses import Reach
from core.outbound.answers import Answer, Undelivered
from core.outbound.client import GuardedClient
from core.outbound.wire import MAX_BODY_BYTES
from merchants.principal import Principal
from scripts.bench.webhooks.certificate import make_certificate
from tests.machine import PATIENCE_SECONDS, wait_until
from tests.webhooks.actors import happen, subscribe
from tests.webhooks.receivers import Receiver, Script, answer, receiver_on
from webhooks.delivery import drain
from webhooks.models import DeliveryAttempt

pytestmark = pytest.mark.slow


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose seconds a test may move ahead."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class Sender:
    """A client whose owner lets time pass between two requests."""

    def __init__(self) -> None:
        self._loop = Loop()
        self._client = self._loop.run_until_complete(GuardedClient.open(Reach.PUBLIC_AND_LOOPBACK))

    def post(self, url: str, **headers: str) -> Answer:
        return self._loop.run_until_complete(self._client.post(url, b"{}", headers))

    def post_at_once(self, url: str, times: int) -> None:
        async def all_of_them() -> None:
            await asyncio.gather(*(self._client.post(url, b"{}", {}) for _ in range(times)))

        self._loop.run_until_complete(all_of_them())

    def later(self, seconds: float) -> None:
        self._loop.ahead += seconds

    def tidy(self) -> None:
        self._loop.run_until_complete(self._client.tidy())

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


@pytest.fixture
def sender() -> Iterator[Sender]:
    made = Sender()
    yield made
    made.close()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """A certificate of this machine that deliveries believe."""
    paths = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(paths[0]))
    dialling._tls.cache_clear()
    yield paths
    dialling._tls.cache_clear()


@pytest.fixture
def secured(certificate: tuple[Path, Path]) -> Iterator[Receiver]:
    with receiver_on(certificate=certificate) as running:
        yield running


def test_deliveries_of_several_drains_need_one_handshake(principal: Principal, secured: Receiver) -> None:
    subscribe(principal, secured.url)
    for _ in range(3):
        happen(principal)
        assert drain() == 1
        assert drain() == 0
    assert (len(secured.received), secured.connections) == (3, 1)
    assert set(DeliveryAttempt.objects.values_list("response_status", "error")) == {(200, "")}


def test_whose_certificate_is_not_for_the_name_or_not_believed_gets_nothing(
    certificate: tuple[Path, Path], secured: Receiver, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (secured.url.replace("127.0.0.1", "localhost"), secured.url):
        with pytest.raises(Undelivered, match="^tls_error$"):
            sender.post(url)
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        dialling._tls.cache_clear()
    assert secured.received == []


@pytest.mark.parametrize(
    ("gaps", "said", "connections"),
    [
        ([14, 14], {}, 1),
        ([16], {}, 2),
        ([14, 14, 14, 14, 14], {}, 2),
        ([3.5, 3.5], {"Keep_Alive": "timeout=5, max=100"}, 1),
        ([4.5], {"Keep_Alive": "timeout=5"}, 2),
        ([0.4], {"Keep_Alive": "timeout=1"}, 1),
        ([0.6], {"Keep_Alive": "timeout=1"}, 2),
        ([14], {"Keep_Alive": "timeout=999999999999"}, 1),
        ([16], {"Keep_Alive": "timeout=120"}, 2),
        ([14], {"Keep_Alive": "timeout=-1, nonsense"}, 1),
        ([0], {"Connection": "close"}, 2),
    ],
    ids=[
        *("within fifteen seconds", "later", "no longer than a minute"),
        *("as long as the receiver says", "not until its last second", "half of its only one", "and no longer"),
        *("in vain for ever", "nor for longer than we would", "it says nothing we know", "it says no"),
    ],
)
def test_a_connection_rests_as_long_as_both_sides_keep_it(
    sender: Sender, receiver: Receiver, gaps: list[float], said: dict[str, str], connections: int
) -> None:
    receiver.script = answer(200, b"ok", **said)
    sender.post(receiver.url)
    for gap in gaps:
        sender.later(gap)
        assert sender.post(receiver.url).status == 200
    assert receiver.connections == connections


def test_who_hangs_up_is_dialled_anew_and_its_patience_learned_for_ten_minutes(
    sender: Sender, receiver: Receiver
) -> None:
    four_seconds_later = threading.Event()

    def hang_up(_: Receiver, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        answer(200)(receiver, request)
        four_seconds_later.wait(PATIENCE_SECONDS)

    receiver.script = hang_up
    assert sender.post(receiver.url).status == 200
    sender.later(4)
    receiver.script = answer(200)
    four_seconds_later.set()
    wait_until(lambda: receiver.ended == 1, "a connection that is over")
    sender.tidy()
    assert sender.post(receiver.url).status == 200
    for gap, connections in ((1.5, 2), (2.5, 3), (600, 4), (14, 4)):
        sender.later(gap)
        assert sender.post(receiver.url).status == 200
        assert receiver.connections == connections, gap


def test_a_good_bye_that_nobody_listened_to_is_noticed_before_the_next_request(
    sender: Sender, receiver: Receiver
) -> None:
    def hang_up(_: Receiver, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        answer(200)(receiver, request)

    receiver.script = hang_up
    for _ in range(3):
        assert sender.post(receiver.url).status == 200
        wait_until(lambda: receiver.ended == len(receiver.received), "a connection that is over")
        sender.later(0.1)
    assert receiver.connections == 3


def test_so_many_rest_in_all_and_so_many_at_one_receiver(
    sender: Sender, receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = receivers()
    for connections in (6, 8):
        sender.post_at_once(busy.url, 6)
        assert busy.connections == connections
        sender.tidy()
    monkeypatch.setattr(pool, "MOST_RESTING", 2)
    first, second, third = (receivers() for _ in range(3))
    for receiver in (first, second, third, third, second, first):
        sender.post(receiver.url)
    assert [receiver.connections for receiver in (first, second, third)] == [2, 1, 1]


def saying(*parts: bytes) -> Script:
    """Write an answer in pieces, and wait for the next request."""

    def play(_: Receiver, request: BaseHTTPRequestHandler) -> None:
        for part in parts:
            request.connection.sendall(part)

    return play


OK, LENGTH = b"HTTP/1.1 200 OK\r\n", b"Content-Length: 2\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n3;a=b\r\n, k\r\n0\r\nX-End: 1\r\n\r\n"


@pytest.mark.parametrize(
    ("script", "status", "body", "connections"),
    [
        (saying(OK + LENGTH + b"ok"), 200, b"ok", 1),
        (saying(*(bytes([one]) for one in OK + LENGTH + b"ok")), 200, b"ok", 1),
        (saying(*(bytes([one]) for one in CHUNKED)), 200, b"ok, k", 1),
        (
            saying(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\n", OK + LENGTH + b"ok"),
            200,
            b"ok",
            1,
        ),
        (saying(b"HTTP/1.1 204 No Content\r\n\r\n"), 204, b"", 1),
        (saying(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), 304, b"", 1),
        (saying(b"HTTP/1.0 200 OK\r\n" + LENGTH + b"ok"), 200, b"ok", 2),
        (saying(OK + LENGTH + b"ok" + OK + LENGTH + b"no"), 200, b"ok", 2),
        (saying(OK + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1_000_000), 200, b"x" * MAX_BODY_BYTES, 2),
        (saying(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"), 101, b"", 2),
    ],
    ids=[
        *("whole", "byte by byte", "in chunks", "after other words", "without a body", "unchanged"),
        *("of an older protocol", "with another behind it", "too long", "in another protocol"),
    ],
)
def test_what_is_read_of_an_answer_and_whether_its_connection_is_used_again(  # noqa: PLR0913, PLR0917 - a table's columns
    sender: Sender, receiver: Receiver, script: Script, status: int, body: bytes, connections: int
) -> None:
    receiver.script = script
    for _ in range(2):
        found = sender.post(receiver.url)
        assert (found.status, found.body) == (status, body)
    assert receiver.connections == connections


def test_what_nobody_asked_for_is_no_answer_to_the_next_request(sender: Sender, receiver: Receiver) -> None:
    answered, went_on = threading.Event(), threading.Event()

    def go_on(running: Receiver, request: BaseHTTPRequestHandler) -> None:
        saying(OK + LENGTH + b"ok")(running, request)
        answered.wait(PATIENCE_SECONDS)
        saying(b"HTTP/1.1 202 Accepted\r\n" + LENGTH + b"no")(running, request)
        went_on.set()

    receiver.script = go_on
    assert sender.post(receiver.url).status == 200
    answered.set()
    assert went_on.wait(PATIENCE_SECONDS)
    sender.later(0.1)
    receiver.script = answer(201)
    assert sender.post(receiver.url).status == 201
    assert receiver.connections == 2


def test_a_header_cannot_end_its_line_by_itself(sender: Sender, receiver: Receiver) -> None:
    for value in ("a\r\nX-B: c", "a\nX-B: c", "a\rX-B: c", "a\x00"):
        with pytest.raises(Undelivered, match="^invalid_response$"):
            sender.post(receiver.url, **{"X-A": value})
    assert (receiver.received, receiver.connections) == ([], 0)
