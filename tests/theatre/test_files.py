"""What stands in a scenario file, and what never does; and what becomes of files that somebody else wrote."""

import copy
import json
from decimal import Decimal
from typing import Any

import pytest

from payments.models import Credit, PaymentIntent, RouteCandidate
from tests.conftest import ApiClient
from tests.payments.world import World, create, pay
from tests.theatre.files import ARRIVAL, LAPSED, LEG, TRY, one_try
from tests.theatre.test_replays import REPLAYS, file_of, lived, replayed
from theatre.models import Replay
from theatre.services import MOST_WAITING

pytestmark = pytest.mark.django_db


def test_nothing_in_a_file_can_be_recognised(world: World, api: ApiClient) -> None:
    personal = {
        "metadata": {"order": "order-4711", "name": "Ann Example"},
        "customer_email": "ann@example.com",
        "reference": "invoice-88",
    }
    intent = create(api, **personal)
    pay(api, intent, "partial")
    world.run(10)
    row = PaymentIntent.objects.get(pk=intent["id"])
    leg, credit, attempt = row.legs.get(), row.credits.get(), row.payment_attempts.get()
    secret = [
        *("order-4711", "Ann Example", "ann@example.com", "invoice-88", "order", intent["id"], intent["checkout_url"]),
        *(row.settlement_address, row.merchant.name, leg.payer_address, leg.tx_hash, str(leg.pk), str(attempt.pk)),
        *(credit.tx_hash, credit.sender, credit.recipient, credit.payer, credit.block_hash, str(credit.block_number)),
        *(row.created_at.strftime("%Y"), str(row.created_at.timestamp())[:7]),
    ]
    text = json.dumps(file_of(api, intent)).lower()
    assert [one for one in secret if one and one.lower()[:20] in text] == []
    assert row.settlement_token_address.lower() in text


def test_a_file_says_what_providers_answered_and_chains_showed(world: World, api: ApiClient) -> None:
    scenario = file_of(api, lived(world, api, "partial"))
    (one,) = scenario["tries"]
    (leg,) = one["legs"]
    (came,) = leg["arrivals"]
    assert (came["base_units"], leg["failed_as"], one["payer"], one["browser"]) == ("15000000", "", 1, 0)
    assert 0 <= one["quoted_ms"] <= one["handed_out_ms"] <= leg["sent_ms"] <= came["seen_ms"] <= came["counts_ms"]
    assert [answer["provider"] for answer in one["answers"] if answer["chosen"]] == ["direct"]
    assert [line["trigger"] for line in scenario["history"]][-1] == "fill_partly"


def test_a_token_with_an_odd_name_does_not_spoil_the_file(world: World, api: ApiClient) -> None:
    intent = lived(world, api, "settle")
    RouteCandidate.objects.filter(chosen=True).update(from_token="<b>$WIF\u0007", error="Call 0x71c7 for more")
    scenario = file_of(api, intent)
    answer = next(one for one in scenario["tries"][0]["answers"] if one["chosen"])
    assert (answer["from_token"], answer["error"]) == ("_b_$WIF_", "other")
    assert replayed(api, scenario)["verdict"] == "same"


