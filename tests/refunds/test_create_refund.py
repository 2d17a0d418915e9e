"""POST /refunds: what is taken, what is refused, and that a refusal leaves nothing behind."""

import json
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from chains.models import SimulatedTransaction, Transfer
from core.rate_limits import buckets
from merchants.models import Merchant
from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import ANNS_SOLANA
from tests.factories.refunds import USDC_ON_BASE, paid_intent
from tests.factories.rows import all_rows
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create
from tests.refunds.stories import NOWHERE, PAYEE, ask, last_event, refund, row, settled, steps, told

RECORD = (
    *("id", "payment_intent_id", "amount_usd", "chain", "token", "destination", "reason", "status", "tx_hash"),
    *("created_at", "paid_at", "failure_reason", "attempts", "updated_at", "suggested_destination", "payers"),
)
LOWER_CASE = PAYEE.lower()
SIMULATED_PAYER = "0x7e57000000000000000000000000000000000a11"


def refused(api: ApiClient, body: object, status: int, code: str, **headers: str) -> Reply:
    """Send it, and see that it is refused so and that no row of any table changed: nothing is sent, nothing is told."""
    before = all_rows()
    reply = api.post("/refunds", body, **headers)
    assert_refused(reply, status, code)
    assert all_rows() == before
    return reply


