"""POST /refunds: what is taken, what is refused without a trace, and under a key never a second one."""

import json
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from chains.models import SimulatedTransaction, Transfer
from core import rate_limits
from merchants.models import IdempotencyRecord, Merchant
from payments.models import PaymentIntent
from refunds.models import Refund
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA
from tests.factories.refunds import USDC_ON_BASE, paid_intent
from tests.factories.rows import Rows, all_rows
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, advance, create
from tests.refunds.stories import NOWHERE, PAYEE, ask, last_event, refund, row, settled, shown, steps, told, work

RECORD = (
    *("id", "payment_intent_id", "amount_usd", "chain", "token", "destination", "reason", "status", "tx_hash"),
    *("created_at", "paid_at", "failure_reason", "attempts", "updated_at", "stray_id", "token_amount"),
    *("suggested_destination", "payers"),
)
SIMULATED_PAYER = "0x7e57000000000000000000000000000000000a11"


def refused(api: ApiClient, body: object, status: int, code: str, **headers: str) -> Reply:
    before = all_rows()
    reply = api.post("/refunds", body, **headers)
    assert_refused(reply, status, code)
    assert all_rows() == before
    return reply


@pytest.mark.spec("Contract 3.4; Contract 10.5; Contract 12.2; Limits: refund reason length; Refunds; Refund")
def test_with_a_destination(world: World, api: ApiClient) -> None:
    """Answered with all of it; the event carries only the destination's tail. The longest reason is taken as it is."""
    intent = settled(world, api)
    reply = ask(api, intent, 10.5, destination=PAYEE.lower(), reason="wrong size")
    assert reply.status == 201
    assert tuple(reply.body) == RECORD
    assert reply.body == {
        **{"id": reply.body["id"], "payment_intent_id": intent["id"], "amount_usd": 10.5, "chain": "base"},
        **{"token": "USDC", "destination": PAYEE, "reason": "wrong size", "status": "pending", "tx_hash": None},
        **{"created_at": "2026-05-04T12:00:04.000Z", "paid_at": None, "failure_reason": None, "attempts": 0},
        **{"updated_at": "2026-05-04T12:00:04.000Z", "suggested_destination": None, "payers": None},
        **{"stray_id": None, "token_amount": "10.5"},
    }
    assert b'"amount_usd":10.50,' in reply.raw
    assert (steps(reply.body), told(reply.body)) == (["waiting", "queued"], ["created"])
    assert row(reply.body).base_units == 10_500_000
    assert row(reply.body).history.get(trigger="create").actor.startswith("key:")
    envelope = last_event(reply.body)
    assert (envelope["type"], envelope["resource"]) == ("refund.created", {"type": "refund", "id": reply.body["id"]})
    unseen = {"destination", "suggested_destination", "payers"}
    told_of = {name: reply.body[name] for name in RECORD if name not in unseen}
    assert envelope["data"] == told_of | {"destination_tail": "…169EE7"}
    assert PAYEE not in json.dumps(envelope)
    reason = " " + "é" * 278 + " "
    assert refund(api, intent, 10, reason=reason)["reason"] == reason


@pytest.mark.spec("Contract 0.4; Contract 3.12; States: refund; Refunds")
def test_without_a_destination_it_waits(world: World, api: ApiClient) -> None:
    """In every form of the intent's id."""
    intent = settled(world, api)
    made = refund(api, intent, 22)
    assert (made["status"], made["failure_reason"]) == ("pending", "missing_destination")
    assert (made["destination"], made["reason"]) == ("", "")
    assert made["suggested_destination"].lower() == SIMULATED_PAYER
    assert told(made) == ["created", "missing_destination"]
    assert row(made).next_attempt_at is None
    assert (Transfer.objects.count(), SimulatedTransaction.objects.filter(tag__startswith="refund").count()) == (0, 0)
    for form in (f"pi_{intent['id']}", intent["id"], intent["id"].replace("-", "").upper()):
        reply = api.post("/refunds", {"intent_id": form, "amount_usd": 1, "destination": None, "reason": None})
        assert (reply.status, reply.body["payment_intent_id"]) == (201, intent["id"])


