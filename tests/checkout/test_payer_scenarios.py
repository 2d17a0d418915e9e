"""Every scenario through the payer API with the simulated wallets: EVM and Solana, one leg, a bridge, several.

Many payments are begun at the same moment and go their ways at once, for it is the workers' time that costs.
"""

from itertools import product
from typing import Any, NamedTuple

import pytest

from payments.models import Leg
from payments.scenarios import Group, scenarios
from tests.conftest import ApiClient
from tests.each import faults
from tests.payments.outcomes import OUTCOMES, QUIET, expected_figures, shown
from tests.payments.payer import Payer
from tests.payments.world import World, advance, create, events, history, read

SPLIT_WALLET = "0x7e57000000000000000000000000000000005b17"
ROUTES = [
    ("evm", "base", "USDC", "transfer"),
    ("evm", "base", "ETH", "swap"),
    ("evm", "ethereum", "USDC", "bridge"),
    ("solana", "solana", "USDC", "bridge"),
    ("solana", "solana", "SOL", "bridge"),
]
WAYS = [*((route, "panel") for route in ROUTES), (ROUTES[2], "metadata")]
ARRIVES = {"settle", "overpay", "partial", "late", "reorg"}


class Play(NamedTuple):
    """A scenario, how its payment goes, and who asks for it: the payer's panel or the merchant's metadata."""

    name: str
    route: tuple[str, str, str, str]
    asked_by: str


PLAYED = [name for name, scenario in scenarios().items() if scenario.group is Group.NETWORK]
PLAYS = [
    Play(name, *way)
    for place, name in enumerate(PLAYED)
    for number, way in enumerate(WAYS)
    if name == "settle" or number == place % len(WAYS)
]
"""By every way it settles, and every other scenario has one."""


def paid(world: World, intent: dict[str, Any], route: tuple[str, str, str, str], behaviour: str | None) -> Payer:
    """A payer that pays by this route; nothing has arrived yet."""
    family, chain, symbol, kind = route
    payer = Payer.of(intent, family)
    payer.pay(payer.start(world, chain, symbol), behaviour)
    assert Leg.objects.get(intent_id=intent["id"]).kind == kind
    return payer


@pytest.mark.spec("Test mode: scenarios in the checkout's test panel")
def test_every_scenario_and_every_route(world: World, api: ApiClient) -> None:
    intents = {}
    for play in PLAYS:
        intents[play] = create(api, metadata={"simulate": play.name if play.asked_by == "metadata" else "settle"})
        paid(world, intents[play], play.route, play.name if play.asked_by == "panel" else None)
    world.run(9)

    def check(play: Play) -> None:
        outcome, intent = OUTCOMES[play.name], intents[play]
        assert shown(read(api, intent)) == expected_figures(outcome)
        assert history(intent) == outcome.statuses
        assert events(intent) == outcome.told
        [leg] = api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
        assert leg["status"] == outcome.leg
        if play.name in ARRIVES:
            assert leg["to_amount"] == {"15.00": "15", "25.00": "25", "27.50": "27.5"}[outcome.received]
            assert leg["destination_tx_hash"]
            assert (leg["destination_tx_hash"] == leg["tx_hash"]) is (leg["chain"] == leg["to_chain"])

    assert faults(check, PLAYS) == {}


@pytest.mark.spec("Test mode: scenarios in the checkout's test panel")
def test_no_route(world: World, api: ApiClient) -> None:
    for family, asked_by in product(("evm", "solana"), ("panel", "metadata")):
        intent = create(api, metadata={"simulate": "fail_route"} if asked_by == "metadata" else {})
        payer = Payer.of(intent, family)
        more = {"scenario": "fail_route"} if asked_by == "panel" else {}
        assert payer.choose(payer.connect()[0], **more)["status"] == "failed"
        now = read(api, intent)
        assert (now["status"], now["last_error"]["code"]) == ("requires_payment", "route_unavailable")
        assert (history(intent), events(intent)) == (["created", "requires_payment"], ["created"])
        state = payer.state()
        assert (state["message"]["code"], state["last_error"]["code"]) == ("route_unavailable", "route_unavailable")


def split_payer(world: World, intent: dict[str, Any]) -> tuple[Payer, dict[str, Any]]:
    """A payer whose wallet needs several transactions, with all of them in hand."""
    payer = Payer.of(intent, address=SPLIT_WALLET)
    attempt = payer.start(world)
    assert len(attempt["transactions"]) >= 2
    assert [part["leg_sequence"] for part in attempt["transactions"]] == list(range(1, len(attempt["parts"]) + 1))
    return payer, attempt


