"""The Python SDK's receivers behind Django, FastAPI, Starlette and Flask: what is handed on, and what is answered."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest
from causeway_sdk import CausewayError
from causeway_sdk.receivers import django, fastapi, flask
from causeway_sdk.testing import sign, tampered
from django.test import Client, override_settings
from django.urls import path
from fastapi import Depends, FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.routing import Route

from sdks.generator import vectors
from tests.machine import let_others_run

SECRET, OLDER = vectors.SECRET, vectors.OLDER
BODY = b'{"id":"evt_1","type":"ping","data":{}}'
Ask = Callable[[str, bytes, dict[str, str]], int]
got: list[str] = []


class NotNow(Exception):
    """What a handler raises here."""


def fulfil(event: Any) -> None:
    if event.id == "evt_bad":
        raise NotNow
    got.append(event.id)


async def fulfil_later(event: Any) -> None:
    await let_others_run()
    fulfil(event)


urlpatterns = [path("hook", django.receiver(fulfil))]


def of_django(verb: str, body: bytes, headers: dict[str, str]) -> int:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False, headers=headers)
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"]):
        return client.generic(verb, "/hook", body, content_type="application/json").status_code


def of_flask(verb: str, body: bytes, headers: dict[str, str]) -> int:
    app = Flask("shop")
    app.add_url_rule("/hook", view_func=flask.receiver(fulfil), methods=["POST"])
    return app.test_client().open("/hook", method=verb, data=body, headers=headers).status_code


def of_fastapi(verb: str, body: bytes, headers: dict[str, str]) -> int:
    app = FastAPI()

    @app.post("/hook", status_code=204)
    def hook(event: Annotated[Any, Depends(fastapi.verified())]) -> None:
        fulfil(event)

    return over_asgi(app, verb, body, headers)


def of_starlette(verb: str, body: bytes, headers: dict[str, str]) -> int:
    app = Starlette(routes=[Route("/hook", fastapi.receiver(fulfil_later), methods=["POST"])])
    return over_asgi(app, verb, body, headers)


def over_asgi(app: Any, verb: str, body: bytes, headers: dict[str, str]) -> int:
    """The status that an application answers. Why by hand: the frameworks' own clients need another HTTP package."""
    named = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    scope = {"type": "http", "method": verb, "path": "/hook", "raw_path": b"/hook", "query_string": b""}
    scope |= {"headers": named, "root_path": "", "scheme": "http", "server": ("x", 80), "client": ("y", 1)}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await let_others_run()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        await let_others_run()
        sent.append(message)

    try:
        asyncio.run(app({**scope, "http_version": "1.1", "asgi": {"version": "3.0"}}, receive, send))
    except NotNow:
        assert sent[0]["status"] == 500
    return int(sent[0]["status"])


every_way = pytest.mark.parametrize("ask", [of_django, of_flask, of_fastapi, of_starlette])


@pytest.fixture(autouse=True)
def _secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CAUSEWAY_WEBHOOK_SECRET", f"{SECRET}, {OLDER}")
    got.clear()
    yield
    got.clear()


@every_way
@pytest.mark.parametrize("secret", [SECRET, OLDER])
def test_a_genuine_event_is_handed_on_once_and_answered_with_204(ask: Ask, secret: str) -> None:
    assert ask("POST", BODY, sign(BODY, secret)) == 204
    assert got == ["evt_1"]


@every_way
def test_what_does_not_verify_is_401_and_handed_on_to_nobody(ask: Ask) -> None:
    right = sign(BODY, SECRET)
    strange = {**right, "Svc-Signature": "t=\u00b2,v1=\u00e9"}
    stale = sign(BODY, SECRET, timestamp=vectors.NOW - 86400)
    for body, headers in (
        (BODY + b" ", right),
        (BODY, {"Content-Type": "application/json"}),
        (BODY, tampered(right)),
        (BODY, strange),
        (BODY, stale),
        (BODY, sign(BODY, vectors.STRANGE)),
    ):
        assert ask("POST", body, headers) == 401, headers
    assert got == []


@every_way
def test_what_the_handler_raises_is_500_so_that_the_event_comes_again(ask: Ask) -> None:
    body = BODY.replace(b"evt_1", b"evt_bad")
    assert ask("POST", body, sign(body, SECRET)) == 500
    assert got == []


@every_way
def test_another_verb_is_405(ask: Ask) -> None:
    assert ask("GET", b"", sign(b"", SECRET)) == 405


def test_without_a_secret_nothing_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAUSEWAY_WEBHOOK_SECRET")
    assert of_django("POST", BODY, sign(BODY, SECRET)) == 500
    with pytest.raises(CausewayError, match="set CAUSEWAY_WEBHOOK_SECRET"):
        of_starlette("POST", BODY, sign(BODY, SECRET))
    assert got == []


def test_secrets_that_are_given_come_before_those_of_the_environment() -> None:
    app = Flask("shop")
    app.add_url_rule("/hook", view_func=flask.receiver(fulfil, [vectors.STRANGE]), methods=["POST"])
    shop = app.test_client()
    assert shop.post("/hook", data=BODY, headers=sign(BODY, SECRET)).status_code == 401
    assert shop.post("/hook", data=BODY, headers=sign(BODY, vectors.STRANGE)).status_code == 204
