"""The short way as the web server goes it: in its event loop, on connections of its own."""

import asyncio
from io import BytesIO
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler

from core.loop_connections import LoopConnections
from merchants.services import NewMerchant
from payments.fast_path import answer_in_loop
from payments.models import PaymentIntent
from payments.services import settlement
from tests.conftest import ApiClient

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
PATH = "/api/public/v1/payment-intents"


def in_loop(*environments: dict[str, Any]) -> list[Any]:
    """What each is answered: its status and body, or None."""

    async def run() -> list[Any]:
        kept = LoopConnections(1)
        try:
            return [await answer_in_loop(one, kept) for one in environments]
        finally:
            for connection, _ in kept._free:
                await connection.close()

    return [given and (given[0].http_status, given[0].body) for given in asyncio.run(run())]


def asked(account: NewMerchant, path: str = PATH, body: bytes = b"") -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST" if body else "GET", "PATH_INFO": path, "QUERY_STRING": "",
        "REMOTE_ADDR": "203.0.113.7",
        "HTTP_AUTHORIZATION": f"Bearer {account.test.secret_key}", "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body), "wsgi.url_scheme": "http",
    }  # fmt: skip


def test_a_create_and_its_retrieval(api: ApiClient, account: NewMerchant) -> None:
    first = api.post("/payment-intents", {"amount": 25})
    [created, found] = in_loop(asked(account, body=b'{"amount": 26}'), asked(account, f"{PATH}/{first.body['id']}"))
    assert (created[0], found) == (201, (200, first.raw))
    assert sorted(PaymentIntent.objects.values_list("amount", flat=True)) == [25, 26]


def test_no_request_makes_an_object_for_a_connection_that_it_does_not_use(
    api: ApiClient, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The framework makes one for each task of the loop that asks for it, which was a thirtieth of a create's time."""
    first = api.post("/payment-intents", {"amount": 25})
    made = []
    make = type(connections).create_connection

    def noted(self: ConnectionHandler, alias: str) -> Any:
        made.append(alias)
        return make(self, alias)

    async def run() -> tuple[list[int], list[str]]:
        kept = LoopConnections(1)

        async def ask(environment: dict[str, Any]) -> int:
            given = await answer_in_loop(environment, kept)
            return given[0].http_status if given else 0

        try:
            await asyncio.create_task(ask(asked(account, body=b'{"amount": 26}')))
            monkeypatch.setattr(ConnectionHandler, "create_connection", noted)
            bodies = [asked(account, body=b'{"amount": 27}'), asked(account, f"{PATH}/{first.body['id']}")]
            return [await asyncio.create_task(ask(one)) for one in bodies], made
        finally:
            for connection, _ in kept._free:
                await connection.close()

    assert asyncio.run(run()) == ([201, 200], [])


def test_what_is_not_in_memory_is_left_to_a_thread(
    api: ApiClient, account: NewMerchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The framework refuses to ask the database in an event loop, so no statement can hold up all others there."""
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # which tests with a browser need
    settled = (
        b'{"amount": 25, "settlement_chain": "base", "settlement_token": "USDC", "settlement_address": "0x%s"}'
        % (b"11" * 20)
    )
    assert api.post("/payment-intents", {"amount": 25}).status == 201
    settlement.forget_assets()
    assert in_loop(asked(account, body=settled)) == [None]
    assert PaymentIntent.objects.count() == 1
