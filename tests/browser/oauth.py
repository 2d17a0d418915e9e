"""An agent that asks a person at a browser for consent: a program on this machine that registers and exchanges."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

from tests.journeys.programs import Embedded

VERIFIER = "a-verifier-that-is-long-enough-to-be-one-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
MONEY = "payment_intents:read tokens:read webhooks:verify payouts:write"


@dataclass
class Program:
    """An agent on this machine: what it was told at its callback."""

    callback: str = ""
    answers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Program]:
    """An agent that listens on a loopback address, as desktop agents do."""
    program = Program()

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = parse_qs(urlsplit(self.path).query)
            if told:
                program.answers.append({key: values[0] for key, values in told.items()})
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><html lang=en><title>Agent</title><h1>You can close this page.</h1>")

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    program.callback = f"http://127.0.0.1:{server.server_port}/callback"
    yield program
    server.shutdown()
    server.server_close()


def register(service: Embedded, program: Program, name: str) -> str:
    """The id of a client that registered itself."""
    body = json.dumps({"client_name": name, "redirect_uris": [program.callback], "token_endpoint_auth_method": "none"})
    request = Request(  # noqa: S310 - the service under test
        f"{service.base_url}/oauth/register", body.encode(), {"Content-Type": "application/json"}
    )
    with urlopen(request) as answer:  # noqa: S310 - the service under test
        client_id: str = json.load(answer)["client_id"]
    return client_id


def link(service: Embedded, program: Program, client_id: str, scope: str) -> str:
    """Where the agent sends its person."""
    words = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": program.callback,
        "scope": scope,
        "state": "state-of-the-agent",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "resource": f"{service.base_url}/mcp",
    }
    return f"{service.base_url}/oauth/authorize?{urlencode(words)}"


def exchange(service: Embedded, program: Program, client_id: str, code: str) -> dict[str, Any]:
    """What the agent gets for the code."""
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "code_verifier": VERIFIER,
        "redirect_uri": program.callback,
        "resource": f"{service.base_url}/mcp",
    }
    with urlopen(f"{service.base_url}/oauth/token", urlencode(form).encode()) as answer:  # noqa: S310 - as above
        body: dict[str, Any] = json.load(answer)
    return body
