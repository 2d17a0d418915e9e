"""A payment is exported as a scenario file and played again in test mode: it ends as it did, or says where not."""

from typing import Any

import pytest

from chains.models import EventOwner, SimulatedTransaction
from core.locks import Turn
from ledger.models import Posting
from payments.models import Credit, Leg, PaymentIntent, PaymentPolicy, QueuedIntent
from payments.scenarios import scenarios
from tests.conftest import ApiClient
from tests.payments.world import World, advance, create, history, pay, read
from tests.theatre.files import ARRIVAL, LAPSED, one_try
from theatre.models import Replay
from theatre.services import sweep_due
from webhooks.models import Event

pytestmark = pytest.mark.django_db
REPLAYS = "/test-helpers/scenarios/replays"
PLAYED = [name for name, one in scenarios().items() if one.for_payers]
CLOCKS = {"in_doubt": 700, "stuck": 3700, "wrong_network": 700, "account_changed": 700, "quote_expired": 90}
"""How far the test clock goes on, so that what takes long comes to its end."""


def file_of(api: ApiClient, intent: dict[str, Any]) -> dict[str, Any]:
    reply = api.get(f"/payment-intents/{intent['id']}/scenario")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def replayed(api: ApiClient, scenario: dict[str, Any], name: str = "") -> dict[str, Any]:
    """What became of a replay that was asked for through the door, once a worker had played it."""
    asked = api.post(REPLAYS, {"scenario": scenario, "name": name})
    assert (asked.status, asked.body["verdict"]) == (201, None), asked.body
    sweep_due()
    reply = api.get(f"{REPLAYS}/{asked.body['id']}")
    assert reply.status == 200
    body: dict[str, Any] = reply.body
    return body


def lived(world: World, api: ApiClient, name: str) -> dict[str, Any]:
    """A payment that went through a scenario of test mode."""
    intent = create(api, reference="A-17")
    assert pay(api, intent, name).status == 200
    world.run(10)
    if name in CLOCKS:
        advance(api, CLOCKS[name])
        world.run(10)
    return read(api, intent)


@pytest.mark.parametrize("name", PLAYED)
def test_every_scenario_of_test_mode_is_told_and_comes_to_the_same_end(world: World, api: ApiClient, name: str) -> None:
    intent = lived(world, api, name)
    scenario = file_of(api, intent)
    assert (scenario["end"]["status"], scenario["mode"]) == (intent["status"], "test")
    assert [line["to_status"] for line in scenario["history"]] == history(intent)
    replay = replayed(api, scenario)
    assert (replay["verdict"], replay["differences"], replay["problem"]) == ("same", [], "")
    assert (replay["steps"][0]["at_ms"], replay["steps"][-1]["status"]) == (0, intent["status"])


def test_a_changed_end_is_named(world: World, api: ApiClient) -> None:
    scenario = file_of(api, lived(world, api, "partial"))
    assert scenario["end"]["received_usd"] == "15.00"
    scenario["end"] |= {"status": "settled", "received_usd": "25.00"}
    replay = replayed(api, scenario, "short.json")
    assert (replay["verdict"], replay["name"]) == ("differs", "short.json")
    assert replay["differences"] == [
        {"field": "status", "expected": "settled", "came": "partially_filled"},
        {"field": "received_usd", "expected": "25.00", "came": "15.00"},
    ]


def test_what_a_chain_shows_decides_not_what_the_file_says_of_the_end(world: World, api: ApiClient) -> None:
    scenario = file_of(api, lived(world, api, "settle"))
    arrival = scenario["tries"][0]["legs"][0]["arrivals"][0]
    arrival["base_units"] = "10000000"
    replay = replayed(api, scenario)
    came = {one["field"]: one["came"] for one in replay["differences"]}
    assert came == {"status": "partially_filled", "received_usd": "10.00", "legs.1.base_units": "10000000"}