@pytest.mark.spec("Contract 3.4")
@pytest.mark.spec("Refunds")
@pytest.mark.spec("Refund")
def test_with_a_destination(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    reply = ask(api, intent, 10.5, destination=PAYEE, reason="wrong size")
    assert reply.status == 201
    assert tuple(reply.body) == RECORD
    assert reply.body == {
        "id": reply.body["id"],
        "payment_intent_id": intent["id"],
        "amount_usd": 10.5,
        "chain": "base",
        "token": "USDC",
        "destination": PAYEE,
        "reason": "wrong size",
        "status": "pending",
        "tx_hash": None,
        "created_at": "2026-05-04T12:00:04.000Z",
        "paid_at": None,
        "failure_reason": None,
        "attempts": 0,
        "updated_at": "2026-05-04T12:00:04.000Z",
        "suggested_destination": None,
        "payers": None,
    }
    assert b'"amount_usd":10.50,' in reply.raw
    assert (steps(reply.body), told(reply.body)) == (["waiting", "queued"], ["created"])
    assert row(reply.body).base_units == 10_500_000
    assert row(reply.body).history.get(trigger="create").actor.startswith("key:")


@pytest.mark.spec("Contract 0.4; Contract 3.12")
@pytest.mark.spec("States: refund")
@pytest.mark.spec("Refunds")
def test_without_a_destination_it_waits(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent)
    assert (made["status"], made["failure_reason"]) == ("pending", "missing_destination")
    assert (made["destination"], made["reason"]) == ("", "")
    assert made["suggested_destination"].lower() == SIMULATED_PAYER
    assert told(made) == ["created", "missing_destination"]
    assert row(made).next_attempt_at is None
    assert (Transfer.objects.count(), SimulatedTransaction.objects.filter(tag__startswith="refund").count()) == (0, 0)


@pytest.mark.spec("Contract 10.5")
@pytest.mark.spec("Refund")
def test_events_carry_only_the_tail_of_the_destination(world: World, api: ApiClient) -> None:
    made = refund(api, settled(world, api), 7, destination=PAYEE, reason="r")
    envelope = last_event(made)
    assert (envelope["type"], envelope["resource"]) == ("refund.created", {"type": "refund", "id": made["id"]})
    shown = {name: made[name] for name in RECORD if name not in {"destination", "suggested_destination", "payers"}}
    assert envelope["data"] == shown | {"destination_tail": "…169EE7"}
    assert PAYEE not in json.dumps(envelope)


@pytest.mark.parametrize("written", ["pi_{}", "{}", "PLAIN"])
def test_forms_of_the_id(written: str, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    form = intent["id"].replace("-", "").upper() if written == "PLAIN" else written.format(intent["id"])
    reply = api.post("/refunds", {"intent_id": form, "amount_usd": 1, "destination": None, "reason": None})
    assert (reply.status, reply.body["payment_intent_id"]) == (201, intent["id"])


@pytest.mark.spec("Contract 21.6")
@pytest.mark.spec("Refunds")
@pytest.mark.parametrize(
    ("changes", "field", "why"),
    [
        pytest.param({"intent_id": None}, "intent_id", "type", id="no intent"),
        pytest.param({"intent_id": 7}, "intent_id", "type", id="a number for the intent"),
        pytest.param({"intent_id": "nonsense"}, "intent_id", "format", id="nonsense for the intent"),
        pytest.param({"intent_id": ""}, "intent_id", "format", id="an empty intent"),
        pytest.param({"amount_usd": None}, "amount_usd", "type", id="null for the amount"),
        pytest.param({"amount_usd": "10"}, "amount_usd", "type", id="a text for the amount"),
        pytest.param({"amount_usd": True}, "amount_usd", "type", id="true for the amount"),
        pytest.param({"amount_usd": 0}, "amount_usd", "out_of_range", id="nothing"),
        pytest.param({"amount_usd": -1}, "amount_usd", "out_of_range", id="less than nothing"),
        pytest.param({"amount_usd": 1_000_000_001}, "amount_usd", "out_of_range", id="more than there is"),
        pytest.param({"destination": 7}, "destination", "type", id="a number for the destination"),
        pytest.param({"destination": ""}, "destination", "format", id="an empty destination"),
        pytest.param({"destination": "0x" + "1" * 200}, "destination", "too_long", id="a long destination"),
        pytest.param({"reason": 7}, "reason", "type", id="a number for the reason"),
        pytest.param(
            {"reason": "x" * 281},
            "reason",
            "too_long",
            id="a long reason",
            marks=pytest.mark.spec("Limits: refund reason length"),
        ),
        pytest.param({"currency": "USD"}, "currency", "unknown_field", id="an unknown field"),
    ],
)
def test_a_field_that_is_refused(
    changes: dict[str, Any], field: str, why: str, merchant: Merchant, api: ApiClient
) -> None:
    body = {"intent_id": str(paid_intent(merchant, mode="test").pk), "amount_usd": 10, "destination": PAYEE}
    reply = refused(api, body | changes, 400, "invalid_request", Idempotency_Key="k")
    assert [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]] == [(field, why)]


@pytest.mark.parametrize("missing", ["intent_id", "amount_usd"])
def test_a_field_that_is_missing(missing: str, merchant: Merchant, api: ApiClient) -> None:
    body: dict[str, Any] = {"intent_id": str(paid_intent(merchant, mode="test").pk), "amount_usd": 10}
    del body[missing]
    [problem] = refused(api, body, 400, "invalid_request").body["details"]["fields"]
    assert (problem["field"], problem["code"]) == (missing, "required")


def test_seven_decimals_are_too_many(merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test")
    for text in (b"1.0000001", b"0.0000011"):
        body = b'{"intent_id":"%s","amount_usd":%s}' % (str(intent.pk).encode(), text)
        [problem] = refused(api, body, 400, "invalid_request").body["details"]["fields"]
        assert (problem["field"], problem["code"]) == ("amount_usd", "precision")


@pytest.mark.spec("Contract 12.2")
@pytest.mark.spec("Limits: refund reason length")
def test_the_longest_reason_is_taken_as_it_is(world: World, api: ApiClient) -> None:
    reason = " " + "é" * 278 + " "
    assert refund(api, settled(world, api), reason=reason)["reason"] == reason


BAD_ON_BASE = [
    pytest.param("nobody", "format", id="no address"),
    pytest.param(ANNS_SOLANA, "format", id="a Solana address"),
    pytest.param(PAYEE.replace("E41", "e41"), "checksum", id="a wrong checksum"),
    pytest.param("0x" + "0" * 40, "reserved", id="the zero address"),
    pytest.param("0x000000000000000000000000000000000000dEaD", "reserved", id="the dead address"),
    pytest.param(USDC_ON_BASE, "token", id="a token"),
    pytest.param("0x000000000022D473030F116dDEE9F6B43aC78BA3", "contract", id="a public contract"),
]
BAD_ON_SOLANA = [
    pytest.param(PAYEE, "format", id="an EVM address"),
    pytest.param("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "program", id="a program"),
    pytest.param("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "token", id="a mint"),
]


@pytest.mark.spec("Contract 3.10")
@pytest.mark.spec("Refunds")
@pytest.mark.parametrize("mode", ["test", "live"])
@pytest.mark.parametrize(("destination", "why"), BAD_ON_BASE)
def test_a_destination_that_cannot_receive(
    destination: str, why: str, mode: str, merchant: Merchant, api: ApiClient, live_api: ApiClient
) -> None:
    intent = paid_intent(merchant, mode=mode)
    body = {"intent_id": str(intent.pk), "amount_usd": 10, "destination": destination}
    details = refused(api if mode == "test" else live_api, body, 400, "invalid_request").body["details"]
    assert [(problem["field"], problem["code"]) for problem in details["fields"]] == [("destination", "format")]
    assert (details["chain"], details["chain_family"], details["reason"]) == ("base", "evm", why)


@pytest.mark.spec("Contract 3.10")
@pytest.mark.parametrize(("destination", "why"), BAD_ON_SOLANA)
def test_a_destination_that_cannot_receive_on_solana(
    destination: str, why: str, merchant: Merchant, api: ApiClient
) -> None:
    intent = paid_intent(merchant, mode="test", settlement_chain="solana", settlement_address=ANNS_SOLANA)
    body = {"intent_id": str(intent.pk), "amount_usd": 10, "destination": destination}
    assert refused(api, body, 400, "invalid_request").body["details"]["reason"] == why
    assert refund(api, {"id": str(intent.pk)}, destination=ANNS_SOLANA)["destination"] == ANNS_SOLANA


def test_one_spelling_is_stored(world: World, api: ApiClient) -> None:
    assert refund(api, settled(world, api), destination=LOWER_CASE)["destination"] == PAYEE


@pytest.mark.spec("Contract 21.6")
@pytest.mark.spec("Test mode: any settlement")
@pytest.mark.parametrize("destination", ["a", "x" * 128, "0xnonsense"])
def test_a_chain_that_only_test_mode_knows_takes_any_text(destination: str, world: World, api: ApiClient) -> None:
    intent = settled(world, api, settlement_chain="mars", settlement_token="ROCK", settlement_address="crater")
    made = refund(api, intent, destination=destination)
    assert (made["chain"], made["token"], made["destination"]) == ("mars", "ROCK", destination)


@pytest.mark.spec("Contract 21.6")
@pytest.mark.spec("Errors: 404")
@pytest.mark.parametrize("whose", ["nobody's", "another merchant's", "the other mode's"])
def test_an_intent_that_is_not_the_caller_s(
    whose: str, world: World, api: ApiClient, other_api: ApiClient, live_api: ApiClient
) -> None:
    caller = {"another merchant's": other_api, "the other mode's": live_api}.get(whose, api)
    intent_id = NOWHERE if whose == "nobody's" else settled(world, api)["id"]
    body = {"intent_id": intent_id, "amount_usd": 10, "destination": "nonsense"}
    reply = refused(caller, body, 404, "not_found", Idempotency_Key="k")
    assert reply.body["details"] == {"resource": "payment_intent"}


NOT_REFUNDABLE = [status for status in STORIES if status not in {"settled", "partially_filled"}]


@pytest.mark.spec("Contract 3.1")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.spec("States: refund")
@pytest.mark.parametrize("status", NOT_REFUNDABLE)
def test_an_intent_of_which_nothing_can_go_back(status: str, world: World, api: ApiClient) -> None:
    """Nothing arrived, or something is under way, or everything went back already."""
    intent = intent_in(world, api, status)
    if status == "refunded":
        PaymentIntent.objects.filter(pk=intent["id"]).update(refunded_usd=Decimal(25))
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 409, "intent_not_settled")
    assert reply.body["details"] == {"status": status}


@pytest.mark.spec("Contract 3.1")
@pytest.mark.spec("States: refund")
@pytest.mark.parametrize("status", ["settled", "partially_filled", "expired", "failed", "cancelled"])
def test_what_was_received_can_go_back(status: str, merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test", status=status)
    assert ask(api, {"id": str(intent.pk)}, destination=PAYEE).status == 201


def test_nothing_goes_back_while_more_is_in_flight(world: World, api: ApiClient) -> None:
    intent = settled(world, api, "late")
    assert intent["status"] == "expired"
    PaymentIntent.objects.get(pk=intent["id"]).legs.update(status="confirming")
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 409, "intent_not_settled")
    assert reply.body["details"] == {"status": "expired"}


def test_what_came_after_everything_went_back_can_go_back_too(merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test", status="refunded", refunded_usd=Decimal(20))
    assert ask(api, {"id": str(intent.pk)}, 5, destination=PAYEE).status == 201


@pytest.mark.spec("Contract 3.2")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize(("asked", "refundable"), [("25.01", "25.00"), ("25.000001", "25.00"), ("1000000", "25.00")])
def test_more_than_was_received(asked: str, refundable: str, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    body = b'{"intent_id":"%s","amount_usd":%s,"destination":"%s"}'
    raw = body % (intent["id"].encode(), asked.encode(), PAYEE.encode())
    reply = refused(api, raw, 422, "refund_exceeds_balance", Idempotency_Key="k")
    exact = json.loads(reply.raw, parse_float=str, parse_int=str)["details"]
    assert exact == {"requested_usd": asked if "." in asked else f"{asked}.00", "refundable_usd": refundable}


@pytest.mark.spec("Rulings D2.2; Contract 3.2")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
def test_what_waits_is_reserved(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    first = refund(api, intent, 20)
    body = {"intent_id": intent["id"], "amount_usd": 5.01, "destination": PAYEE}
    reply = refused(api, body, 422, "refund_exceeds_balance")
    assert reply.body["details"] == {"requested_usd": 5.01, "refundable_usd": 5}
    assert api.post(f"/refunds/{first['id']}/cancel").status == 200
    assert refund(api, intent, 25)["amount_usd"] == 25
    refused(api, {"intent_id": intent["id"], "amount_usd": 0.01}, 422, "refund_exceeds_balance")


@pytest.mark.spec("Rulings D2.1")
def test_an_exact_remainder_of_six_decimals(merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test", units=3, target_base_units=7, settlement_decimals=0)
    assert str(intent.received_usd) == "10.714285"
    made = refund(api, {"id": str(intent.pk)}, 10.714285)
    assert row(made).base_units == 3


def test_less_than_the_smallest_unit_is_refused(merchant: Merchant, api: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test", units=2, target_base_units=2, settlement_decimals=0)
    body = {"intent_id": str(intent.pk), "amount_usd": 12.49}
    [problem] = refused(api, body, 400, "invalid_request").body["details"]["fields"]
    assert (problem["field"], problem["code"]) == ("amount_usd", "precision")
    assert [row(refund(api, {"id": str(intent.pk)}, 12.5)).base_units for _ in range(2)] == [1, 1]


@pytest.mark.spec("Limits: rate limits (not shown)")
def test_five_a_second(settings: Settings, world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    settings.RATE_LIMIT_SCALE = 1
    buckets.cache_clear()
    assert [ask(api, intent, 1).status for _ in range(5)] == [201] * 5
    reply = refused(api, {"intent_id": intent["id"], "amount_usd": 1}, 429, "rate_limited")
    assert (reply.body["details"]["limit"], reply.body["details"]["window_seconds"]) == (5, 1)
    assert create(api)["status"] == "created"