def test_a_file_is_its_merchants_alone(api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    intent = create(api)
    for stranger in (other_api, live_api):
        assert stranger.get(f"/payment-intents/{intent['id']}/scenario").status == 404
    asked = api.post(REPLAYS, {"scenario": LAPSED})
    assert other_api.get(f"{REPLAYS}/{asked.body['id']}").status == 404
    assert live_api.post(REPLAYS, {"scenario": LAPSED}).status == 404
    assert live_api.post(REPLAYS, {}).status == 404  # as for every body: replays do not exist for live keys


def _changed(*path: Any, value: Any) -> dict[str, Any]:
    told = copy.deepcopy(one_try({"arrivals": [ARRIVAL]}, {}, {"status": "confirmed", "base_units": "25000000"}))
    place: Any = told
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return told


HOSTILE = {
    "another version": (_changed("causeway_scenario", value=2), "scenario.causeway_scenario", "unknown_value"),
    "true as a version": (_changed("causeway_scenario", value=True), "scenario.causeway_scenario", "unknown_value"),
    "more than is known": (_changed("metadata", value={}), "scenario.metadata", "unknown_field"),
    "no tries": ({name: LAPSED[name] for name in LAPSED if name != "tries"}, "scenario.tries", "required"),
    "a number with a point": (_changed("due_ms", value=1.5), "scenario.due_ms", "format"),
    "a moment before the first": (_changed("due_ms", value=-1), "scenario.due_ms", "format"),
    "four hundred days and one": (_changed("due_ms", value=34646400000), "scenario.due_ms", "format"),
    "true as a number": (_changed("due_ms", value=True), "scenario.due_ms", "format"),
    "units as a number": (_changed("target_base_units", value=25), "scenario.target_base_units", "format"),
    "seventy-nine digits": (_changed("target_base_units", value="9" * 79), "scenario.target_base_units", "format"),
    "no target": (_changed("target_base_units", value=None), "scenario.target_base_units", "required"),
    "a target of nothing": (_changed("target_base_units", value="0"), "scenario.target_base_units", "out_of_range"),
    "nothing asked for": (_changed("amount_usd", value="0.00"), "scenario.amount_usd", "out_of_range"),
    "seven places": (_changed("amount_usd", value="1.0000001"), "scenario.amount_usd", "format"),
    "below zero": (_changed("amount_usd", value="-1"), "scenario.amount_usd", "format"),
    "markup": (_changed("settlement_chain", value="<script>"), "scenario.settlement_chain", "format"),
    "a long name": (_changed("settlement_chain", value="a" * 129), "scenario.settlement_chain", "format"),
    "another status": (_changed("end", "status", value="won"), "scenario.end.status", "format"),
    "a list in the place of an object": (_changed("end", value=[]), "scenario.end", "type"),
    "an object in the place of a list": (_changed("tries", value={}), "scenario.tries", "type"),
    "too many tries": (_changed("tries", value=[TRY] * 21), "scenario.tries", "too_long"),
    "too many legs": (_changed("tries", 0, "legs", value=[LEG] * 9), "scenario.tries.0.legs", "too_long"),
    "too many legs in all": (_changed("tries", value=[TRY | {"legs": [LEG] * 5}] * 5), "scenario.tries", "too_long"),
    "a leg that is none": (_changed("tries", 0, "legs", 0, value="leg"), "scenario.tries.0.legs.0", "type"),
    "legs and a refusal": (_changed("tries", 0, "refused", value="route_unavailable"), "scenario.tries.0", "format"),
    "moments without end": (
        _changed("acts", value=[{"at_ms": at, "what": "opened"} for at in range(120)])
        | {"history": [{"at_ms": at, "trigger": "create", "to_status": "created"} for at in range(200, 320)]},
        "scenario",
        "too_long",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_at_its_place_and_changes_nothing(api: ApiClient, name: str) -> None:
    told, field, code = HOSTILE[name]
    reply = api.post(REPLAYS, {"scenario": told})
    assert reply.status == 400, reply.body
    (problem,) = reply.body["details"]["fields"]
    assert (problem["field"], problem["code"]) == (field, code)
    assert not Replay.objects.exists()


@pytest.mark.parametrize("content", ["text", None, [], 7, {}])
def test_what_is_no_file_is_refused(api: ApiClient, content: Any) -> None:
    assert api.post(REPLAYS, {"scenario": content}).status == 400


def test_a_file_that_is_too_large_is_refused(api: ApiClient) -> None:
    answers = [dict.fromkeys(("provider", "from_chain"), "a" * 128)] * 800
    reply = api.post(REPLAYS, {"scenario": LAPSED | {"tries": answers}})
    assert (reply.status, reply.body["code"]) == (413, "scenario_too_large")


IMPOSSIBLE = {
    "cancelled after it expired": LAPSED | {"acts": [{"at_ms": 1800000, "what": "cancelled"}]},
    "more money than a column holds": one_try(
        {"arrivals": [ARRIVAL | {"base_units": "9" * 78}]}, {}, {"status": "confirmed", "base_units": None}
    ),
    "handed out before it was asked for": one_try({}, {}, {"status": "planned", "base_units": None})
    | {"tries": [TRY | {"quoted_ms": 400000}]},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_said_and_the_worker_goes_on(api: ApiClient, name: str) -> None:
    broken = api.post(REPLAYS, {"scenario": IMPOSSIBLE[name]}).body
    after = replayed(api, LAPSED)
    first = api.get(f"{REPLAYS}/{broken['id']}").body
    assert (after["verdict"], after["took_the_same_way"]) == ("same", True)
    assert first["verdict"] in {"broken", "differs"}
    assert not PaymentIntent.objects.exists()
    assert not Credit.objects.exists()


def test_a_merchant_has_a_few_at_once(api: ApiClient, other_api: ApiClient) -> None:
    for _ in range(MOST_WAITING):
        assert api.post(REPLAYS, {"scenario": LAPSED}).status == 201
    refused = api.post(REPLAYS, {"scenario": LAPSED})
    assert (refused.status, refused.body["code"]) == (429, "too_many_replays")
    assert other_api.post(REPLAYS, {"scenario": LAPSED}).status == 201


def test_a_repeated_request_asks_once(api: ApiClient) -> None:
    first, again = (api.post(REPLAYS, {"scenario": LAPSED}, Idempotency_Key="one") for _ in range(2))
    assert (first.body["id"], Replay.objects.count()) == (again.body["id"], 1)


def test_dollars_keep_every_digit(api: ApiClient) -> None:
    told = _changed("amount_usd", value="25.000001")
    replay = api.post(REPLAYS, {"scenario": told})
    kept = Replay.objects.get(pk=replay.body["id"]).scenario
    assert Decimal(kept["amount_usd"]) == Decimal("25.000001")