@pytest.mark.spec("Contract 21.6; Refunds; Limits: refund reason length")
@pytest.mark.parametrize(
    ("changes", "field", "why"),
    [
        ({"intent_id": None}, "intent_id", "type"),
        ({"intent_id": 7}, "intent_id", "type"),
        ({"intent_id": "nonsense"}, "intent_id", "format"),
        ({"intent_id": ""}, "intent_id", "format"),
        ({"amount_usd": None}, "amount_usd", "type"),
        ({"amount_usd": "10"}, "amount_usd", "type"),
        ({"amount_usd": True}, "amount_usd", "type"),
        ({"amount_usd": 0}, "amount_usd", "out_of_range"),
        ({"amount_usd": -1}, "amount_usd", "out_of_range"),
        ({"amount_usd": 1_000_000_001}, "amount_usd", "out_of_range"),
        ({"amount_usd": 1.0000001}, "amount_usd", "precision"),
        ({"destination": 7}, "destination", "type"),
        ({"destination": ""}, "destination", "format"),
        ({"destination": "0x" + "1" * 200}, "destination", "too_long"),
        ({"reason": 7}, "reason", "type"),
        ({"reason": "x" * 281}, "reason", "too_long"),
        ({"currency": "USD"}, "currency", "unknown_field"),
    ],
)
def test_a_refused_field(changes: dict[str, Any], field: str, why: str, merchant: Merchant, api: ApiClient) -> None:
    body = {"intent_id": str(paid_intent(merchant, mode="test").pk), "amount_usd": 10, "destination": PAYEE}
    reply = refused(api, body | changes, 400, "invalid_request", Idempotency_Key="k")
    assert [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]] == [(field, why)]


def test_a_field_that_is_missing_or_too_small(merchant: Merchant, api: ApiClient) -> None:
    intent = {"id": str(paid_intent(merchant, mode="test").pk)}
    for body, name, why in (
        (b'{"amount_usd":10}', "intent_id", "required"),
        (b'{"intent_id":"%s"}' % intent["id"].encode(), "amount_usd", "required"),
        (b'{"intent_id":"%s","amount_usd":0.0000011}' % intent["id"].encode(), "amount_usd", "precision"),
    ):
        [problem] = refused(api, body, 400, "invalid_request").body["details"]["fields"]
        assert (problem["field"], problem["code"]) == (name, why)
    coarse = {"id": str(paid_intent(merchant, mode="test", units=2, target_base_units=2, settlement_decimals=0).pk)}
    finer = {"intent_id": coarse["id"], "amount_usd": 12.49}
    [problem] = refused(api, finer, 400, "invalid_request").body["details"]["fields"]
    assert (problem["field"], problem["code"]) == ("amount_usd", "precision")
    assert [row(refund(api, coarse, 12.5)).base_units for _ in range(2)] == [1, 1]


BAD_ON_BASE = {
    "nobody": "format",
    f" {ANNS_EVM}": "format",
    f"{ANNS_EVM}\n": "format",
    " ": "format",
    ANNS_SOLANA: "format",
    PAYEE.replace("E41", "e41"): "checksum",
    "0x" + "0" * 40: "reserved",
    "0x000000000000000000000000000000000000dEaD": "reserved",
    USDC_ON_BASE: "token",
    "0x000000000022D473030F116dDEE9F6B43aC78BA3": "contract",
}
"""What cannot receive there, and why."""
BAD_ON_SOLANA = {
    PAYEE: "format",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA": "program",
    "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "token",
}


@pytest.mark.spec("Contract 3.10; Refunds")
@pytest.mark.parametrize("mode", ["test", "live"])
def test_a_destination_that_cannot_receive(mode: str, merchant: Merchant, api: ApiClient, live_api: ApiClient) -> None:
    caller = api if mode == "test" else live_api
    for chain, family, address, bad in (
        ("base", "evm", ANNS_EVM, BAD_ON_BASE),
        ("solana", "solana", ANNS_SOLANA, BAD_ON_SOLANA),
    ):
        intent = paid_intent(merchant, mode=mode, settlement_chain=chain, settlement_address=address)
        for destination, why in bad.items():
            body = {"intent_id": str(intent.pk), "amount_usd": 10, "destination": destination}
            details = refused(caller, body, 400, "invalid_request").body["details"]
            assert [(problem["field"], problem["code"]) for problem in details["fields"]] == [("destination", "format")]
            assert (details["chain"], details["chain_family"], details["reason"]) == (chain, family, why)
    assert refund(caller, {"id": str(intent.pk)}, destination=ANNS_SOLANA)["destination"] == ANNS_SOLANA


