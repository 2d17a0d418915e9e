"""POST /test-helpers/clock/advance: what is due comes forward, what is shown stays. One test world alone moves.

What is refused, and that all apps move or none: tests/core/test_test_clock.py.
"""

import pytest

from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
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


@pytest.mark.spec("Test clock: moves quotes; Test clock: in-doubt and finality waits")
def test_a_quote_a_signature_a_hint_and_confirmations(world: World, api: ApiClient) -> None:
    quoted, unsigned, hinted, paid = create(api), create(api), create(api, expires_in_seconds=7200), create(api)
    attempt = Payer.of(quoted).quote(world)
    Payer.of(unsigned).start(world)
    payer = Payer.of(hinted)
    payer.report(payer.start(world), 1, "0x" + "ab" * 32)
    pay(api, paid)
    world.run(0)
    advance(api, 5)
    world.run(1)
    shown = read(api, paid)
    assert (shown["status"], shown["settled_at"] < "2026-05-04T12:00:02.000Z") == ("settled", True)
    advance(api, 53)
    world.run(0)
    assert read(api, quoted)["status"] == "quoted"
    advance(api, 1)
    world.run(0)
    assert history(quoted)[-2:] == ["quoted", "requires_payment"]
    assert Payer.of(quoted).send("POST", "/start", {"attempt_id": attempt["id"]}).body["code"] == "quote_expired"
    advance(api, 539)
    world.run(0)
    assert [read(api, intent)["status"] for intent in (unsigned, hinted)] == ["awaiting_signature"] * 2
    advance(api, 2)
    world.run(1)
    for intent in (unsigned, hinted):
        assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]


@pytest.mark.spec("Contract 18.5")
def test_other_worlds_and_what_is_over_stand_still(
    world: World, api: ApiClient, live_api: ApiClient, other_api: ApiClient
) -> None:
    live, others = create(live_api, settlement_chain="base", settlement_address=ANNS_EVM), create(other_api)
    ended = [intent_in(world, api, status) for status in ("settled", "cancelled", "failed", "refunded")]
    live, others = read(live_api, live), read(other_api, others)
    advance(api, 31_536_000)
    world.run(1)
    assert [read(api, intent) for intent in ended] == ended
    assert (read(live_api, live), read(other_api, others)) == (live, others)


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
