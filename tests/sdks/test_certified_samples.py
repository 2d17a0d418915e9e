"""The receivers that merchants copy score full: the shop of the examples, the guide's lines, and the SDK's."""

import asyncio
import os
import re
import runpy
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from causeway_sdk.receivers import django as of_django
from causeway_sdk.receivers import fastapi as of_fastapi
from causeway_sdk.receivers import flask as of_flask
from django.test import RequestFactory
from flask import Flask
from starlette.exceptions import HTTPException
from starlette.requests import Request

from merchants.principal import Principal
from tests.architecture.source import ROOT
from tests.conftest import ApiClient
from tests.webhooks.actors import subscribe
from tests.webhooks.receivers import Receiver, answer, receiver_on
from webhooks.delivery.certifying import certify_receivers

pytestmark = pytest.mark.django_db
Handler = Callable[[bytes, dict[str, str]], int]


def posted(body: bytes, headers: dict[str, str]) -> Any:
    kept = {name: value for name, value in headers.items() if name.lower() not in {"host", "content-length"}}
    return RequestFactory(headers=kept).post("/webhook", body, content_type="application/json")


def the_shop(secret: str) -> Handler:
    before = dict(os.environ)
    os.environ.update({"CAUSEWAY_API_KEY": "x", "CAUSEWAY_PUBLISHABLE_KEY": "x", "CAUSEWAY_WEBHOOK_SECRET": secret})
    try:
        shop = runpy.run_path(str(ROOT / "examples" / "django-view" / "shop.py"))
    finally:
        os.environ.clear()
        os.environ.update(before)
    return lambda body, headers: int(shop["webhook"](posted(body, headers)).status_code)


def the_guide(secret: str) -> Handler:
    text = (ROOT / "docs" / "guides" / "webhooks.md").read_text(encoding="utf-8")
    space: dict[str, Any] = {}
    code = re.findall(r"```python[^\n]*\n(.*?)```", text, re.DOTALL)
    exec(next(one for one in code if "def is_genuine" in one), space)  # noqa: S102 - the guide's own code
    return lambda body, headers: 200 if space["is_genuine"](headers.get("Svc-Signature"), body, secret) else 401


def the_django_view(secret: str) -> Handler:
    view = of_django.receiver(lambda event: None, secret)
    return lambda body, headers: int(view(posted(body, headers)).status_code)


def the_flask_view(secret: str) -> Handler:
    app = Flask(__name__)
    app.add_url_rule("/webhook", view_func=of_flask.receiver(lambda event: None, secret), methods=["POST"])
    return lambda body, headers: app.test_client().post("/webhook", data=body, headers=headers).status_code


def the_fastapi_endpoint(secret: str) -> Handler:
    endpoint = of_fastapi.receiver(lambda event: None, secret)

    def handle(body: bytes, headers: dict[str, str]) -> int:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        request = Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)
        try:
            return asyncio.run(endpoint(request)).status_code  # type: ignore[arg-type]  # it is a coroutine
        except HTTPException as refusal:
            return refusal.status_code

    return handle


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiver_on() as running:
        yield running


@pytest.mark.parametrize("sample", [the_shop, the_guide, the_django_view, the_flask_view, the_fastapi_endpoint])
def test_a_sample_scores_full(
    api: ApiClient, principal: Principal, receiver: Receiver, sample: Callable[[str], Handler]
) -> None:
    endpoint = subscribe(principal, receiver.url)
    handle = sample(endpoint.secret)

    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        last = receiver.received[-1]
        answer(handle(last.body, last.headers))(receiver, request)

    receiver.script = play
    path = f"/api/public/v1/webhook-endpoints/{endpoint.id}"
    assert api.post(f"{path}/certify").status == 202
    certify_receivers()
    report = api.get(f"{path}/certificate").body
    assert [check for check in report["checks"] if not check["passed"]] == []
    assert (report["score"], report["out_of"]) == (12, 12)