@pytest.mark.spec("Contract 21.6; Test mode: any settlement")
def test_a_chain_that_only_test_mode_knows_takes_any_text(world: World, api: ApiClient) -> None:
    intent = settled(world, api, settlement_chain="mars", settlement_token="ROCK", settlement_address="crater")
    for destination in ("a", "x" * 128, "0xnonsense"):
        made = refund(api, intent, 1, destination=destination)
        assert (made["chain"], made["token"], made["destination"]) == ("mars", "ROCK", destination)


@pytest.mark.spec("Contract 21.6; Errors: 404")
def test_an_intent_of_somebody_else(world: World, api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    mine = settled(world, api)["id"]
    for caller, intent_id in ((api, NOWHERE), (other_api, mine), (live_api, mine)):
        body = {"intent_id": intent_id, "amount_usd": 10, "destination": "nonsense"}
        reply = refused(caller, body, 404, "not_found", Idempotency_Key="k")
        assert reply.body["details"] == {"resource": "payment_intent"}


NOT_REFUNDABLE = [status for status in STORIES if status not in {"settled", "partially_filled"}]


@pytest.mark.spec("Contract 3.1; Errors: 409 and 422 of refunds and payouts; States: refund")
@pytest.mark.parametrize("status", NOT_REFUNDABLE)
def test_an_intent_of_which_nothing_can_go_back(status: str, world: World, api: ApiClient) -> None:
    """Nothing arrived, or something is under way, or everything went back already."""
    intent = intent_in(world, api, status)
    if status == "refunded":
        PaymentIntent.objects.filter(pk=intent["id"]).update(refunded_usd=Decimal(25))
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 409, "intent_not_settled")
    assert reply.body["details"] == {"status": status}


@pytest.mark.spec("Contract 3.1; States: refund")
def test_what_was_received_can_go_back(merchant: Merchant, api: ApiClient) -> None:
    """Also what came after everything went back."""
    for status in ("settled", "partially_filled", "expired", "failed", "cancelled"):
        intent = paid_intent(merchant, mode="test", status=status)
        assert ask(api, {"id": str(intent.pk)}, destination=PAYEE).status == 201, status
    intent = paid_intent(merchant, mode="test", status="refunded", refunded_usd=Decimal(20))
    assert ask(api, {"id": str(intent.pk)}, 5, destination=PAYEE).status == 201


def test_nothing_goes_back_while_more_is_in_flight(world: World, api: ApiClient) -> None:
    intent = settled(world, api, "late")
    assert intent["status"] == "expired"
    PaymentIntent.objects.get(pk=intent["id"]).legs.update(status="confirming")
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 409, "intent_not_settled")
    assert reply.body["details"] == {"status": "expired"}


@pytest.mark.spec("Contract 3.2; Rulings D2.1; Rulings D2.2; Errors: 409 and 422 of refunds and payouts")
def test_more_than_was_received(world: World, api: ApiClient, merchant: Merchant) -> None:
    """What waits is reserved; an exact remainder of six decimals goes."""
    intent = settled(world, api)
    body = b'{"intent_id":"%s","amount_usd":%s,"destination":"%s"}'
    for asked in ("25.01", "25.000001", "1000000"):
        raw = body % (intent["id"].encode(), asked.encode(), PAYEE.encode())
        reply = refused(api, raw, 422, "refund_exceeds_balance", Idempotency_Key="k")
        exact = json.loads(reply.raw, parse_float=str, parse_int=str)["details"]
        assert exact == {"requested_usd": asked if "." in asked else f"{asked}.00", "refundable_usd": "25.00"}
    first = refund(api, intent, 20)
    more = {"intent_id": intent["id"], "amount_usd": 5.01, "destination": PAYEE}
    reply = refused(api, more, 422, "refund_exceeds_balance")
    assert reply.body["details"] == {"requested_usd": 5.01, "refundable_usd": 5}
    assert api.post(f"/refunds/{first['id']}/cancel").status == 200
    assert refund(api, intent, 25)["amount_usd"] == 25
    refused(api, {"intent_id": intent["id"], "amount_usd": 0.01}, 422, "refund_exceeds_balance")
    coarse = paid_intent(merchant, mode="test", units=3, target_base_units=7, settlement_decimals=0)
    assert str(coarse.received_usd) == "10.714285"
    assert row(refund(api, {"id": str(coarse.pk)}, 10.714285)).base_units == 3


