"""The web server's entry: callers that keep others waiting hold no thread, so one thread is enough for all others."""

import asyncio
import json
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from django.db import connections
from django.http import HttpResponse

from config import whole_requests
from config.whole_requests import Answer, Environment, WholeRequests
from tests.config.one_thread import LOOKS, WAIT, Call, Site, Stream, _never, refused, run
from tests.machine import PATIENCE_SECONDS, let_others_run


def test_the_application_is_told_what_was_asked_and_no_name_with_an_underscore() -> None:
    """X_Forwarded_For would become X-Forwarded-For."""

    async def story(server: WholeRequests, site: Site) -> None:
        headers = (
            (b"content-length", b"4"), (b"x-forwarded-for", b"203.0.113.1"), (b"x_forwarded_for", b"203.0.113.7"),
            (b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"x-forwarded-for", b"203.0.113.2"),
        )  # fmt: skip
        comes = [
            {"type": "http.request", "body": b"bo", "more_body": True},
            {"type": "http.request", "body": b"dy", "more_body": False},
        ]
        call = await Call(method="POST", path="/a b/é", headers=headers, comes=comes).ask(server)
        assert (call.status, call.body) == (200, b"here")
        [asked] = site.asked
        told = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "REMOTE_ADDR", "CONTENT_LENGTH", "read")
        assert [asked[name] for name in told] == ["POST", "/a b/Ã©", "a=1", "198.51.100.7", "4", b"body"]
        assert asked["HTTP_X_FORWARDED_FOR"] == "203.0.113.1,203.0.113.2"
        assert asked["HTTP_COOKIE"] == "a=1; b=2"

    run(story)


@pytest.mark.parametrize("name", [b"content-length", b"transfer-encoding"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_that_never_comes_holds_no_thread_and_does_nothing(
    name: bytes, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(server: WholeRequests, site: Site) -> None:
        silent = [Call(method=method, headers=((name, b"5"),)) for _ in range(20)]
        waiting = [asyncio.ensure_future(call.ask(server)) for call in silent]
        assert (await Call().ask(server)).status == 200
        monkeypatch.setattr(whole_requests, "PROGRESS_SECONDS", 0.001)
        late = await Call(method=method, headers=((name, b"5"),)).ask(server)
        assert (late.status, json.loads(late.body)["code"]) == (408, "request_timeout")
        assert (b"Connection", b"close") in late.sent[0]["headers"]
        assert len(site.asked) == 1
        for one in waiting:
            one.cancel()

    run(story)


def test_a_body_that_drips_has_its_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_requests, "BODY_SECONDS", 0.005)

    async def story(server: WholeRequests, site: Site) -> None:
        class Dripping(Call):
            async def receive(self) -> dict[str, Any]:
                await let_others_run(0.001)
                return {"type": "http.request", "body": b"x", "more_body": True}

        call = await Dripping(method="POST", headers=((b"content-length", b"99999"),)).ask(server)
        assert (call.status, site.asked) == (408, [])

    run(story)


def test_of_a_long_body_the_beginning_is_kept_and_the_rest_is_read() -> None:
    """So that the application can refuse it, and the caller can read why."""

    async def story(server: WholeRequests, site: Site) -> None:
        piece = {"type": "http.request", "body": b"x" * 600_000, "more_body": True}
        call = Call(method="POST", headers=((b"transfer-encoding", b"chunked"),))
        call.comes = [piece, piece, {"type": "http.request", "body": b"", "more_body": False}]
        assert (await call.ask(server)).status == 200
        [asked] = site.asked
        assert (len(asked["read"]), asked["CONTENT_LENGTH"]) == (1024 * 1024, "1048576")

    run(story)


def test_what_is_found_is_under_the_headers_of_an_answer_like_it_and_of_no_other() -> None:
    LOOKS["/later"] = iter([HttpResponse(b"there", status=503)])
    LOOKS["/later/else"] = iter([HttpResponse(b"there", status=200)])

    async def story(server: WholeRequests, site: Site) -> None:
        alike, other = [await Call(path=path).ask(server) for path in ("/later", "/later/else")]
        names = [{name for name, _ in call.sent[0]["headers"]} for call in (alike, other)]
        assert names == [{b"Content-Type", b"Request-Id", b"Vary"}, {b"Content-Type", b"Request-Id"}]

    run(story)


def test_when_the_time_is_over_the_last_look_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WAIT, "at_end", lambda: HttpResponse(b"as it is by now"))
    LOOKS["/later"] = _never()

    async def story(server: WholeRequests, site: Site) -> None:
        assert (await Call(path="/later").ask(server)).body == b"as it is by now"

    run(story)


def test_in_a_full_room_nobody_waits_and_whoever_left_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WAIT, "rooms", (("all", 2), ("mine", 1)))
    monkeypatch.setitem(WAIT, "seconds", PATIENCE_SECONDS)
    looked = 0

    def looks() -> Iterator[HttpResponse | None]:
        nonlocal looked
        while looked < 5 or LOOKS["/later/open"] is not LOOKS["/later"]:
            looked += 1
            yield None
        yield HttpResponse(b"there")

    LOOKS["/later"], LOOKS["/later/open"] = looks(), _never()

    async def story(server: WholeRequests, site: Site) -> None:
        first = asyncio.ensure_future(Call(path="/later").ask(server))
        while not looked:
            await let_others_run()
        assert (await Call(path="/later").ask(server)).body == b"not yet"
        LOOKS["/later/open"] = LOOKS["/later"]
        assert (await first).body == b"there"
        LOOKS["/later"] = iter([HttpResponse(b"there again")])
        assert (await Call(path="/later").ask(server)).body == b"there again"
        assert not server._rooms

    run(story)


