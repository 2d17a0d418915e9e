"""Receivers that hang, drip, flood, lie or break off: each is bounded, recorded, and no burden to the others."""

import gzip
import socket
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from core.modes import Mode
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.machine import PATIENCE_SECONDS, wait_until
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks.delivery import drain
from webhooks.delivery.lanes import FIRST_WINDOW
from webhooks.models import Delivery, DeliveryAttempt

Play = Callable[[Receiver, BaseHTTPRequestHandler], None]
BOMB = gzip.compress(b"0" * 50_000_000)


def raw(*parts: bytes, pause: float = 0.0, forever: bool = False, reset: bool = False) -> Play:  # noqa: FBT001, FBT002
    """Write bytes as they are: once, or the last part for ever."""

    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        wire = request.connection
        for part in parts:
            wire.sendall(part)
        while forever and not receiver.closing.wait(pause):
            wire.sendall(parts[-1])
        if reset:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            wire.close()

    return play


def hang(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True
    receiver.closing.wait(PATIENCE_SECONDS)


OK = b"HTTP/1.1 200 OK\r\n"
HOSTILE: dict[str, tuple[Play, str, int | None, str]] = {
    # name: script, outcome, recorded status, recorded error
    "hangs": (hang, "due", None, "timeout"),
    "drips its status line": (raw(b"HTTP/1.1 200 O", b"K", pause=0.5, forever=True), "due", None, "timeout"),
    "drips headers": (raw(OK, b"X-A: 1\r\n", pause=0.5, forever=True), "due", None, "timeout"),
    "floods headers": (raw(OK, b"X-A: " + b"a" * 4000 + b"\r\n", forever=True), "due", None, "invalid_response"),
    "sends one endless header": (raw(OK + b"X-A: ", b"a" * 4000, forever=True), "due", None, "invalid_response"),
    "drips its body": (raw(OK + b"\r\n", b"x", pause=0.5, forever=True), "delivered", 200, ""),
    "floods its body": (raw(OK + b"\r\n", b"x" * 65536, forever=True), "delivered", 200, ""),
    "floods a failure": (raw(b"HTTP/1.1 500 No\r\n\r\n", b"x" * 65536, forever=True), "due", 500, ""),
    "promises a terabyte": (raw(OK + b"Content-Length: 1099511627776\r\n\r\nx"), "delivered", 200, ""),
    "sends a gzip bomb": (
        raw(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB),
        "delivered",
        200,
        "",
    ),
    "speaks no HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "due", None, "invalid_response"),
    "lies about its version": (raw(b"HTTP/9.9 200 OK\r\n\r\n"), "due", None, "invalid_response"),
    "has no status": (raw(b"HTTP/1.1 abc\r\n\r\n"), "due", None, "invalid_response"),
    "switches protocols": (raw(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"), "due", 101, ""),
    "says only continue": (raw(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.5, forever=True), "due", None, "timeout"),
    "hangs up": (raw(), "due", None, "disconnected"),
    "resets": (raw(reset=True), "due", None, "disconnected"),
    "breaks off its body": (raw(OK + b"Content-Length: 100\r\n\r\nshort"), "delivered", 200, ""),
    "breaks chunking": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n"), "due", None, "invalid_response"),
    "sends NUL and broken UTF-8": (
        raw(OK + b"X-Odd: \xff\xfe\xed\xa0\x80\r\nContent-Length: 6\r\n\r\na\x00b\xff\xfec"),
        "delivered",
        200,
        "",
    ),
}


@pytest.mark.spec("Contract 11.2")
@pytest.mark.slow
def test_each_is_bounded_and_the_healthy_ones_notice_nothing(
    principal: Principal, other_account: NewMerchant, receivers: Callable[[], Receiver]
) -> None:
    """Two merchants, because one may have only sixteen endpoints."""
    second = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="key:second")
    made: dict[str, Subscriber] = {}
    for number, (name, (script, *_)) in enumerate(HOSTILE.items()):
        receiver = receivers()
        receiver.script = script
        made[name] = subscribe(principal if number < 14 else second, receiver.url, "payment_intent.settled")
    healthy, plain = receivers(), receivers()
    made["speaks no TLS"] = subscribe(second, plain.url.replace("http:", "https:"), "payment_intent.settled")
    happen(principal)
    happen(second)
    subscribe(principal, healthy.url, "payout.paid")
    for _ in range(50):
        happen(principal, "payout.paid")
    drain(PATIENCE_SECONDS)
    assert (len(healthy.received), plain.received) == (50, [])
    attempts = {name: DeliveryAttempt.objects.get(delivery=one.delivery()) for name, one in made.items()}
    seen = {
        name: (made[name].delivery().outcome, attempt.response_status, attempt.error)
        for name, attempt in attempts.items()
    }
    expected = {name: (outcome, status, error) for name, (_, outcome, status, error) in HOSTILE.items()}
    assert seen == expected | {"speaks no TLS": ("due", None, "tls_error")}
    assert all(len(row.response_body) <= 2000 for row in DeliveryAttempt.objects.all())
    assert "0000" not in attempts["sends a gzip bomb"].response_body


@pytest.mark.slow
def test_one_hanging_receiver_of_ten_costs_the_others_nothing(
    principal: Principal, receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs until the others have everything: whoever waited for it would wait for ever."""
    monkeypatch.setattr("core.outbound.client.TOTAL_SECONDS", 2 * PATIENCE_SECONDS)
    stuck, *others = (receivers() for _ in range(10))
    held: list[int] = []

    def hang_until_the_others_are_served(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        wait_until(lambda: {len(other.received) for other in others} == {20}, "what the others get")
        held.append(len(stuck.received))
        answer(200)(receiver, request)

    stuck.script = hang_until_the_others_are_served
    for receiver in (stuck, *others):
        subscribe(principal, receiver.url, "payment_intent.settled")
    for _ in range(20):
        happen(principal)
    drain(PATIENCE_SECONDS)
    assert [len(receiver.received) for receiver in others] == [20] * 9
    assert held[0] == FIRST_WINDOW
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"delivered"}