@pytest.mark.parametrize(
    ("leg", "end", "leg_end", "story"),
    [
        (
            {"arrivals": [ARRIVAL | {"final_ms": 90000, "gone_ms": 40000}]},
            {"status": "executing"},
            {"status": "confirming", "base_units": None},
            {},
        ),
        (
            {"arrivals": [ARRIVAL | {"final_ms": 90000, "gone_ms": 40000, "back_ms": 60000}]},
            {"status": "settled", "received_usd": "25.00"},
            {"status": "confirmed", "base_units": "25000000"},
            {},
        ),
        (
            {"chain": "polygon", "kind": "bridge", "provider": "lifi", "failed_ms": 400000, "failed_as": "unfilled"},
            {"status": "requires_payment", "last_error": "bridge_unfilled"},
            {"status": "failed", "base_units": None},
            {},
        ),
        (
            {"failed_ms": 20000, "failed_as": "replaced"},
            {"status": "requires_payment", "last_error": "execution_failed"},
            {"status": "failed", "base_units": None},
            {},
        ),
        (
            {"arrivals": [ARRIVAL | {"base_units": "24900000"}]},
            {"status": "settled", "received_usd": "24.90", "settled_reason": "accepted_partial"},
            {"status": "confirmed", "base_units": "24900000"},
            {"acts": [{"at_ms": 60000, "what": "accepted"}]},
        ),
        (
            {
                "chain": "polygon",
                "kind": "bridge",
                "provider": "lifi",
                "arrivals": [ARRIVAL | {"base_units": "24900000"}],
            },
            {"status": "settled", "received_usd": "24.90"},
            {"status": "confirmed", "base_units": "24900000"},
            {},
        ),
        (
            {"sent_ms": None, "included_ms": None},
            {"status": "cancelled"},
            {"status": "failed", "base_units": None},
            {"acts": [{"at_ms": 60000, "what": "cancelled"}]},
        ),
    ],
    ids=["reorganised", "and back", "unfilled", "replaced", "accepted", "tolerated", "cancelled"],
)
def test_what_only_live_payments_meet(
    api: ApiClient, leg: dict[str, Any], end: dict[str, Any], leg_end: dict[str, Any], story: dict[str, Any]
) -> None:
    replay = replayed(api, one_try(leg, end, leg_end, **story))
    assert (replay["differences"], replay["problem"], replay["verdict"]) == ([], "", "same")


def test_a_settlement_that_is_taken_back_is_told_at_its_moment(api: ApiClient) -> None:
    leg = {"arrivals": [ARRIVAL | {"final_ms": 90000, "gone_ms": 40000, "back_ms": 60000}]}
    steps = {
        step["at_ms"]: step
        for step in replayed(api, one_try(leg, {"status": "settled"}, {"status": "confirmed", "base_units": None}))[
            "steps"
        ]
    }
    assert (steps[10000]["status"], steps[10000]["events"]) == ("executing", [])  # seen, and counted by nobody yet
    assert steps[14000]["events"][-1] == "payment_intent.settled"
    assert steps[40000]["events"] == ["payment_intent.settlement_reversed"]
    assert steps[60000]["events"] == ["payment_intent.settlement_restored"]
    assert [one["code"] for one in steps[40000]["happened"]] == ["gone"]


def test_a_replay_leaves_nothing_but_itself(world: World, api: ApiClient) -> None:
    scenario = file_of(api, lived(world, api, "overpay"))
    before = everything()
    replay = replayed(api, scenario)
    told = [event for step in replay["steps"] for event in step["events"]]
    assert told[-2:] == ["payment_intent.settled", "payment_intent.overpaid"]
    assert everything() == before
    assert Replay.objects.count() == 1


def everything() -> list[int]:
    models = (PaymentIntent, Credit, Leg, QueuedIntent, Event, Posting, PaymentPolicy, EventOwner, SimulatedTransaction)
    return [model._default_manager.count() for model in models]


def test_one_worker_at_a_time_plays(api: ApiClient) -> None:
    """Upkeep has other work, and few workers."""
    asked = api.post(REPLAYS, {"scenario": LAPSED}).body["id"]
    other = Turn("theatre.replays")
    assert other.take()
    try:
        assert sweep_due() == 0
        assert api.get(f"{REPLAYS}/{asked}").body["verdict"] is None
    finally:
        other.give_up()
    assert sweep_due() == 1
    assert api.get(f"{REPLAYS}/{asked}").body["verdict"] == "same"
