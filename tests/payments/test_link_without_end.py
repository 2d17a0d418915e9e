"""What whoever has the checkout's link can begin has an end: tries, quotes, looks at chains, kept answers, lists."""

from collections import Counter
from copy import copy
from datetime import timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest

from chains.clients.base import IssuedLeg, LegView
from chains.clients.simulated import SimulatedChain
from merchants.models import IdempotencyRecord
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.services import standing
from payments.states import AttemptStatus, LegStatus
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import World, create, read

MINE, OTHERS = "a" * 43, "b" * 43
QUOTES_A_MINUTE = 10


def wish(token: dict[str, Any]) -> dict[str, str]:
    """The body of a quote in this token."""
    return {"chain": token["chain"], "token_address": token["token_address"]}


def begin_and_leave(world: World, payer: Payer, token: dict[str, Any]) -> None:
    """One try, given up before a price is made, and the time that quotes are counted by."""
    world.wait(7)
    attempt = payer.act("quote", wish(token))["attempt"]
    world.run(0)
    payer.act("rejected", {"attempt_id": attempt["id"]})


def old_attempts(intent: dict[str, Any], count: int) -> None:
    """Tries of other browsers that are over."""
    row = PaymentIntent.objects.get(pk=intent["id"])
    PaymentAttempt.objects.bulk_create(
        PaymentAttempt(
            merchant_id=row.merchant_id,
            mode=row.mode,
            intent=row,
            number=number,
            browser=f"{number}",
            status=AttemptStatus.FAILED,
            family="evm",
            payer_address=f"0x{number:040x}",
        )
        for number in range(1, count + 1)
    )


def given_up_legs(leg: Leg, count: int) -> list[Leg]:
    """Newer legs of tries that were given up, which their wallets might still sign. All were made an hour ago."""
    leg.created_at -= timedelta(hours=1)
    leg.save(update_fields=["created_at"])
    twins = []
    for number in range(1, count + 1):
        twin = copy(leg)
        twin.pk, twin.sequence, twin._state.adding = uuid4(), leg.sequence + number, True
        twin.created_at = leg.created_at + timedelta(seconds=number)
        twin.status, twin.error = LegStatus.FAILED, "no longer needed"
        twins.append(twin)
    return Leg.objects.bulk_create(twins)


