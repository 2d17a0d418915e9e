"""The short way of a poll as the web server goes it: in its event loop, on connections of its own."""

import asyncio
from io import BytesIO
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import DataError, OperationalError

from checkout.fast_path import answer_in_loop
from checkout.unchanged import KNOWN_PLACE
from checkout.views.access import issue_token
from core.errors import TemporarilyUnavailable
from core.loop_connections import LoopConnections
from payments.services.attempts import open_for_payment
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import create

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def in_loop(environment: dict[str, Any], kept: LoopConnections) -> Any:
    """Its status and body, or None."""

    async def run() -> Any:
        try:
            return await answer_in_loop(environment, kept)
        finally:
            for connection, _ in kept._free:
                await connection.close()

    found = asyncio.run(run())
    return found and (found[0].http_status, found[0].body)


@pytest.fixture
def polling(api: ApiClient) -> dict[str, Any]:
    """A poll of who has the newest state."""
    payer = Payer.of(create(api))
    return {
        "REQUEST_METHOD": "GET", "PATH_INFO": f"/api/public/v1/checkout/{payer.intent_id}/state", "QUERY_STRING": "",
        "REMOTE_ADDR": "203.0.113.7", "HTTP_CHECKOUT_TOKEN": issue_token(UUID(payer.intent_id)),
        "HTTP_IF_NONE_MATCH": payer.send("GET", "/state").headers["ETag"],
        "wsgi.input": BytesIO(), "wsgi.url_scheme": "http",
    }  # fmt: skip


def test_what_brings_no_news_needs_no_thread(polling: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The framework refuses to ask the database in an event loop, so no statement can hold up all others there."""
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # which tests with a browser need
    assert in_loop(polling, LoopConnections(1)) == (304, b"")


def test_news_is_left_to_a_thread_with_what_was_read(polling: dict[str, Any]) -> None:
    open_for_payment(UUID(polling["PATH_INFO"].split("/")[5]))
    assert in_loop(polling, LoopConnections(1)) is None
    asked, versions = polling[KNOWN_PLACE]
    assert (str(asked.intent_id), len(versions.split())) == (polling["PATH_INFO"].split("/")[5], 4)


class Failing(LoopConnections):
    """Connections that a database gives nothing over."""

    def __init__(self, failure: Exception) -> None:
        super().__init__(1)
        self._failure = failure

    async def first_row(self, *_: object) -> Any:
        """Fail."""
        raise self._failure


def test_what_the_database_refuses_is_the_views_to_answer(polling: dict[str, Any]) -> None:
    refusal = DataError()
    refusal.__cause__ = psycopg.errors.InvalidTextRepresentation()
    assert in_loop(polling, Failing(refusal)) is None


@pytest.mark.parametrize("failure", [OperationalError("it did not answer"), TemporarilyUnavailable()])
def test_nobody_waits_again_for_what_did_not_answer(polling: dict[str, Any], failure: Exception) -> None:
    """Else a database that is away would be waited for twice by each poll."""
    with pytest.raises(TemporarilyUnavailable):
        in_loop(polling, Failing(failure))
