"""Clients known by the address of a document: wanted by a person, read by a worker, never by a web request."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from core.clock import now
from core.locks import Turn
from core.outbound.addresses import Reach
from mcp.models import Application, ClientDocument
from mcp.oauth import documents
from mcp.oauth.documents import DocumentRefused, Standing, names_a_document, read_documents, want
from tests.machine import PATIENCE_SECONDS, own_port
from tests.mcp.consent.person import NOTHING, Person, stored
from tests.mcp.oauth.flow import CALLBACK, ask, is_read

URL = "https://agent.example/client.json"
GOOD = {"client_id": URL, "client_name": "Hosted Agent", "redirect_uris": [CALLBACK]}


def opens(person: Person, url: str = URL, **changes: Any) -> Any:
    return person.opens(Application(client_id=url), **changes)


@pytest.mark.spec("Rulings B1.3")
def test_a_new_client_is_waited_for_and_then_asked_about(person: Person) -> None:
    waiting = opens(person)
    assert (waiting.status, waiting.headers["Refresh"], "waiting" in waiting.parts) == (200, "2", True)
    assert not Application.objects.exists()
    assert ClientDocument.objects.get().next_attempt_at is not None
    is_read(GOOD, URL)
    page = opens(person)
    assert (page.status, "Refresh" in page.headers) == (200, False)
    application = Application.objects.get()
    assert (application.client_id, application.name) == (URL, "Hosted Agent")
    assert (application.client_type, application.registration_source) == ("public", "cimd")
    code = person.presses(page).answer["code"]
    form = {"grant_type": "authorization_code", "client_id": URL, "code": code, "code_verifier": person.verifier}
    assert ask("/oauth/token", form).status == 200


BAD = {
    "another client's id": GOOD | {"client_id": "https://agent.example/other.json"},
    "no id": {"redirect_uris": [CALLBACK]},
    "a secret": GOOD | {"client_secret": "secret"},
    "a method with a secret": GOOD | {"token_endpoint_auth_method": "client_secret_basic"},
    "a key of its own": GOOD | {"token_endpoint_auth_method": "private_key_jwt"},
    "no redirects": {"client_id": URL},
    "the implicit grant": GOOD | {"grant_types": ["implicit"]},
    "a name that is no text": GOOD | {"client_name": 7},
    "a bad redirect": GOOD | {"redirect_uris": [CALLBACK, "http://evil.example/callback"]},
}


def test_a_bad_document_is_no_client(person: Person) -> None:
    for name, described in BAD.items():
        is_read(described, URL)
        assert opens(person).status == 400, name
        ClientDocument.objects.all().delete()
    assert not Application.objects.exists()
    assert stored() == NOTHING


NEVER_READ = (
    *("http://agent.example/a", "https://agent.example", "https://localhost/a", "https://127.0.0.1/a"),
    *("https://169.254.169.254/latest", "https://10.0.0.1/a", "https://[::1]/a", "https://internal/a"),
    *("https://a:b@agent.example/a", "https://agent.example/a#b", "https://agent.example/a/../b"),
    *("https://agent.example:22/a", "https://agent.example/" + "a" * 300, "HTTPS://agent.example/a", "ftp://a/b"),
)


def test_what_is_never_read(person: Person, settings: Any) -> None:
    assert [url for url in NEVER_READ if names_a_document(url) or opens(person, url).status != 400] == []
    assert not ClientDocument.objects.exists()
    # Where it is switched off nothing is read.
    settings.OAUTH_CLIENT_DOCUMENTS = False
    assert opens(person).status == 400
    assert not ClientDocument.objects.exists()


@pytest.mark.django_db
def test_nobody_without_an_account_makes_us_read() -> None:
    stranger = Person(user=None)  # type: ignore[arg-type]  # nobody
    assert opens(stranger).status == 302
    ask("/oauth/token", {"grant_type": "authorization_code", "client_id": URL, "code": "a"})
    ask("/oauth/revoke", {"client_id": URL, "token": "a"})
    assert not ClientDocument.objects.exists()


@pytest.mark.django_db
def test_what_cannot_be_read_is_tried_again_only_later() -> None:
    assert want(URL) is Standing.AWAITED
    ClientDocument.objects.update(url="https://does-not-exist.invalid/a")
    assert documents.read_due() == 1
    row = ClientDocument.objects.get()
    assert (bool(row.problem), row.next_attempt_at) == (True, None)
    assert want(row.url) is Standing.REFUSED
    assert ClientDocument.objects.get().next_attempt_at is None
    ClientDocument.objects.update(read_at=now() - timedelta(seconds=61), wanted_at=now())
    assert want(row.url) is Standing.AWAITED
    # A stale document is believed until it was read again.
    is_read(GOOD, URL)
    ClientDocument.objects.filter(url=URL).update(fresh_until=now() - timedelta(seconds=1))
    assert want(URL) is Standing.KNOWN
    assert ClientDocument.objects.get(url=URL).next_attempt_at is not None


@pytest.mark.django_db
def test_only_so_many_are_waited_for_and_one_worker_reads_at_a_time() -> None:
    due = now()
    ClientDocument.objects.bulk_create(
        ClientDocument(url=f"https://agent.example/{number}", next_attempt_at=due) for number in range(100)
    )
    assert want(URL) is Standing.REFUSED
    elsewhere = Turn("mcp.read_client_documents")
    assert elsewhere.take()
    assert documents.read_due() == 0
    elsewhere.give_up()
    assert ClientDocument.objects.filter(next_attempt_at=due).count() == 100


class Site(BaseHTTPRequestHandler):
    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")

    def do_GET(self) -> None:
        status, headers, body = type(self).answer
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Site) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever)
        yield f"http://127.0.0.1:{server.server_port}/client.json"
        server.shutdown()


BODY = json.dumps(GOOD).encode()
NO_DOCUMENT: list[tuple[tuple[int, dict[str, str], bytes], str]] = [
    ((404, {}, BODY), "http_404"),
    ((302, {"Location": "http://127.0.0.1/"}, b""), "http_302"),
    ((500, {}, BODY), "http_500"),
    ((200, {"Content-Type": "text/html"}, BODY), "not_json"),
    ((200, {}, b"<html>"), "not_json"),
    ((200, {}, b"[]"), "not_json"),
    ((200, {}, b"\xff"), "not_json"),
    ((200, {}, b'{"a":' * 20 + b"1" + b"}" * 20), "not_json"),
    ((200, {}, b'{"a": "' + b"a" * 17_000 + b'"}'), "too_long"),
]


def why_not(found: list[Any]) -> list[str]:
    return [refused.reason for refused in found if isinstance(refused, DocumentRefused)]


def test_a_document_is_read_as_it_is(site: str) -> None:
    kept: dict[str, int] = {"": 86_400, "max-age=1000": 1000, "no-store": 300}
    for value, seconds in kept.items():
        Site.answer = (200, {"Cache-Control": value} if value else {}, BODY)
        assert read_documents([site], Reach.PUBLIC_AND_LOOPBACK) == [(BODY.decode(), seconds)]
    # What is no document.
    for answer, reason in NO_DOCUMENT:
        Site.answer = answer
        assert why_not(read_documents([site], Reach.PUBLIC_AND_LOOPBACK)) == [reason], answer
    # This machine is not read.
    Site.answer = (200, {}, BODY)
    assert why_not(read_documents([site])) == ["url_not_allowed"]


def test_documents_are_waited_for_together_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server hangs up on ten once all ten asked; of one that says nothing the deadline is the end."""

    def hang_up_on_all(server: socket.socket) -> None:
        with ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(server.accept()[0])
            server.close()  # a client that tries once more finds nobody

    monkeypatch.setattr(documents, "READ_SECONDS", PATIENCE_SECONDS)
    with socket.create_server(("127.0.0.1", own_port())) as server, ThreadPoolExecutor(1) as pool:
        site = f"http://127.0.0.1:{server.getsockname()[1]}/"
        hung_up = pool.submit(hang_up_on_all, server)
        found = read_documents([f"{site}{number}" for number in range(10)], Reach.PUBLIC_AND_LOOPBACK)
        hung_up.result()
    reasons = why_not(found)
    assert (len(reasons), set(reasons) <= {"disconnected", "connection_failed"}) == (10, True)
    monkeypatch.setattr(documents, "READ_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", own_port())) as server:
        silent = read_documents([f"http://127.0.0.1:{server.getsockname()[1]}/"], Reach.PUBLIC_AND_LOOPBACK)
    assert why_not(silent) == ["timeout"]
