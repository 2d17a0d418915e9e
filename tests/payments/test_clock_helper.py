"""POST /test-helpers/clock/advance: what is due comes forward, what is shown stays, and only in one test world."""

import pytest

from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, advance, create, events, history, pay, read


@pytest.mark.spec("Test clock: moves expiries, never shown times")
def test_expiry_and_what_is_new_lives_its_whole_time(world: World, api: ApiClient) -> None:
    intent = create(api)
    advance(api, 1799)
    world.run(0)
    assert read(api, intent) == intent
    advance(api, 1)
    world.run(0)
    assert read(api, intent) == intent | {"status": "expired"}
    assert events(intent) == ["created", "expired"]
    later = create(api)
    world.run(1)
    assert (later["created_at"], read(api, later)["status"]) == ("2026-05-04T12:00:00.000Z", "created")


@pytest.mark.spec("Test clock: moves quotes")
def test_a_quote(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.quote(world)
    advance(api, 59)
    world.run(0)
    assert read(api, intent)["status"] == "quoted"
    advance(api, 1)
    world.run(0)
    assert history(intent)[-2:] == ["quoted", "requires_payment"]
    assert payer.send("POST", "/start", {"attempt_id": attempt["id"]}).body["code"] == "quote_expired"


def test_a_signature_and_a_hint(world: World, api: ApiClient) -> None:
    unsigned, hinted = create(api), create(api, expires_in_seconds=7200)
    Payer.of(unsigned).start(world)
    payer = Payer.of(hinted)
    payer.report(payer.start(world), 1, "0x" + "ab" * 32)
    advance(api, 599)
    world.run(0)
    assert [read(api, intent)["status"] for intent in (unsigned, hinted)] == ["awaiting_signature"] * 2
    advance(api, 2)
    world.run(1)
    for intent in (unsigned, hinted):
        assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]


@pytest.mark.spec("Test clock: in-doubt and finality waits")
def test_confirmations(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent)
    world.run(0)
    advance(api, 5)
    world.run(1)
    shown = read(api, intent)
    assert shown["status"] == "settled"
    assert shown["settled_at"] < "2026-05-04T12:00:02.000Z"


@pytest.mark.spec("Contract 18.5")
def test_other_worlds_stand_still(world: World, api: ApiClient, live_api: ApiClient, other_api: ApiClient) -> None:
    settlement = {"settlement_chain": "base", "settlement_address": "0x52908400098527886E0F7030069857D2E4169EE7"}
    live, others = create(live_api, **settlement), create(other_api)
    advance(api, 86_400)
    world.run(1)
    assert (read(live_api, live), read(other_api, others)) == (live, others)


def test_what_is_over_stays_over(world: World, api: ApiClient) -> None:
    intents = [intent_in(world, api, status) for status in ("settled", "cancelled", "failed", "refunded")]
    advance(api, 31_536_000)
    world.run(1)
    assert [read(api, intent) for intent in intents] == intents


@pytest.mark.spec("Contract 18.5")
def test_it_moves_by_its_bounds_again_and_again_and_once_for_a_repeated_key(world: World, api: ApiClient) -> None:
    intent, long = create(api), create(api, expires_in_seconds=2_592_000)
    for _ in range(3):
        reply = api.post("/test-helpers/clock/advance", {"seconds": 900}, Idempotency_Key="k")
        assert (reply.status, reply.body) == (200, {"advanced_seconds": 900})
    world.run(0)
    assert read(api, intent)["status"] == "created"
    for _ in range(30):
        advance(api, 86_400)
    world.run(0)
    assert read(api, long)["status"] == "expired"
    for seconds in (1, 31_536_000):
        advance(api, seconds)
        world.run(0)


@pytest.mark.spec("Contract 18.5")
def test_bodies_that_are_refused(api: ApiClient) -> None:
    create(api)
    before = all_rows()
    bad: dict[str, list[object]] = {"out_of_range": [0, -1, 31_536_001], "type": [1.5, "60", None, True]}
    rows: list[tuple[dict[str, object], tuple[str, str]]] = [
        *(({"seconds": value}, ("seconds", code)) for code, values in bad.items() for value in values),
        ({}, ("seconds", "required")),
        ({"seconds": 60, "merchant": 2}, ("merchant", "unknown_field")),
    ]
    for body, problem in rows:
        reply = api.post("/test-helpers/clock/advance", body)
        assert (reply.status, reply.body["code"]) == (400, "invalid_request"), body
        assert [(one["field"], one["code"]) for one in reply.body["details"]["fields"]] == [problem]
    assert all_rows() == before
