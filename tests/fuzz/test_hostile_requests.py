"""No request whatever breaks an operation: with the right caller and ids that exist, so that it is read to its end."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

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
STRANGE_METHODS = ("OPTIONS", "HEAD", "TRACE", "CONNECT", "QUERY", "PROPFIND", "get", "GeT", "A" * 999)
RIGHT_CALLER = {
    Door.NOBODY_IS_ASKED: "nobody",
    Door.WALLETS_SIGNATURE: "nobody",
    Door.WHERE_SOLANA_IS: "nobody",
    Door.SECRET_KEY: "own secret",
    Door.ANY_KEY: "own secret",
    Door.TEST_SECRET_KEY: "own secret",
    Door.CHECKOUT_TOKEN: "own checkout token",
    Door.CHECKOUT_SESSION: "own checkout token",
}
FOR_PAGES = ("/api/public/v1/checkout/", "/api/public/v1/tokens")
"""What merchants' pages may read from their own origins."""


@dataclass(frozen=True)
class Attack:
    """What is wrong with a request; an empty method is the operation's own."""

    name: str
    body: bytes = b"{}"
    query: str = ""
    method: str = ""
    headers: dict[str, str] = field(default_factory=dict)


BODIES = [
    Attack(one.name, one.body, headers={"Content-Type": one.content_type, **one.headers})
    for one in HOSTILE
    if len(one.body) < MEGABYTE
]
WITHOUT_A_BODY = [
    *(Attack(name, headers=headers) for name, headers in HEADERS.items()),
    *(Attack(f"?{query[:60]}", query=query) for query in QUERIES),
    *(Attack(f"the method {method[:60]}", b"", method=method) for method in STRANGE_METHODS),
]
HERE = 10
"""Of either kind so many for each operation here, always others, so that each has its turn somewhere."""


def dealt(attacks: list[Attack], operation: str) -> list[Attack]:
    first = OPERATION_NAMES.index(operation) * HERE
    return [attacks[(first + number) % len(attacks)] for number in range(HERE)]


@pytest.fixture
def stage(db: None) -> Stage:
    """Rows of test mode, and a payer who has a token."""
    stage = set_the_stage(Mode.TEST)
    stage.credentials("own checkout token")
    return stage


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


def send(stage: Stage, operation: str, attack: Attack) -> Reply:
    """Call an operation as its right caller; headers come last, so they replace any other."""
    usual, _, path = operation.partition(" ")
    caller = stage.credentials(RIGHT_CALLER[OPERATIONS[operation].door])
    sent = {"Content-Type": JSON} | {name.replace("_", "-"): value for name, value in caller.items()} | attack.headers
    client = Client(raise_request_exception=False, headers=sent)
    target = filled(path, stage.ids) + (f"?{attack.query}" if attack.query else "")
    return read_reply(client.generic(attack.method or usual, target, attack.body, content_type=sent["Content-Type"]))


def search(stage: Stage, operation: str, attacks: Iterable[Attack]) -> None:
    """Nothing breaks the operation, no refusal changes anything, and no stranger's page may read an answer."""
    before = everything()
    for attack in attacks:
        with refusals_change_nothing(f"{operation} with {attack.name}") as answers:
            answers.append(send(stage, operation, attack))
            told = answers[0].headers
            assert told["Request-Id"] != "req_mine"
            assert ("Access-Control-Allow-Origin" in told) <= operation.split()[1].startswith(FOR_PAGES), attack.name
            assert "Access-Control-Allow-Credentials" not in told, attack.name
            if operation.startswith("GET") and attack.headers:
                assert everything() == before, attack.name
    assert everything() == before


@pytest.mark.spec("Errors: body")
def test_no_request_breaks_an_operation(stage: Stage) -> None:
    for operation in OPERATION_NAMES:
        bodies = dealt(BODIES, operation) if operation.startswith(("POST", "PUT", "PATCH")) else []
        search(stage, operation, [*bodies, *dealt(WITHOUT_A_BODY, operation)])


def test_options_say_the_methods_and_nothing_else(stage: Stage) -> None:
    for operation in OPERATION_NAMES:
        reply = send(stage, operation, Attack("options", b"", method="OPTIONS"))
        assert (reply.status, set(reply.body)) == (200, {"methods"}), operation
        assert ", ".join(sorted(reply.headers["Allow"].split(", "))) == ", ".join(reply.body["methods"]), operation