def test_several_transactions_settle_or_go_wrong_together(world: World, api: ApiClient) -> None:
    names = ("settle", "partial", "bridge_refund", "in_doubt", "late")
    intents = {name: create(api, amount=1000) for name in names}
    for name, intent in intents.items():
        payer, attempt = split_payer(world, intent)
        payer.pay(attempt, name)
    world.run(10)
    assert {name: read(api, intent)["status"] for name, intent in intents.items()} == {
        name: OUTCOMES[name].status for name in names
    }
    now = read(api, intents["settle"])
    assert (now["amount_received"], now["amount_due"]) == ("1000.00", "0.00")
    assert events(now) == ["created", "quoted", "executing", "settled"]
    legs = api.get(f"/payment-intents/{now['id']}/transactions").body["data"]
    assert {leg["status"] for leg in legs} == {"confirmed"}
    assert len({leg["tx_hash"] for leg in legs}) == len(legs)


def test_the_second_of_several_may_come_minutes_later(world: World, api: ApiClient) -> None:
    intent = create(api, amount=1000)
    payer, attempt = split_payer(world, intent)
    for part in attempt["transactions"]:
        payer.report(attempt, part["leg_sequence"], payer.sign(attempt, part["leg_sequence"]))
        world.run(4)
        world.wait(120)
    world.run(2)
    assert read(api, intent)["status"] == "settled"
    assert history(intent)[4:] == ["executing", "settled"]


def test_a_payer_who_leaves_after_the_first_of_several_or_whose_first_reverts(world: World, api: ApiClient) -> None:
    """What arrived stays credited, and the rest can be paid."""
    left, reverted = create(api, amount=1000), create(api, amount=1000)
    for intent, behaviour in ((left, None), (reverted, "fail_execution")):
        payer, attempt = split_payer(world, intent)
        payer.report(attempt, 1, payer.sign(attempt, 1, behaviour))
    world.run(5)
    assert read(api, left)["status"] == "executing"
    now = read(api, reverted)
    assert (now["status"], now["amount_received"]) == ("requires_payment", "0.00")
    assert now["last_error"]["code"] == "execution_failed"
    world.wait(600)
    world.run(3)
    now = read(api, left)
    assert (now["status"], now["partially_funded"]) == ("partially_filled", True)
    assert 0 < float(now["amount_received"]) < 1000
    assert events(left) == ["created", "quoted", "executing", "partially_filled"]
    for intent in (left, reverted):
        again = Payer.of(intent)
        again.pay(again.start(world))
    world.run(6)
    assert [read(api, intent)["status"] for intent in (left, reverted)] == ["settled", "settled"]


def test_the_wallet_of_a_panel_scenario_may_pay_again(world: World, api: ApiClient) -> None:
    intent = create(api, metadata={"simulate": "partial"})
    payer = paid(world, intent, ROUTES[0], None)
    world.run(9)
    payer.pay(payer.start(world, "ethereum", "USDC"), "settle")
    world.run(6)
    now = read(api, intent)
    assert shown(now) == QUIET | {"status": "settled", "amount_received": "25.00", "amount_due": "0.00"}


@pytest.mark.spec("Contract 2.15")
def test_in_doubt_refuses_a_second_payment(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = paid(world, intent, ROUTES[2], "in_doubt")
    world.run(9)
    state = payer.state()
    assert (state["status"], state["in_doubt"], state["message"]["code"]) == ("executing", True, "in_doubt")
    token = {"chain": "base", "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}
    for path, body in (("wallet", {"family": "evm", "address": payer.address}), ("quote", token)):
        reply = payer.send("POST", f"/{path}", body)
        assert (reply.status, reply.body["code"]) == (409, "in_doubt")
    advance(api, 600)
    world.run(4)
    assert read(api, intent)["status"] == "settled"


def test_a_wallet_that_just_approves_plays_what_the_merchant_asked(world: World, api: ApiClient) -> None:
    intents = {}
    for behaviour in ("approve", "settle", None):
        intents[behaviour] = create(api, metadata={"simulate": "overpay"})
        paid(world, intents[behaviour], ROUTES[0], behaviour)
    world.run(9)
    for behaviour, intent in intents.items():
        expected = "settle" if behaviour == "settle" else "overpay"
        assert shown(read(api, intent)) == expected_figures(OUTCOMES[expected]), behaviour
