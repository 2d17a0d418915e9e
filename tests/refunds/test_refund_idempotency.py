"""Idempotency-Key on create: the first answer for a day, the refund itself for ever, and never a second one."""

from typing import Any

import pytest

from merchants.models import IdempotencyRecord
from refunds.models import Refund
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.rows import Rows, all_rows
from tests.payments.world import World, advance
from tests.refunds.stories import PAYEE, ask, settled, shown, told, work

DAY = 86_400


def body(intent: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A whole body."""
    return {"intent_id": intent["id"], "amount_usd": 10, "destination": PAYEE, "reason": "r"} | changes


def send(api: ApiClient, what: object, key: str = "refund 17") -> Reply:
    """Create under a key."""
    return api.post("/refunds", what, Idempotency_Key=key)


def apart_from_old_answers() -> Rows:
    """Every row but the answers that were kept for a day, which any request under their key may clear away."""
    return {table: rows for table, rows in all_rows().items() if table != IdempotencyRecord._meta.label}


@pytest.mark.spec("Refunds")
def test_a_repeat_gets_the_same_bytes(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    first = send(api, body(intent))
    assert first.status == 201
    work(world)
    before = all_rows()
    again = send(api, body(intent))
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (201, first.raw, "true")
    assert all_rows() == before
    assert Refund.objects.count() == 1


@pytest.mark.spec("Rulings B13.3")
@pytest.mark.spec("Errors: 409 idempotency")
@pytest.mark.parametrize("days", [0, 1, 300])
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"amount_usd": 11}, id="another amount"),
        pytest.param({"reason": "s"}, id="another reason"),
        pytest.param({"destination": None}, id="no destination"),
        pytest.param({"intent_id": "00000000-0000-4000-8000-000000000000"}, id="another intent"),
    ],
)
def test_another_body_is_refused_for_ever(changes: dict[str, Any], days: int, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    assert send(api, body(intent)).status == 201
    if days:
        advance(api, days * DAY)
    before = apart_from_old_answers()
    reply = send(api, body(intent, **changes))
    assert_refused(reply, 409, "idempotency_key_reused")
    assert apart_from_old_answers() == before


@pytest.mark.spec("Rulings B13.3")
@pytest.mark.spec("Limits: idempotency replay window")
def test_after_a_day_a_repeat_gets_the_refund_as_it_is(world: World, api: ApiClient) -> None:
    """Also once nothing is left to refund: it is no new wish."""
    intent = settled(world, api)
    first = send(api, body(intent, amount_usd=25))
    work(world)
    advance(api, DAY)
    events = told(first.body)
    late = send(api, body(intent, amount_usd=25))
    assert (late.status, late.headers["Idempotent-Replayed"]) == (201, "true")
    assert late.body == shown(api, first.body)
    assert (first.body["status"], late.body["status"]) == ("pending", "paid")
    assert (Refund.objects.count(), told(first.body)) == (1, events)
    advance(api, 2 * DAY)
    assert send(api, body(intent, amount_usd=25)).body == late.body


def test_a_refusal_leaves_the_key_free(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    assert_refused(send(api, body(intent, amount_usd=26)), 422, "refund_exceeds_balance")
    assert all_rows() == before
    assert send(api, body(intent)).status == 201


@pytest.mark.spec("Authentication 5: idempotency keys are scoped per merchant")
def test_keys_of_others_do_not_meet(world: World, api: ApiClient, other_api: ApiClient) -> None:
    made = [send(one, body(settled(world, one))) for one in (api, other_api)]
    assert [reply.status for reply in made] == [201, 201]
    advance(api, DAY)
    assert Refund.objects.values("idempotency_key").distinct().count() == 1
    assert made[0].body["id"] != made[1].body["id"]


def test_without_a_key_each_one_is_new(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    assert ask(api, intent, 10).body["id"] != ask(api, intent, 10).body["id"]


@pytest.mark.spec("Limits: Idempotency-Key length")
@pytest.mark.parametrize("key", ["", "a" * 256, "schlüssel"])
def test_keys_that_are_none(key: str, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    assert_refused(send(api, body(intent), key), 400, "idempotency_key_invalid")
    assert all_rows() == before
    assert send(api, body(intent), "k" * 255).status == 201
