"""A reported hash is a hint: it starts nothing, proves nothing and freezes nothing. Source: rulings, section C 2."""

from typing import Any

import pytest

from payments.models import Leg
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import World, create, events, history, read

RANDOM = [f"0x{number:064x}" for number in range(1, 13)]


def signing(world: World, api: ApiClient, **fields: Any) -> tuple[dict[str, Any], Payer, dict[str, Any]]:
    """An intent whose payer has the transaction in hand."""
    intent = create(api, **fields)
    payer = Payer.of(intent)
    return intent, payer, payer.start(world)


@pytest.mark.spec("Rulings C2.1; Contract 2.1; awaiting_signature: payer signs")
def test_executing_begins_when_the_chain_shows_it(world: World, api: ApiClient) -> None:
    """A random hash starts nothing, and the payer may choose again."""
    intent, payer, attempt = signing(world, api)
    payer.report(attempt, 1, RANDOM[0])
    world.run(5)
    assert (read(api, intent)["status"], events(intent)) == ("awaiting_signature", ["created", "quoted"])
    payer.act("rejected", {"attempt_id": attempt["id"]})
    attempt = payer.start(world)
    assert payer.report(attempt, 2, payer.sign(attempt, 2))["status"] == "awaiting_signature"
    world.run(0.5)
    assert read(api, intent)["status"] == "executing"
    world.run(4)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.spec("Rulings C2.2")
@pytest.mark.parametrize("told", ["none", "random", "random, then right", "right thrice, then random"])
def test_the_payment_is_found_whatever_was_told(world: World, api: ApiClient, told: str) -> None:
    intent, payer, attempt = signing(world, api)
    tx_hash = payer.sign(attempt, 1)
    if told.startswith("random"):
        payer.report(attempt, 1, RANDOM[0])
    for _ in range({"random, then right": 1, "right thrice, then random": 3}.get(told, 0)):
        payer.report(attempt, 1, tx_hash)
    world.run(6)
    if told.endswith("then random"):
        payer.report(attempt, 1, RANDOM[0])
    assert (read(api, intent)["status"], history(intent)[-2:]) == ("settled", ["executing", "settled"])
    assert Leg.objects.get().tx_hash == tx_hash


@pytest.mark.spec("Rulings C2.2")
def test_an_unseen_hash_lapses_after_ten_minutes(world: World, api: ApiClient) -> None:
    intent, payer, attempt = signing(world, api, expires_in_seconds=7200)
    payer.report(attempt, 1, RANDOM[0])
    world.wait(600)
    world.run(0)
    assert Leg.objects.get().tx_hash == RANDOM[0]
    world.wait(1)
    world.run(1)
    assert (Leg.objects.get().tx_hash, Leg.objects.get().error) == ("", "tx_not_found")
    world.run(1)
    assert history(intent)[-1] == "requires_payment"


@pytest.mark.spec("Rulings C2.3; random, foreign and late hashes never freeze an intent")
@pytest.mark.parametrize(
    ("lives", "each", "times", "end"), [(7200, 120, 12, "requires_payment"), (60, 25, 6, "expired")]
)
def test_random_hashes_again_and_again_stop_neither_lapse_nor_expiry(
    world: World, api: ApiClient, lives: int, each: int, times: int, end: str
) -> None:
    intent, payer, attempt = signing(world, api, expires_in_seconds=lives)
    for tx_hash in RANDOM[:times]:
        world.wait(each)
        if end != "expired":
            payer.renew()
        payer.report(attempt, 1, tx_hash)
        world.run(0.5)
    assert history(intent)[-2:] == ["awaiting_signature", end]


def test_a_hash_just_before_the_end_gets_a_minute(world: World, api: ApiClient) -> None:
    intent, payer, attempt = signing(world, api, expires_in_seconds=60)
    tx_hash = payer.sign(attempt, 1)
    world.wait(59)
    payer.report(attempt, 1, tx_hash)
    world.run(4)
    assert history(intent)[-2:] == ["executing", "settled"]


@pytest.mark.spec("Rulings C2.3; random, foreign and late hashes never freeze an intent")
def test_a_foreign_hash_is_dropped(world: World, api: ApiClient) -> None:
    mine, payer, attempt = signing(world, api)
    yours, other, theirs = signing(world, api)
    stolen = other.sign(theirs, 1)
    payer.report(attempt, 1, stolen)
    world.run(1)
    leg = Leg.objects.get(intent_id=mine["id"])
    assert (leg.tx_hash, leg.error, leg.status) == ("", "tx_not_for_this_intent", "awaiting_signature")
    assert read(api, yours)["status"] == "awaiting_signature"
    other.report(theirs, 1, stolen)  # which nobody occupied
    world.run(4)
    assert read(api, yours)["status"] == "settled"
    assert (read(api, mine)["status"], read(api, mine)["amount_received"]) == ("awaiting_signature", "0.00")


def test_a_hash_that_paid_another_intent_is_refused(world: World, api: ApiClient) -> None:
    _, other, theirs = signing(world, api)
    used = other.sign(theirs, 1)
    other.report(theirs, 1, used)
    world.run(4)
    _, payer, attempt = signing(world, api)
    before = all_rows()
    body = {"attempt_id": attempt["id"], "leg_sequence": 1, "tx_hash": used}
    reply = payer.send("POST", "/submitted", body)
    assert (reply.status, reply.body["code"], reply.body["details"]) == (409, "tx_already_used", {})
    assert all_rows() == before


@pytest.mark.spec("Rulings C2.3")
@pytest.mark.parametrize("end", ["declined", "expired"])
def test_a_hash_told_after_the_end_is_looked_for(world: World, api: ApiClient, end: str) -> None:
    """Across a bridge only the payer knows under which hash the money left."""
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.start(world, "ethereum", "USDC")
    if end == "declined":
        payer.act("rejected", {"attempt_id": attempt["id"]})
    else:
        world.wait(1800)
        world.run(1)
        payer = Payer.of(intent)
    tx_hash = payer.sign(attempt, 1)
    payer.report(attempt, 1, tx_hash)
    world.run(6)
    leg = Leg.objects.get()
    assert (leg.status, leg.tx_hash) == ("confirmed", tx_hash)
    assert leg.destination_tx_hash not in {"", tx_hash}
    assert read(api, intent)["status"] == ("settled" if end == "declined" else end)