def test_a_wallet_begins_so_many_tries_and_no_more(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    token = payer.connect()[0]
    for _ in range(20):
        begin_and_leave(world, payer, token)
    before = all_rows()
    reply = payer.send("POST", "/quote", wish(token))
    assert_refused(reply, 409, "too_many_attempts")
    assert reply.body["details"] == {"reason": "wallet", "most": 20}
    assert (all_rows(), PaymentAttempt.objects.count()) == (before, 20)
    same_wallet = Payer.of(intent, browser=OTHERS)
    assert same_wallet.quote(world)["number"] == 21


def test_an_intent_has_so_many_tries_and_no_more(world: World, api: ApiClient) -> None:
    intent = create(api)
    old_attempts(intent, 49)
    payer = Payer.of(intent, browser=MINE)
    token = payer.connect()[0]
    begin_and_leave(world, payer, token)
    before = all_rows()
    reply = payer.send("POST", "/quote", wish(token))
    assert_refused(reply, 409, "too_many_attempts")
    assert reply.body["details"] == {"reason": "intent", "most": 50}
    assert all_rows() == before
    assert api.post(f"/test-helpers/payment-intents/{intent['id']}/pay").body["code"] == "too_many_attempts"


def test_quotes_of_one_address_are_counted(world: World, api: ApiClient, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    payer = Payer.of(create(api), browser=MINE)
    token = payer.connect()[0]
    for _ in range(QUOTES_A_MINUTE):
        payer.act("quote", wish(token))
    before = all_rows()
    reply = payer.send("POST", "/quote", wish(token))
    assert_refused(reply, 429, "rate_limited")
    assert (reply.body["details"]["scope"], reply.headers["Retry-After"]) == ("quotes", "6")
    assert all_rows() == before
    world.wait(6)
    payer.act("quote", wish(token))


def test_a_key_repeated_is_no_quote(world: World, api: ApiClient, settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 1
    payer = Payer.of(create(api), browser=MINE)
    token = payer.connect()[0]
    for _ in range(QUOTES_A_MINUTE + 1):
        payer.act("quote", wish(token), Idempotency_Key="one wish")


@pytest.fixture
def _short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (standing.NEWEST_WATCHED, standing.OLDER_A_LOOK) == (12, 12)
    assert timedelta(minutes=3) == standing.OLDER_EVERY
    monkeypatch.setattr("payments.services.standing.OLDER_EVERY", timedelta(seconds=20))


@pytest.mark.usefixtures("_short_turns")
def test_old_legs_are_looked_at_in_turn(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api), browser=MINE)
    payer.start(world)
    leg = Leg.objects.get()
    newer = given_up_legs(leg, 40)
    looked: Counter[str] = Counter()
    most_at_once, look = [], SimulatedChain.look

    def noted(chain: SimulatedChain, issued: IssuedLeg) -> LegView:
        looked[issued.tag] += 1
        return look(chain, issued)

    with patch.object(SimulatedChain, "look", noted):
        for _ in range(30):
            before = looked.total()
            world.run(1)
            most_at_once.append(looked.total() - before)
    assert max(most_at_once) <= 24 * 2
    assert {looked[str(one.pk)] >= 15 for one in newer[-12:]} == {True}
    assert {looked[str(one.pk)] for one in [leg, *newer[:-12]]} <= {1, 2}


def test_what_moves_is_asked_first_then_what_was_told_of_last(world: World, api: ApiClient) -> None:
    """A payment has so many questions and so much time: others' tries must not use them up before its payer's."""
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    attempt = payer.start(world)
    leg = Leg.objects.get()
    newer = given_up_legs(leg, 20)
    row = PaymentIntent.objects.get(pk=intent["id"])
    assert [one.pk for one in standing.watched(standing.standings(row), {})][:2] == [newer[-1].pk, newer[-2].pk]
    payer.report(attempt, 1, payer.sign(attempt, 1, "in_doubt"))
    assert standing.watched(standing.standings(row), {})[0].pk == leg.pk
    Leg.objects.filter(pk=newer[3].pk).update(status=LegStatus.SUBMITTED)
    assert [one.pk for one in standing.watched(standing.standings(row), {})][:2] == [newer[3].pk, leg.pk]


@pytest.mark.usefixtures("_short_turns")
def test_an_old_leg_that_is_paid_counts(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    attempt = payer.start(world)
    given_up_legs(Leg.objects.get(), 40)
    world.run(10)
    payer.sign(attempt, 1)
    world.run(30)
    assert read(api, intent)["status"] == "settled"


def test_a_reported_leg_is_looked_at_at_once(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    attempt = payer.start(world)
    given_up_legs(Leg.objects.get(), 40)
    world.run(10)
    payer.report(attempt, 1, payer.sign(attempt, 1))
    world.run(5)
    assert read(api, intent)["status"] == "settled"


def test_kept_answers_of_a_browser(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api), browser=MINE)
    body = {"family": "evm", "address": payer.address}
    for number in range(120):
        payer.act("wallet", body, Idempotency_Key=f"key {number}")
        world.wait(1)
    kept = IdempotencyRecord.objects.filter(scope__startswith="checkout:")
    assert kept.count() == 100
    assert not kept.filter(key="key 19").exists()
    assert kept.filter(key="key 20").exists()
    assert payer.send("POST", "/wallet", body, Idempotency_Key="key 119").headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("part", ["transactions", "routing"])
def test_the_lists_of_an_intent_are_read_in_pages(part: str, world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent, browser=MINE)
    payer.start(world)
    given_up_legs(Leg.objects.get(), 4)
    path = f"/payment-intents/{intent['id']}/{part}"
    whole = api.get(path).body
    ids = [one["id"] for one in whole["data"]]
    assert (len(ids) >= 3, whole["has_more"], whole["next_cursor"]) == (True, False, None)
    first = api.get(f"{path}?limit=2")
    assert [one["id"] for one in first.body["data"]] == ids[:2]
    assert (first.body["has_more"], first.body["next_cursor"]) == (True, ids[1])
    assert first.headers["Link"] == f'</api/public/v1{path}?limit=2&starting_after={ids[1]}>; rel="next"'
    rest = api.get(f"{path}?starting_after={ids[1]}").body
    assert ([one["id"] for one in rest["data"]], rest["has_more"]) == (ids[2:], False)
    assert_refused(api.get(f"{path}?limit=101"), 400, "invalid_parameter")
    assert_refused(api.get(f"{path}?starting_after={intent['id']}"), 400, "invalid_parameter")


def test_a_long_list_says_that_it_goes_on(world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent, browser=MINE).start(world)
    given_up_legs(Leg.objects.get(), 140)
    reply = api.get(f"/payment-intents/{intent['id']}/transactions")
    assert (len(reply.body["data"]), reply.body["has_more"]) == (100, True)
