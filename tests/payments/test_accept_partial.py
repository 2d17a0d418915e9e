"""POST /payment-intents/{id}/accept-partial: what arrived is taken as enough, or nothing changes."""

import json
from decimal import Decimal
from typing import Any

import pytest

from core.clock import now
from core.money import usd
from operations.invariants.credits import settled_means_paid
from operations.invariants.scope import Scope
from payments.models import Credit, IntentTransition, PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.arrivals import arrives, judged_anew
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, events, history, pay, read
from webhooks.models import Event


def accept(api: ApiClient, intent: dict[str, Any], **headers: str) -> Reply:
    return api.post(f"/payment-intents/{intent['id']}/accept-partial", **headers)


def net(intent: dict[str, Any]) -> Decimal | None:
    return PaymentIntent.objects.get(pk=intent["id"]).net_settlement_usd


def vanishes(intent: dict[str, Any], gone: Credit) -> None:
    with judged_anew(intent) as locked:
        locked.credits.filter(pk=gone.pk).update(reversed_at=now())


def refused(api: ApiClient, intent: dict[str, Any], status: str, reason: str) -> None:
    before = all_rows()
    reply = accept(api, intent)
    assert (reply.status, reply.body["code"]) == (409, "intent_not_acceptable")
    assert reply.body["details"] == {"status": status, "acceptable_from": ["partially_filled"], "reason": reason}
    assert all_rows() == before


@pytest.mark.spec("Contract 2.6")
def test_a_part_is_taken_as_enough(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    told = events(intent)
    assert (intent["amount_due"], intent["partially_funded"]) == ("10.00", True)
    reply = accept(api, intent)
    assert reply.status == 200
    changed = {name: value for name, value in reply.body.items() if value != intent[name]}
    assert changed.pop("settled_at").startswith("2026-05-04T12:00:0")
    ended = {"status": "settled", "settled_reason": "accepted_partial", "platform_fee_usd": "0.00"}
    assert changed == {**ended, "amount_due": "0.00", "partially_funded": False}
    assert net(intent) == usd("15")
    assert read(api, intent) == reply.body
    assert history(intent)[-2:] == ["partially_filled", "settled"]
    assert events(intent) == [*told, "settled"]
    last = IntentTransition.objects.get(subject_id=intent["id"], trigger="accept_partial")
    assert (last.actor[:4], last.reason, last.request_id) == ("key:", "accepted_partial", reply.headers["Request-Id"])
    payload = Event.objects.get(resource_id=intent["id"], type="payment_intent.settled").payload
    data = json.loads(payload)["data"]
    assert (data["status"], data["amount_received"], data["net_settlement_usd"]) == ("settled", "15.00", "15.00")
    assert list(settled_means_paid(Scope())) == []
    world.run(6)
    assert read(api, intent) == reply.body


@pytest.mark.parametrize("status", [status for status in STORIES if status not in {"executing", "partially_filled"}])
def test_nothing_else_can_be_accepted(world: World, api: ApiClient, status: str) -> None:
    refused(api, intent_in(world, api, status), status, "not_partially_filled")


def test_a_part_that_is_not_whole_yet_or_not_kept_is_not_accepted(
    world: World, api: ApiClient, other_api: ApiClient
) -> None:
    """The money that is not final yet is so little that the status stays, and still more than there was."""
    intent = intent_in(world, api, "partially_filled")
    before = all_rows()
    reply = accept(other_api, intent)
    assert (reply.status, reply.body["code"], all_rows()) == (404, "not_found", before)
    legs = PaymentIntent.objects.get(pk=intent["id"]).legs
    legs.update(status="in_doubt")
    refused(api, intent, "partially_filled", "on_its_way")
    legs.update(status="confirmed")
    unsure = arrives(intent, 500_000, final=False)
    refused(api, intent, "partially_filled", "on_its_way")
    vanishes(intent, unsure)
    body = {"intent_id": intent["id"], "amount_usd": 15}
    made = api.post("/refunds", body, Idempotency_Key="all of it")
    assert made.status == 201
    refused(api, intent, "partially_filled", "nothing_kept")
    assert api.post(f"/refunds/{made.body['id']}/cancel").status == 200
    pay(api, intent, "stuck")
    world.run(1)
    refused(api, intent, "executing", "not_partially_filled")


def test_what_stays_is_accepted_once(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    assert api.post("/refunds", {"intent_id": intent["id"], "amount_usd": 5}, Idempotency_Key="five").status == 201
    first = accept(api, intent, Idempotency_Key="k")
    shown = first.body
    assert (shown["status"], shown["amount_received"], net(intent)) == ("settled", "15.00", usd("10"))
    assert list(settled_means_paid(Scope())) == []
    again = accept(api, intent, Idempotency_Key="k")
    assert (first.status, again.status, again.body) == (200, 200, shown)
    refused(api, intent, "settled", "not_partially_filled")
    assert (history(intent).count("settled"), events(intent).count("settled")) == (1, 1)


def test_a_try_to_pay_the_rest_ends(world: World, api: ApiClient) -> None:
    """It was begun, and has no price yet: the payer is no longer asked for the rest."""
    intent = intent_in(world, api, "partially_filled")
    payer = Payer.of(intent)
    [token, *_] = payer.connect()
    wish = {"chain": token["chain"], "token_address": token["token_address"]}
    payer.act("quote", wish)
    attempts = PaymentIntent.objects.get(pk=intent["id"]).payment_attempts.order_by("number")
    assert list(attempts.values_list("status", flat=True)) == ["confirmed", "quoting"]
    assert accept(api, intent).status == 200
    assert list(attempts.values_list("status", flat=True)) == ["confirmed", "abandoned"]
    reply = payer.send("POST", "/quote", wish)
    assert (reply.status, reply.body["code"]) == (409, "intent_not_payable")


def test_what_comes_later_is_counted_and_told(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    accept(api, intent)
    told = events(intent)
    arrives(intent, 10_000_000)
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"], net(intent)) == ("settled", "25.00", usd("25"))
    assert (shown["overpaid_usd"], events(intent)) == ("0.00", [*told, "late_payment"])
    arrives(intent, 3_000_000)
    assert (read(api, intent)["overpaid_usd"], events(intent)) == ("3.00", [*told, "late_payment", "overpaid"])


def test_a_reorganisation_opens_it_again(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    five = arrives(intent, 5_000_000)
    assert (accept(api, intent).status, net(intent)) == (200, usd("20"))
    told = events(intent)
    vanishes(intent, five)
    shown = read(api, intent)
    assert (shown["status"], shown["settled_reason"], shown["settled_at"]) == ("executing", None, None)
    assert (shown["amount_received"], shown["amount_due"], shown["partially_funded"]) == ("15.00", "10.00", True)
    with judged_anew(intent):
        pass
    assert read(api, intent)["status"] == "partially_filled"
    assert events(intent) == [*told, "settlement_reversed", "partially_filled"]
    again = accept(api, intent).body
    assert (again["status"], again["settled_reason"], again["amount_due"]) == ("settled", "accepted_partial", "0.00")
    assert net(intent) == usd("15")
    assert events(intent) == [*told, "settlement_reversed", "partially_filled", "settlement_restored"]
    assert list(settled_means_paid(Scope())) == []
