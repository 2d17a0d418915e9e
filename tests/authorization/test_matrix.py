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
from tests.authorization.routes import METHODS, Route, api_routes
from tests.authorization.stage import CALLERS, Stage
from tests.conftest import Reply
from tests.core.error_form import assert_error_form, assert_refused
from tests.each import faults
from tests.factories.rows import all_rows

KEYED = operations_of(Door.SECRET_KEY, Door.TEST_SECRET_KEY)
OPEN = frozenset({Door.NOBODY_IS_ASKED, Door.WALLETS_SIGNATURE})
AGE = re.compile(r"'age_seconds': \d+|\d+ s (?=behind the database's)")
ALWAYS_DIFFERENT = {"Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}


def everything() -> tuple[Any, ...]:
    """All that a refusal must leave alone, the keys included."""
    return all_rows(), list(ApiKey.objects.order_by("pk").values_list("pk", "revoked_at", "expires_at"))


def apart_from_its_name(reply: Reply) -> tuple[Any, ...]:
    """An answer without what differs from one request to the next."""
    raw = reply.raw.replace(reply.headers["Request-Id"].encode(), b"")
    return reply.status, raw, {name: value for name, value in reply.headers.items() if name not in ALWAYS_DIFFERENT}


def test_every_operation_is_classified_for_every_caller() -> None:
    assert sorted(OPERATIONS) == sorted(served_operations())
    for name, operation in OPERATIONS.items():
        for mode in Mode:
            assert set(expected(name, operation.door, mode)) == set(CALLERS), name


def assert_let_in(operation: str, stage: Stage, caller: str) -> None:
    """The caller gets the operation's own answer; with a live key, a test helper is not there."""
    reply = stage.send(operation, stage.credentials(caller))
    if OPERATIONS[operation].door == Door.TEST_SECRET_KEY and stage.mode == Mode.LIVE:
        assert_refused(reply, 404, "not_found")
    else:
        assert reply.status == OPERATIONS[operation].status, reply.raw[:300]


@pytest.mark.spec("Authentication 1: bearer secret key")
@pytest.mark.spec("Authentication 2: publishable keys")
@pytest.mark.spec("Authentication 3: a key only sees its own mode")
@pytest.mark.spec("Errors: 401")
@pytest.mark.parametrize("door", [door for door in Door if door not in OPEN])
def test_everybody_else_is_refused_and_changes_nothing(door: Door, stage: Stage) -> None:
    before = everything()

    def check(operation: str) -> None:
        row = expected(operation, door, stage.mode)
        refused = {caller: refusal for caller, refusal in row.items() if refusal is not None}
        answered = {}
        for caller in refused:
            reply = stage.send(operation, stage.credentials(caller))
            assert_error_form(reply)
            answered[caller] = (reply.status, reply.body["code"])
        assert answered == refused
        assert everything() == before

    assert faults(check, operations_of(door)) == {}


@pytest.mark.spec("Contract 14.2")
@pytest.mark.spec("Contract 5.13")
def test_who_may_is_let_in_and_a_refusal_names_the_scope_that_is_needed(stage: Stage) -> None:
    """The owner's secret key, and a restricted key with exactly the scope."""
    assert faults(lambda operation: assert_let_in(operation, stage, "own secret"), KEYED) == {}
    assert faults(lambda one: assert_let_in(one, stage, f"restricted to {SCOPES[one]}"), SCOPES) == {}

    def check(operation: str) -> None:
        needed = SCOPES.get(operation)
        all_but = f"restricted to all but {needed or KeyScope.READ_INTENTS}"
        reply = stage.send(operation, stage.credentials(all_but))
        assert_refused(reply, 403, "insufficient_scope")
        assert reply.body["details"] == {"required": [needed] if needed else []}

    assert faults(check, KEYED) == {}


def test_every_key_may_ask_what_it_is(stage: Stage) -> None:
    callers = ["own secret", *(caller for caller in CALLERS if caller.startswith("restricted to"))]

    def check(operation: str) -> None:
        for caller in callers:
            assert_let_in(operation, stage, caller)

    assert faults(check, operations_of(Door.ANY_KEY)) == {}


@pytest.mark.spec("Authentication 3: a key only sees its own mode")
def test_other_keys_of_a_list_see_and_make_only_their_own(stage: Stage) -> None:
    def check(operation: str) -> None:
        for caller in (caller for caller in CALLERS if "secret of" in caller or caller == "a stranger's secret"):
            reply = stage.send(operation, stage.credentials(caller))
            assert reply.status == OPERATIONS[operation].status, reply.raw[:300]
            shown = stage.send(f"GET {operation.partition(' ')[2]}", stage.credentials(caller)).body["data"]
            assert [row["id"] for row in shown] == ([reply.body["id"]] if operation.startswith("POST") else [])

    assert faults(check, [name for name in operations_of(Door.SECRET_KEY) if not names_a_resource(name)]) == {}


@pytest.mark.spec("Errors: 404")
def test_a_foreign_id_looks_like_one_that_does_not_exist(stage: Stage) -> None:
    def check(operation: str) -> None:
        for caller in ("own secret of the wrong mode", "a stranger's secret", "a stranger's secret of the other mode"):
            headers = stage.credentials(caller)
            foreign, unknown = stage.send(operation, headers), stage.send(operation, headers, **stage.nowhere())
            assert_refused(foreign, 404, "not_found")
            assert apart_from_its_name(foreign) == apart_from_its_name(unknown), caller

    assert faults(check, [name for name in KEYED if names_a_resource(name)]) == {}


@pytest.mark.spec("Authentication 4: unauthenticated endpoints")
def test_open_operations_answer_everybody_alike(stage: Stage) -> None:
    before = everything()

    def check(operation: str) -> None:
        answers = [stage.send(operation, stage.credentials(caller)) for caller in CALLERS]
        assert {reply.status for reply in answers} == {503 if operation.endswith("/ready") else 200}
        assert len({AGE.sub("", repr({**reply.body, "ts": ""})) for reply in answers}) == 1
        assert everything() == before

    assert faults(check, operations_of(Door.NOBODY_IS_ASKED)) == {}


def test_credentials_make_no_difference_where_a_wallet_signs(stage: Stage) -> None:
    refund = Refund.objects.filter(pk=stage.ids["refund_id"])
    before = list(refund.values())

    def check(operation: str) -> None:
        for caller in CALLERS:
            reply = stage.send(operation, stage.credentials(caller))
            assert reply.status == OPERATIONS[operation].status, (caller, reply.raw[:300])
        assert list(refund.values()) == before

    assert faults(check, operations_of(Door.WALLETS_SIGNATURE)) == {}


def test_other_methods_are_refused_whoever_asks(stage: Stage) -> None:
    before = everything()
    callers = {caller: stage.credentials(caller) for caller in ("own secret", "own publishable", "nobody")}

    def check(route: Route) -> None:
        path = route.filled(stage.ids)
        for method in set(METHODS) - route.methods:
            for caller, headers in callers.items():
                reply = stage.send_plain(method, path, headers)
                assert_error_form(reply)
                assert reply.status == 405 or (reply.status == 401 and caller != "own secret"), (method, caller)
                if reply.status == 405:
                    assert set(reply.headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"} == route.methods
        assert everything() == before

    assert faults(check, api_routes()) == {}
