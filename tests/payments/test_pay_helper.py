"""POST /test-helpers/payment-intents/{id}/pay: every scenario of the contract, through the workers."""

import json
from typing import Any

import pytest

from chains.models import SimulatedTransaction
from payments.models import Credit, PaymentIntent
from payments.scenarios import scenarios
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.outcomes import OUTCOMES, SETTLED, expected_figures, shown
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, advance, create, events, history, pay, read
from webhooks.models import Event

TRIGGER = "/test-helpers/events/trigger"


def legs(api: ApiClient, intent: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    return found


@pytest.mark.spec("Contract 18.1")
def test_the_outcomes_cover_the_scenarios() -> None:
    assert set(OUTCOMES) == set(scenarios())
    for name, scenario in scenarios().items():
        finally_ends = "settled" if name in {"in_doubt", "stuck"} else OUTCOMES[name].status
        assert scenario.outcome == finally_ends, name


AFTERWARDS = {
    **{"payout_retry": "paid", "payout_fail": "failed", "payout_unknown": "paid"},
    **{"refund_retry": "paid", "refund_fail": "failed", "refund_unknown": "paid"},
}
"""As the tests of payouts and of refunds play them."""


def test_the_list_of_scenarios_names_what_each_is_about_and_how_that_ends(api: ApiClient, live_api: ApiClient) -> None:
    reply = api.get("/test-helpers/scenarios")
    assert (reply.status, reply.body["has_more"], reply.body["next_cursor"]) == (200, False, None)
    rows = {row["name"]: row for row in reply.body["data"]}
    assert list(rows) == list(scenarios())
    assert rows["partial"] == {
        **{"name": "partial", "about": "Only 60 % arrives"},
        **{"applies_to": "payment_intent", "ends_in": "partially_filled"},
    }
    after = {name: row["ends_in"] for name, row in rows.items() if row["applies_to"] != "payment_intent"}
    assert after == AFTERWARDS
    assert all(name.startswith(f"{rows[name]['applies_to']}_") for name in after)
    assert live_api.get("/test-helpers/scenarios").status == 404


@pytest.mark.spec("Contract 2.4; Contract 8.1; Contract 18.1")
@pytest.mark.spec("Events: payment_intent.failed; States: into failed, expired, refunded (not shown)")
@pytest.mark.spec("Test mode: webhooks, retries and error paths can be exercised")
@pytest.mark.parametrize(
    ("name", "asked_by"),
    [*((name, "helper") for name in OUTCOMES), *((name, "metadata") for name in ("partial", "fail_route"))],
)
def test_every_scenario(world: World, api: ApiClient, name: str, asked_by: str) -> None:
    intent = create(api, metadata={"simulate": name if asked_by == "metadata" else "settle"})
    reply = pay(api, intent, name if asked_by == "helper" else None)
    assert (reply.status, reply.body["id"], reply.body["status"]) == (200, intent["id"], "requires_payment")
    world.run(10)
    outcome, now = OUTCOMES[name], read(api, intent)
    if name in {"fail_route", "empty"}:
        assert now["last_error"]["code"] == "route_unavailable"
        candidates = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
        assert candidates
        assert all(candidate["error"] and not candidate["chosen"] for candidate in candidates)
        now["last_error"] = None
    assert shown(now) == expected_figures(outcome)
    assert history(intent) == outcome.statuses
    assert events(intent) == outcome.told
    parts = 3 if name == "split" else 1
    assert [leg["status"] for leg in legs(api, intent)] == ([outcome.leg] * parts if outcome.leg else [])
    assert (now["settled_at"] is not None) is (outcome.status == "settled")


def test_without_a_scenario_it_settles(world: World, api: ApiClient) -> None:
    unheard: list[dict[str, Any]] = [{}, {"simulate": "no such thing"}, {"simulate": 7}, {"simulate": ["fail"]}]
    intents = [create(api) for _ in unheard]
    for intent, metadata in zip(intents, unheard, strict=True):
        PaymentIntent.objects.filter(pk=intent["id"]).update(metadata=metadata)  # of before they were refused
        assert api.post(f"/test-helpers/payment-intents/pi_{intent['id']}/pay").status == 200
    world.run(4)
    assert [shown(read(api, intent)) for intent in intents] == [expected_figures(SETTLED)] * len(unheard)


@pytest.mark.spec("Contract 2.5; PaymentIntent status: partially_filled, topped up")
def test_parts_add_up_and_a_try_that_fails_takes_nothing_away(world: World, api: ApiClient) -> None:
    """60 % of what is missing arrives each time: 15, 6, 2.40, and the rest."""
    intent = create(api)
    due = []
    for _ in range(3):
        pay(api, intent, "partial")
        world.run(4)
        due.append(read(api, intent)["amount_due"])
    assert due == ["10.00", "4.00", "1.60"]
    told = events(intent)
    pay(api, intent, "fail_execution")
    world.run(4)
    now = read(api, intent)
    assert (now["status"], now["amount_received"]) == ("partially_filled", "23.40")
    assert now["last_error"]["code"] == "execution_failed"
    assert events(intent) == [*told, "quoted", "executing"]
    pay(api, intent)
    world.run(4)
    assert shown(read(api, intent)) == expected_figures(SETTLED)
    assert history(intent)[-4:] == ["quoted", "awaiting_signature", "executing", "settled"]
    assert events(intent) == [*told, *("quoted", "executing") * 2, "settled"]
    amounts = [(leg["amount"], leg["to_amount"]) for leg in legs(api, intent) if leg["status"] == "confirmed"]
    assert amounts == [("25", "15"), ("10", "6"), ("4", "2.4"), ("1.6", "1.6")]


def test_after_a_failure_one_may_pay_again(world: World, api: ApiClient) -> None:
    intents = {name: create(api) for name in ("fail_execution", "bridge_refund", "fail_route")}
    for name, intent in intents.items():
        pay(api, intent, name)
    world.run(4)
    assert [pay(api, intent).status for intent in intents.values()] == [200, 200, 200]
    world.run(4)
    assert [shown(read(api, intent)) for intent in intents.values()] == [expected_figures(SETTLED)] * len(intents)


@pytest.mark.spec("Contract 2.14; Contract 2.15; In doubt: no second plan, no pay again")
def test_in_doubt_until_the_truth_arrives(world: World, api: ApiClient) -> None:
    """And an intent in doubt does not expire meanwhile."""
    intent, short = create(api), create(api, expires_in_seconds=60)
    assert [pay(api, one, "in_doubt").status for one in (intent, short)] == [200, 200]
    world.run(4)
    for _ in range(2):
        before = all_rows()
        refused = pay(api, intent)
        assert (refused.status, refused.body["code"]) == (409, "intent_not_payable")
        assert refused.body["details"] == {"status": "executing"}
        assert all_rows() == before
        advance(api, 290)
        world.run(1)
        assert [(read(api, one)["status"], read(api, one)["in_doubt"]) for one in (intent, short)] == [
            ("executing", True),
            ("executing", True),
        ]
    advance(api, 60)
    world.run(3)
    now = read(api, intent)
    assert shown(now) == expected_figures(SETTLED)
    assert now["expires_at"] == intent["expires_at"]
    assert history(intent) == SETTLED.statuses
    assert events(intent) == SETTLED.told


@pytest.mark.spec("Rulings A2.1; Rulings C10.1; payment_intent.settled fires once")
def test_a_reorganisation_shows_no_settled_before_the_end(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent, "reorg")
    seen = set()
    for _ in range(24):
        world.run(0.5)
        now = read(api, intent)
        seen.add((now["status"], now["amount_received"], Credit.objects.filter(reversed_at__isnull=False).count()))
        if now["status"] == "settled":
            break
    assert {("executing", "0.00", 0), ("executing", "0.00", 1), ("settled", "25.00", 0)} <= seen
    assert {status for status, _, _ in seen} <= {"requires_payment", "awaiting_signature", "executing", "settled"}
    assert events(intent).count("settled") == 1


@pytest.mark.spec("Late money: stays expired, late_payment, refundable")
def test_late_money_is_recorded(world: World, api: ApiClient) -> None:
    intent = create(api, metadata={"order": 17})
    pay(api, intent, "late")
    world.run(6)
    assert read(api, intent)["status"] == "expired"
    credit = Credit.objects.get()
    assert (credit.late, credit.base_units, credit.reversed_at) == (True, 25_000_000, None)
    told = json.loads(Event.objects.get(type="payment_intent.late_payment").payload)["data"]
    assert told == {
        **{name: intent[name] for name in ("id", "amount", "currency", "settlement_chain", "settlement_token", "mode")},
        **{"status": "expired", "amount_received": "25.00", "amount_due": "0.00", "partially_funded": False},
        **{"metadata": {"order": 17}, "reference": None, "failure_reason": None, "settled_at": None},
    }


@pytest.mark.spec("Contract 7.2")
def test_any_settlement_and_any_amount_can_be_paid(world: World, api: ApiClient) -> None:
    pairs = [("base", "CHEESE"), ("solana", "ETH"), ("bnb", "USDC"), ("moon", "USDC"), ("moon", "CHEESE")]
    names = ("settlement_chain", "settlement_token", "settlement_address")
    asked: list[dict[str, Any]] = [dict(zip(names, (*pair, ANNS_EVM), strict=True)) for pair in pairs]
    asked += [{"amount": one} for one in (0.01, 0.5, 1000000)]
    intents = [create(api, **fields) for fields in asked]
    assert {pay(api, intent).status for intent in intents} == {200}
    world.run(8)
    told = [read(api, intent) for intent in intents]
    ends = [(now["status"], now["amount_due"], now["overpaid_usd"]) for now in told]
    assert ends == [("settled", "0.00", "0.00")] * len(intents)
    assert [now["amount_received"] for now in told[-3:]] == ["0.01", "0.50", "1000000.00"]


@pytest.mark.spec("Contract 18.4; Test helpers: paying an intent that cannot be paid is 409 intent_not_payable")
@pytest.mark.parametrize(
    "status", ["awaiting_signature", "executing", "settled", "failed", "expired", "cancelled", "refunded", "time is up"]
)
def test_statuses_that_cannot_be_paid(world: World, api: ApiClient, status: str) -> None:
    """Nor an intent whose time is up before a worker noticed."""
    intent = create(api) if status == "time is up" else intent_in(world, api, status)
    if status == "time is up":
        world.wait(1800)
        status = "expired"
    before = all_rows()
    reply = pay(api, intent)
    assert (reply.status, reply.body["code"], reply.body["details"]) == (409, "intent_not_payable", {"status": status})
    assert all_rows() == before


def test_the_helper_takes_over_from_a_person(world: World, api: ApiClient) -> None:
    intents = {status: intent_in(world, api, status) for status in ("requires_payment", "quoted")}
    payer = Payer.of(intents["quoted"])
    attempt = payer.state()["attempt"]
    assert [pay(api, intent).status for intent in intents.values()] == [200, 200]
    world.run(4)
    assert [read(api, intent)["status"] for intent in intents.values()] == ["settled", "settled"]
    refused = payer.send("POST", "/start", {"attempt_id": attempt["id"]})
    assert (refused.status, refused.body["code"]) == (409, "intent_not_payable")


def test_two_payments_at_once_are_one(world: World, api: ApiClient) -> None:
    intent = create(api)
    path = f"/test-helpers/payment-intents/{intent['id']}/pay"
    first = api.post(path, {"scenario": "settle"}, Idempotency_Key="k")
    again = api.post(path, {"scenario": "settle"}, Idempotency_Key="k")
    assert (first.status, again.raw, again.headers["Idempotent-Replayed"]) == (200, first.raw, "true")
    assert PaymentIntent.objects.get().payment_attempts.count() == 1
    before = all_rows()
    assert (pay(api, intent).status, all_rows()) == (409, before)
    world.run(4)
    assert (SimulatedTransaction.objects.count(), Credit.objects.count()) == (1, 1)


@pytest.mark.spec("Contract 18.3; Test helpers: 404 for live keys; Test mode")
def test_live_keys_find_no_helpers_and_nobody_an_intent_of_others(
    api: ApiClient, other_api: ApiClient, live_api: ApiClient
) -> None:
    mine, live = create(api), create(live_api, settlement_chain="base", settlement_address=ANNS_EVM)
    at = f"/test-helpers/payment-intents/{mine['id']}/pay"
    before = all_rows()
    for path, body in ((at, {}), ("/test-helpers/clock/advance", {"seconds": 60}), (TRIGGER, {"type": "ping"})):
        reply = live_api.post(path, body)
        assert (reply.status, reply.body["code"], reply.body["details"]) == (404, "not_found", {"resource": "path"})
    unknown = [(api, {"id": name}) for name in ("x", "5b1f6bb8-43bc-4e6e-9d3a-000000000000")]
    for caller, intent in (*unknown, (other_api, mine), (api, live)):
        reply = pay(caller, intent)
        assert (reply.status, reply.body["details"]) == (404, {"resource": "payment_intent"})
    assert all_rows() == before


def test_bodies_that_are_refused(api: ApiClient) -> None:
    at = f"/test-helpers/payment-intents/{create(api)['id']}/pay"
    before = all_rows()
    no_objects: tuple[object, ...] = ([], "text", 1)
    rows: list[tuple[str, dict[str, Any], tuple[str, str]]] = [
        (at, {"scenario": "win"}, ("scenario", "unknown_value")),
        (at, {"scenario": ""}, ("scenario", "format")),
        (at, {"scenario": 1}, ("scenario", "type")),
        (at, {"scenarios": "settle"}, ("scenarios", "unknown_field")),
        *((TRIGGER, {"type": "ping", "data": data}, ("data", "type")) for data in no_objects),
    ]
    for path, body, problem in rows:
        reply = api.post(path, body)
        assert (reply.status, reply.body["code"]) == (400, "invalid_request")
        assert [(one["field"], one["code"]) for one in reply.body["details"]["fields"]] == [problem]
    reply = api.post(TRIGGER, {"type": "payment_intent.vanished"})
    assert (reply.status, reply.body["code"]) == (400, "unknown_event_type")
    assert reply.body["details"]["unknown"] == ["payment_intent.vanished"]
    assert all_rows() == before


@pytest.mark.spec("Contract 18.7; Events")
def test_a_sample_of_the_type_is_written_with_the_chosen_data(api: ApiClient) -> None:
    reply = api.post(TRIGGER, {"type": "payment_intent.settled", "data": {"reference": "order-7"}})
    event = Event.objects.get()
    assert (reply.status, reply.body) == (200, {"id": event.pk, "type": "payment_intent.settled"})
    assert '"reference":"order-7"' in event.payload
