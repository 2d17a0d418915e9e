"""The right payer is let through every door of the checkout, and through none of another checkout's."""

from typing import Any

import pytest

from merchants.principal import Principal
from merchants.services.origins import allow_origin
from payments.services.advance import sweep_due
from tests.authorization.doors import CHECKOUT, Door, operations_of
from tests.authorization.payer import act, quoted_attempt
from tests.authorization.stage import Stage
from tests.authorization.test_matrix import apart_from_its_name, everything
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused

MORE: dict[str, Any] = {
    "submitted": {"leg_sequence": 1, "tx_hash": "0x" + "ab" * 32},
    "simulated-wallet/transactions": {"leg_sequence": 1},
}
"""What the body of an action says besides the attempt."""


def test_the_holder_of_the_token_walks_through_every_door(in_test_mode: Stage) -> None:
    token = in_test_mode.credentials("own checkout token")
    assert act(in_test_mode, "session", {}, token).status == 200
    attempt = quoted_attempt(in_test_mode, token)
    assert act(in_test_mode, "start", {"attempt_id": attempt}, token).status == 202
    sweep_due()
    leg = {"attempt_id": attempt, "leg_sequence": 1}
    sent = act(in_test_mode, "simulated-wallet/transactions", leg, token)
    assert sent.status == 201
    assert act(in_test_mode, "submitted", {**leg, "tx_hash": sent.body["tx_hash"]}, token).status == 202
    assert ApiClient("").get(f"/checkout/{in_test_mode.ids['intent_id']}/state", **token).status == 200


def test_the_holder_of_the_token_may_decline(in_test_mode: Stage) -> None:
    token = in_test_mode.credentials("own checkout token")
    attempt = quoted_attempt(in_test_mode, token)
    declined = act(in_test_mode, "rejected", {"attempt_id": attempt, "reason": "payer_rejected"}, token)
    assert (declined.status, declined.body["status"]) == (202, "requires_payment")


@pytest.mark.parametrize("action", ["start", "submitted", "rejected", "simulated-wallet/transactions"])
def test_an_attempt_of_another_checkout_looks_like_none(action: str, in_test_mode: Stage) -> None:
    theirs = in_test_mode.credentials("checkout token of another intent")
    attempt = quoted_attempt(in_test_mode, theirs, in_test_mode.other_intent_id)
    more: dict[str, Any] = MORE.get(action, {})
    token, before = in_test_mode.credentials("own checkout token"), everything()
    for_theirs = act(in_test_mode, action, {"attempt_id": attempt, **more}, token)
    for_nobodys = act(in_test_mode, action, {"attempt_id": in_test_mode.nowhere()["intent_id"], **more}, token)
    assert_refused(for_theirs, 404, "not_found")
    assert apart_from_its_name(for_theirs) == apart_from_its_name(for_nobodys)
    assert everything() == before


@pytest.mark.parametrize("operation", operations_of(Door.CHECKOUT_SESSION))
def test_a_publishable_key_opens_a_session_that_works(operation: str, in_test_mode: Stage) -> None:
    opened = in_test_mode.send(operation, in_test_mode.credentials("own publishable"))
    assert opened.status == 200
    state = in_test_mode.send(f"GET {CHECKOUT}/state", {"Checkout_Token": opened.body["checkout_token"]})
    assert (state.status, state.body["status"]) == (200, "requires_payment")


def test_a_publishable_key_works_from_the_listed_origins_only(stage: Stage) -> None:
    key = stage.credentials("own publishable")
    allow_origin(
        Principal(merchant_id=stage.account.merchant.pk, mode=stage.mode, actor="user:1"), "https://shop.example"
    )
    before = everything()
    for origin in ("", "https://evil.example", "https://shop.example.evil.example", "null"):
        sent = {**key, "Origin": origin} if origin else key
        assert_refused(act(stage, "session", {}, sent), 403, "origin_not_allowed")
    assert everything() == before
    assert act(stage, "session", {}, {**key, "Origin": "https://shop.example"}).status == 200
