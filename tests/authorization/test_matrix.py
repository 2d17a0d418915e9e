"""Every operation against every caller: who is refused, with what, and that a refusal leaves nothing behind."""

import re
from typing import Any

import pytest

from core.modes import Mode
from merchants.models import ApiKey
from merchants.scopes import KeyScope
from refunds.models import Refund
from tests.authorization.doors import OPERATIONS, SCOPES, Door, names_a_resource, operations_of, served_operations
from tests.authorization.expected import expected
from tests.authorization.routes import METHODS, api_routes
from tests.authorization.stage import CALLERS, Stage
from tests.conftest import Reply
from tests.core.error_form import assert_error_form, assert_refused
from tests.factories.rows import all_rows

KEYED = operations_of(Door.SECRET_KEY, Door.TEST_SECRET_KEY)
GUARDED = [name for name in OPERATIONS if OPERATIONS[name].door not in {Door.NOBODY_IS_ASKED, Door.WALLETS_SIGNATURE}]
AGE = re.compile(r"'age_seconds': \d+")
ALWAYS_DIFFERENT = {"Request-Id", "RateLimit-Remaining", "RateLimit-Reset"}


def everything() -> tuple[Any, ...]:
    """All that a refusal must leave alone, the keys included."""
    return all_rows(), list(ApiKey.objects.order_by("pk").values_list("pk", "revoked_at", "expires_at"))


def apart_from_its_name(reply: Reply) -> tuple[Any, ...]:
    """An answer without what differs from one request to the next."""
    raw = reply.raw.replace(reply.headers["Request-Id"].encode(), b"")
    return reply.status, raw, {name: value for name, value in reply.headers.items() if name not in ALWAYS_DIFFERENT}


def test_every_operation_is_classified() -> None:
    assert sorted(OPERATIONS) == sorted(served_operations())


def test_every_caller_has_an_expectation() -> None:
    for name, operation in OPERATIONS.items():
        for mode in Mode:
            assert set(expected(name, operation.door, mode)) == set(CALLERS), name


@pytest.mark.spec("Authentication 1: bearer secret key")
@pytest.mark.spec("Authentication 2: publishable keys")
@pytest.mark.spec("Authentication 3: a key only sees its own mode")
@pytest.mark.spec("Errors: 401")
@pytest.mark.parametrize("operation", GUARDED)
def test_everybody_else_is_refused_and_changes_nothing(operation: str, stage: Stage) -> None:
    row = expected(operation, OPERATIONS[operation].door, stage.mode)
    refused = {caller: refusal for caller, refusal in row.items() if refusal is not None}
    sent = {caller: stage.credentials(caller) for caller in refused}
    before = everything()
    answered = {}
    for caller, headers in sent.items():
        reply = stage.send(operation, headers)
        assert_error_form(reply)
        assert everything() == before, caller
        answered[caller] = (reply.status, reply.body["code"])
    assert answered == refused


@pytest.mark.parametrize("operation", KEYED)
def test_the_owner_s_secret_key_is_let_in(operation: str, stage: Stage) -> None:
    reply = stage.send(operation, stage.credentials("own secret"))
    if OPERATIONS[operation].door == Door.TEST_SECRET_KEY and stage.mode == Mode.LIVE:
        assert_refused(reply, 404, "not_found")
    else:
        assert reply.status == OPERATIONS[operation].status, reply.raw[:300]


@pytest.mark.parametrize("operation", SCOPES)
def test_a_restricted_key_with_exactly_the_scope_is_let_in(operation: str, stage: Stage) -> None:
    reply = stage.send(operation, stage.credentials(f"restricted to {SCOPES[operation]}"))
    if OPERATIONS[operation].door == Door.TEST_SECRET_KEY and stage.mode == Mode.LIVE:
        assert_refused(reply, 404, "not_found")
    else:
        assert reply.status == OPERATIONS[operation].status, reply.raw[:300]


@pytest.mark.parametrize("operation", KEYED)
def test_a_refusal_names_the_scope_that_is_needed(operation: str, stage: Stage) -> None:
    needed = SCOPES.get(operation)
    reply = stage.send(operation, stage.credentials(f"restricted to all but {needed or KeyScope.READ_INTENTS}"))
    assert_refused(reply, 403, "insufficient_scope")
    assert reply.body["details"] == {"required": [needed] if needed else []}


@pytest.mark.spec("Authentication 3: a key only sees its own mode")
@pytest.mark.parametrize("operation", [name for name in operations_of(Door.SECRET_KEY) if not names_a_resource(name)])
def test_other_keys_of_a_list_see_and_make_only_their_own(operation: str, stage: Stage) -> None:
    for caller in (caller for caller in CALLERS if "secret of" in caller or caller == "a stranger's secret"):
        reply = stage.send(operation, stage.credentials(caller))
        assert reply.status == OPERATIONS[operation].status, reply.raw[:300]
        shown = stage.send(f"GET {operation.partition(' ')[2]}", stage.credentials(caller)).body["data"]
        assert [row["id"] for row in shown] == ([reply.body["id"]] if operation.startswith("POST") else [])


@pytest.mark.spec("Errors: 404")
@pytest.mark.parametrize("operation", [name for name in KEYED if names_a_resource(name)])
def test_a_foreign_id_looks_like_one_that_does_not_exist(operation: str, stage: Stage) -> None:
    for caller in ("own secret of the wrong mode", "a stranger's secret", "a stranger's secret of the other mode"):
        headers = stage.credentials(caller)
        foreign, unknown = stage.send(operation, headers), stage.send(operation, headers, **stage.nowhere())
        assert_refused(foreign, 404, "not_found")
        assert apart_from_its_name(foreign) == apart_from_its_name(unknown), caller


@pytest.mark.spec("Authentication 4: unauthenticated endpoints")
@pytest.mark.parametrize("operation", operations_of(Door.NOBODY_IS_ASKED))
def test_open_operations_answer_everybody_alike(operation: str, stage: Stage) -> None:
    credentials = {caller: stage.credentials(caller) for caller in CALLERS}
    before = everything()
    answers = {caller: stage.send(operation, headers) for caller, headers in credentials.items()}
    assert {reply.status for reply in answers.values()} == {503 if operation.endswith("/ready") else 200}
    assert len({AGE.sub("", repr({**reply.body, "ts": ""})) for reply in answers.values()}) == 1
    assert everything() == before


@pytest.mark.parametrize("operation", operations_of(Door.WALLETS_SIGNATURE))
def test_credentials_make_no_difference_where_a_wallet_signs(operation: str, stage: Stage) -> None:
    refund = Refund.objects.filter(pk=stage.ids["refund_id"])
    before = list(refund.values())
    for caller in CALLERS:
        reply = stage.send(operation, stage.credentials(caller))
        assert reply.status == OPERATIONS[operation].status, (caller, reply.raw[:300])
    assert list(refund.values()) == before


@pytest.mark.parametrize("route", api_routes(), ids=lambda route: str(route.path))
def test_other_methods_are_refused_whoever_asks(route: Any, stage: Stage) -> None:
    before = everything()
    path = route.filled(stage.ids)
    for method in set(METHODS) - route.methods:
        for caller in ("own secret", "own publishable", "nobody"):
            reply = stage.send_plain(method, path, stage.credentials(caller))
            assert_error_form(reply)
            assert reply.status == 405 or (reply.status == 401 and caller != "own secret"), (method, caller)
            if reply.status == 405:
                assert set(reply.headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"} == route.methods
    assert everything() == before