@pytest.mark.spec("Limits: rate limits (not shown)")
def test_five_a_second(settings: Settings, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    settings.RATE_LIMIT_SCALE = 1
    rate_limits.forget()
    assert [ask(api, intent, 1).status for _ in range(5)] == [201] * 5
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 429, "rate_limited")
    assert (reply.body["details"]["limit"], reply.body["details"]["window_seconds"]) == (5, 1)
    assert create(api)["status"] == "created"


DAY = 86_400


def body(intent: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"intent_id": intent["id"], "amount_usd": 10, "destination": PAYEE, "reason": "r"} | changes


def send(api: ApiClient, what: object, key: str = "refund 17") -> Reply:
    return api.post("/refunds", what, Idempotency_Key=key)


def apart_from_old_answers() -> Rows:
    """Every row but the answers that were kept for a day, which any request under their key may clear away."""
    return {table: rows for table, rows in all_rows().items() if table != IdempotencyRecord._meta.label}


@pytest.mark.spec("Rulings B13.3; Errors: 409 idempotency")
@pytest.mark.parametrize("days", [0, 1, 300])
def test_another_body_is_refused_for_ever(days: int, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    assert send(api, body(intent)).status == 201
    if days:
        advance(api, days * DAY)
    before = apart_from_old_answers()
    for changes in ({"amount_usd": 11}, {"reason": "s"}, {"destination": None}, {"intent_id": NOWHERE}):
        assert_refused(send(api, body(intent, **changes)), 409, "idempotency_key_reused")
        assert apart_from_old_answers() == before, changes


@pytest.mark.spec("Refunds; Rulings B13.3; Limits: idempotency replay window")
def test_a_repeat_gets_the_same_bytes_and_after_a_day_the_refund_as_it_is(world: World, api: ApiClient) -> None:
    """Also once nothing is left to refund: it is no new wish."""
    intent = settled(world, api)
    first = send(api, body(intent, amount_usd=25))
    work(world)
    before = all_rows()
    again = send(api, body(intent, amount_usd=25))
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (201, first.raw, "true")
    assert all_rows() == before
    advance(api, DAY)
    events = told(first.body)
    late = send(api, body(intent, amount_usd=25))
    assert (late.status, late.headers["Idempotent-Replayed"]) == (201, "true")
    assert late.body == shown(api, first.body)
    assert (first.body["status"], late.body["status"]) == ("pending", "paid")
    assert (Refund.objects.count(), told(first.body)) == (1, events)
    advance(api, 2 * DAY)
    assert send(api, body(intent, amount_usd=25)).body == late.body


@pytest.mark.spec("Limits: Idempotency-Key length")
def test_a_refusal_leaves_the_key_free(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    assert_refused(send(api, body(intent, amount_usd=26)), 422, "refund_exceeds_balance")
    for key in ("", "a" * 256, "schlüssel"):
        assert_refused(send(api, body(intent), key), 400, "idempotency_key_invalid")
    assert all_rows() == before
    assert send(api, body(intent)).status == 201
    assert send(api, body(intent), "k" * 255).status == 201


@pytest.mark.spec("Authentication 5: idempotency keys are scoped per merchant")
def test_keys_of_others_do_not_meet(world: World, api: ApiClient, other_api: ApiClient) -> None:
    """And without a key each wish is new."""
    made = [send(one, body(settled(world, one))) for one in (api, other_api)]
    assert [reply.status for reply in made] == [201, 201]
    advance(api, DAY)
    assert Refund.objects.values("idempotency_key").distinct().count() == 1
    assert made[0].body["id"] != made[1].body["id"]
    intent = settled(world, api)
    assert ask(api, intent, 10).body["id"] != ask(api, intent, 10).body["id"]