def test_who_hangs_up_while_sending_asked_nothing() -> None:
    async def story(server: WholeRequests, site: Site) -> None:
        call = Call(method="POST", headers=((b"content-length", b"5"),), comes=[{"type": "http.disconnect"}])
        await call.ask(server)
        assert (call.sent, site.asked) == ([], [])

    run(story)


def test_a_reader_that_stops_holds_no_thread_and_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_requests, "PROGRESS_SECONDS", 0.05)

    async def story(server: WholeRequests, site: Site) -> None:
        stopped = [Call(path="/file", reads=1) for _ in range(10)]
        waiting = asyncio.gather(*(call.ask(server) for call in stopped))
        other = await Call(path="/file").ask(server)
        assert (len(other.body), other.sent[-1]["more_body"]) == (3_000_000, False)
        await waiting
        assert [call.status for call in stopped] == [200] * 10

    run(story)


def test_an_export_is_made_beside_the_threads_that_answer() -> None:
    async def story(server: WholeRequests, site: Site) -> None:
        export = asyncio.ensure_future(Call(path="/export").ask(server))
        while not site.asked:
            await let_others_run()
        assert (await Call().ask(server)).body == b"here"
        assert not export.done()
        site.gate.set()
        assert (await export).body == b"first last"

    run(story)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_thread_that_made_an_export_keeps_no_connection() -> None:
    held: list[Any] = []

    class Read(Stream):
        def __iter__(self) -> Iterator[bytes]:
            held.append(connections["default"])
            held[0].ensure_connection()
            yield b"read"

    def site(_: Environment, start_response: Any) -> Any:
        start_response("200 Said", [])
        return Read(Event())

    async def told() -> None:
        assert (await Call(path="/export").ask(WholeRequests(site, threads=1))).body == b"read"

    asyncio.run(told())
    assert held[0].connection is None


def test_what_a_request_leaves_is_written_once_its_answer_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.leftovers.TURN_SECONDS", 0.001)
    order: list[str] = []

    class Log:
        waits = False

        def is_due(self) -> bool:
            return True

        def take_turn(self) -> None:
            order.append("written")
            self.waits = False

    class Sent(Call):
        async def send(self, message: Any) -> None:
            log.waits = True
            await let_others_run(0.005)
            order.append(message["type"])

    async def told() -> None:
        server = WholeRequests(Site(), threads=1, leftovers=[log])
        await Sent().ask(server)
        while log.waits:
            await let_others_run()

    log = Log()
    asyncio.run(told())
    assert order == ["http.response.start", "http.response.body", "written"]


def test_an_answer_that_is_not_there_yet_is_looked_for_without_a_thread() -> None:
    LOOKS["/later"] = iter([None, None, HttpResponse(b"there", status=201)])
    LOOKS["/later/never"] = _never()
    LOOKS["/later/refused"] = (refused() for _ in range(1))

    async def story(server: WholeRequests, site: Site) -> None:
        waiting = asyncio.ensure_future(Call(path="/later/never").ask(server))
        found = await Call(path="/later", comes=[{"type": "http.request"}]).ask(server)
        assert (found.status, found.body) == (201, b"there")
        assert (b"Request-Id", b"req_1") in found.sent[0]["headers"]
        refusal = await Call(path="/later/refused").ask(server)
        assert (refusal.status, json.loads(refusal.body)["code"]) == (404, "not_found")
        never = await waiting
        assert (never.status, never.body) == (503, b"not yet")

    run(story)


def test_who_hangs_up_while_waiting_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WAIT, "seconds", 10)
    LOOKS["/later"] = _never()

    async def story(server: WholeRequests, site: Site) -> None:
        call = Call(path="/later", comes=[{"type": "http.disconnect"}])
        await call.ask(server)
        assert call.sent == []

    run(story)


def test_without_a_free_thread_one_is_told_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_requests, "THREAD_SECONDS", 0.01)

    async def story(server: WholeRequests, site: Site) -> None:
        class Slow(Site):
            def __call__(self, environment: Environment, start_response: Any) -> Any:
                assert self.gate.wait(PATIENCE_SECONDS)
                return super().__call__(environment, start_response)

        slow = Slow()
        busy = WholeRequests(slow, threads=1)
        first = asyncio.ensure_future(Call().ask(busy))
        await let_others_run()
        second = await Call().ask(busy)
        assert (second.status, json.loads(second.body)["code"]) == (503, "temporarily_unavailable")
        slow.gate.set()
        assert (await first).status == 200

    run(story)


def test_what_can_be_answered_in_the_loop_takes_no_thread() -> None:
    """What cannot goes on to the application, whole."""

    async def first(environment: Environment) -> Answer | None:
        if environment["wsgi.input"].getvalue() == b"ping":
            return Answer(status=201, headers=[("Request-Id", "req_2")], content=b"pong")
        return None

    async def answered() -> None:
        site = Site()
        server = WholeRequests(site, threads=1, first=first)
        calls = [
            await Call(
                method="POST",
                headers=((b"content-length", b"4"),),
                comes=[{"type": "http.request", "body": body, "more_body": False}],
            ).ask(server)
            for body in (b"ping", b"else")
        ]
        assert [(call.status, call.body) for call in calls] == [(201, b"pong"), (200, b"here")]
        assert [asked["read"] for asked in site.asked] == [b"else"]

    asyncio.run(answered())
