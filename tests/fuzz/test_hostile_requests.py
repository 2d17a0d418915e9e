"""No request whatever breaks an operation: with the right caller and ids that exist, so that it is read to its end."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.test import Client

from core.modes import Mode
from tests.authorization.doors import OPERATIONS, Door, served_operations
from tests.authorization.routes import filled
from tests.authorization.stage import Stage, set_the_stage
from tests.authorization.test_matrix import everything
from tests.conftest import Reply, read_reply
from tests.core.error_form import assert_error_form
from tests.core.hostile_bodies import HOSTILE, JSON, MEGABYTE
from tests.fuzz.hostile_headers import HEADERS, QUERIES

pytestmark = pytest.mark.slow

OPERATION_NAMES = sorted(served_operations())
WITH_A_BODY = [name for name in OPERATION_NAMES if name.startswith(("POST", "PUT", "PATCH"))]
STRANGE_METHODS = ("OPTIONS", "HEAD", "TRACE", "CONNECT", "QUERY", "PROPFIND", "get", "GeT", "A" * 999)
RIGHT_CALLER = {
    Door.NOBODY_IS_ASKED: "nobody",
    Door.WALLETS_SIGNATURE: "nobody",
    Door.WHERE_SOLANA_IS: "nobody",
    Door.SECRET_KEY: "own secret",
    Door.TEST_SECRET_KEY: "own secret",
    Door.CHECKOUT_TOKEN: "own checkout token",
    Door.CHECKOUT_SESSION: "own checkout token",
}


@pytest.fixture
def stage(db: None) -> Stage:
    """Rows of test mode."""
    return set_the_stage(Mode.TEST)


@contextmanager
def refusals_change_nothing(case: str) -> Iterator[list[Reply]]:
    """Take the answer; a success is undone, a refusal must not have to be."""
    answers: list[Reply] = []
    with transaction.atomic():
        yield answers
        [reply] = answers
        assert reply.status < 500 or "ready" in case, f"{case}: {reply.raw[:300]!r}"
        assert reply.headers["Request-Id"].startswith("req_"), case
        if reply.status >= 400 and reply.raw and "ready" not in case:
            assert_error_form(reply)
        transaction.set_rollback(reply.status < 400)


def send(
    stage: Stage, operation: str, body: bytes = b"", *, query: str = "", method: str = "", **headers: str
) -> Reply:
    """Call an operation as its right caller; headers come last, so they replace any other."""
    usual, _, path = operation.partition(" ")
    caller = stage.credentials(RIGHT_CALLER[OPERATIONS[operation].door])
    sent = {"Content-Type": JSON} | {name.replace("_", "-"): value for name, value in caller.items()} | headers
    client = Client(raise_request_exception=False, headers=sent)
    target = filled(path, stage.ids) + (f"?{query}" if query else "")
    return read_reply(client.generic(method or usual, target, body, content_type=sent["Content-Type"]))


@pytest.mark.spec("Errors: body")
@pytest.mark.parametrize("operation", WITH_A_BODY)
def test_no_body_breaks_it(operation: str, stage: Stage) -> None:
    stage.credentials("own checkout token")
    before = everything()
    for hostile in HOSTILE:
        if len(hostile.body) < MEGABYTE:
            with refusals_change_nothing(f"{operation} with {hostile.name}") as answers:
                headers = {"Content-Type": hostile.content_type, **hostile.headers}
                answers.append(send(stage, operation, hostile.body, **headers))
    assert everything() == before


FOR_PAGES = ("/api/public/v1/checkout/", "/api/public/v1/tokens")
"""What merchants' pages may read from their own origins."""


@pytest.mark.spec("Errors: body")
@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_no_header_breaks_it(operation: str, stage: Stage) -> None:
    before = everything()
    for name, headers in HEADERS.items():
        with refusals_change_nothing(f"{operation} with {name}") as answers:
            answers.append(send(stage, operation, b"{}", **headers))
            assert answers[0].headers["Request-Id"] != "req_mine"
            assert ("Access-Control-Allow-Origin" in answers[0].headers) <= operation.split()[1].startswith(FOR_PAGES)
            assert "Access-Control-Allow-Credentials" not in answers[0].headers
            if operation.startswith("GET"):
                assert everything() == before, name
    assert everything() == before


@pytest.mark.spec("Errors: body")
@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_no_query_breaks_it(operation: str, stage: Stage) -> None:
    before = everything()
    for query in QUERIES:
        with refusals_change_nothing(f"{operation}?{query[:60]}") as answers:
            answers.append(send(stage, operation, b"{}", query=query))
    assert everything() == before


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_no_method_breaks_it(operation: str, stage: Stage) -> None:
    before = everything()
    for method in STRANGE_METHODS:
        with refusals_change_nothing(f"{method} of {operation}") as answers:
            answers.append(send(stage, operation, method=method))
    assert everything() == before


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_options_say_the_methods_and_nothing_else(operation: str, stage: Stage) -> None:
    reply = send(stage, operation, method="OPTIONS")
    assert (reply.status, set(reply.body)) == (200, {"methods"})
    assert ", ".join(sorted(reply.headers["Allow"].split(", "))) == ", ".join(reply.body["methods"])
