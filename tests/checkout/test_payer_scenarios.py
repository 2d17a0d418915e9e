"""Every scenario through the payer API with the simulated wallets: EVM and Solana, one leg, a bridge, several."""

from collections.abc import Iterator
from typing import Any

import pytest

from payments.models import Leg
from payments.scenarios import Group, scenarios
from tests.conftest import ApiClient
from tests.payments.outcomes import OUTCOMES, QUIET, expected_figures, shown
from tests.payments.payer import Payer
from tests.payments.world import World, advance, create, events, history, read

SPLIT_WALLET = "0x7e57000000000000000000000000000000005b17"
PLAYED = [name for name, scenario in scenarios().items() if scenario.group is Group.NETWORK]
ROUTES = [
    ("evm", "base", "USDC", "transfer"),
    ("evm", "base", "ETH", "swap"),
    ("evm", "ethereum", "USDC", "bridge"),
    ("solana", "solana", "USDC", "bridge"),
    ("solana", "solana", "SOL", "bridge"),
]


def paid(world: World, intent: dict[str, Any], route: tuple[str, str, str, str], behaviour: str | None) -> Payer:
    """A payer that paid by this route, with time for it to arrive."""
    family, chain, symbol, kind = route
    payer = Payer.of(intent, family)
    payer.pay(payer.start(world, chain, symbol), behaviour)
    assert Leg.objects.get().kind == kind
    world.run(9)
    return payer


WAYS = [*((route, "panel") for route in ROUTES), (ROUTES[2], "metadata")]


def plays() -> Iterator[Any]:
    """Each scenario by each way. Here every way settles and every other scenario has one; the rest is exhaustive."""
    for place, name in enumerate(PLAYED):
        for number, (route, asked_by) in enumerate(WAYS):
            is_here = name == "settle" or number == place % len(WAYS)
            marks = () if is_here else pytest.mark.exhaustive
            yield pytest.param(name, route, asked_by, marks=marks, id=f"{name} {route[1]} {route[2]} {asked_by}")


@pytest.mark.spec("Test mode: scenarios in the checkout's test panel")
@pytest.mark.parametrize(("name", "route", "asked_by"), list(plays()))
def test_every_scenario_by_every_route(
    world: World, api: ApiClient, name: str, route: tuple[str, str, str, str], asked_by: str
) -> None:
    intent = create(api, metadata={"simulate": name if asked_by == "metadata" else "settle"})
    paid(world, intent, route, name if asked_by == "panel" else None)
    outcome, now = OUTCOMES[name], read(api, intent)
    assert shown(now) == expected_figures(outcome)
    assert history(intent) == outcome.statuses
    assert events(intent) == outcome.told
    [leg] = api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert leg["status"] == outcome.leg
    if name in {"settle", "overpay", "partial", "late", "reorg"}:
        assert leg["to_amount"] == {"15.00": "15", "25.00": "25", "27.50": "27.5"}[outcome.received]
        assert leg["destination_tx_hash"]
        assert (leg["destination_tx_hash"] == leg["tx_hash"]) is (leg["chain"] == leg["to_chain"])


@pytest.mark.spec("Test mode: scenarios in the checkout's test panel")
@pytest.mark.parametrize("family", ["evm", "solana"])
@pytest.mark.parametrize("asked_by", ["panel", "metadata"])
def test_no_route(world: World, api: ApiClient, family: str, asked_by: str) -> None:
    intent = create(api, metadata={"simulate": "fail_route"} if asked_by == "metadata" else {})
    payer = Payer.of(intent, family)
    tokens = payer.connect()
    more = {"scenario": "fail_route"} if asked_by == "panel" else {}
    attempt = payer.choose(tokens[0], **more)
    assert attempt["status"] == "failed"
    now = read(api, intent)
    assert (now["status"], now["last_error"]["code"]) == ("requires_payment", "route_unavailable")
    assert history(intent) == ["created", "requires_payment"]
    assert events(intent) == ["created"]
    state = payer.state()
    assert (state["message"]["code"], state["last_error"]["code"]) == ("route_unavailable", "route_unavailable")


def split_payer(world: World, intent: dict[str, Any]) -> tuple[Payer, dict[str, Any]]:
    """A payer whose wallet needs several transactions, with all of them in hand."""
    payer = Payer.of(intent, address=SPLIT_WALLET)
    attempt = payer.start(world)
    assert len(attempt["transactions"]) >= 2
    assert [part["leg_sequence"] for part in attempt["transactions"]] == list(range(1, len(attempt["parts"]) + 1))
    return payer, attempt


def test_several_transactions(world: World, api: ApiClient) -> None:
    intent = create(api, amount=1000)
    payer, attempt = split_payer(world, intent)
    payer.pay(attempt)
    world.run(8)
    now = read(api, intent)
    assert (now["status"], now["amount_received"], now["amount_due"]) == ("settled", "1000.00", "0.00")
    assert events(intent) == ["created", "quoted", "executing", "settled"]
    legs = api.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
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


def test_a_payer_who_leaves_after_the_first_of_several(world: World, api: ApiClient) -> None:
    """What arrived stays credited, and the rest can be paid."""
    intent = create(api, amount=1000)
    payer, attempt = split_payer(world, intent)
    payer.report(attempt, 1, payer.sign(attempt, 1))
    world.run(4)
    assert read(api, intent)["status"] == "executing"
    world.wait(600)
    world.run(3)
    now = read(api, intent)
    assert (now["status"], now["partially_funded"]) == ("partially_filled", True)
    assert 0 < float(now["amount_received"]) < 1000
    assert events(intent) == ["created", "quoted", "executing", "partially_filled"]
    again = Payer.of(intent)
    again.pay(again.start(world))
    world.run(4)
    assert read(api, intent)["status"] == "settled"


def test_a_first_of_several_that_reverts(world: World, api: ApiClient) -> None:
    intent = create(api, amount=1000)
    payer, attempt = split_payer(world, intent)
    payer.report(attempt, 1, payer.sign(attempt, 1, "fail_execution"))
    world.run(5)
    now = read(api, intent)
    assert (now["status"], now["amount_received"]) == ("requires_payment", "0.00")
    assert now["last_error"]["code"] == "execution_failed"
    payer.pay(payer.start(world))
    world.run(6)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.parametrize(
    "name",
    ["partial", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("bridge_refund", "in_doubt", "late"))],
)
def test_several_transactions_that_go_wrong(world: World, api: ApiClient, name: str) -> None:
    intent = create(api, amount=1000)
    payer, attempt = split_payer(world, intent)
    payer.pay(attempt, name)
    world.run(10)
    assert read(api, intent)["status"] == OUTCOMES[name].status


def test_the_wallet_of_a_panel_scenario_may_pay_again(world: World, api: ApiClient) -> None:
    intent = create(api, metadata={"simulate": "partial"})
    payer = paid(world, intent, ROUTES[0], None)
    payer.pay(payer.start(world, "ethereum", "USDC"), "settle")
    world.run(6)
    now = read(api, intent)
    assert shown(now) == QUIET | {"status": "settled", "amount_received": "25.00", "amount_due": "0.00"}


@pytest.mark.spec("Contract 2.15")
def test_in_doubt_refuses_a_second_payment(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = paid(world, intent, ROUTES[2], "in_doubt")
    state = payer.state()
    assert (state["status"], state["in_doubt"], state["message"]["code"]) == ("executing", True, "in_doubt")
    token = {"chain": "base", "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}
    for path, body in (("wallet", {"family": "evm", "address": payer.address}), ("quote", token)):
        reply = payer.send("POST", f"/{path}", body)
        assert (reply.status, reply.body["code"]) == (409, "in_doubt")
    advance(api, 600)
    world.run(4)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.parametrize("behaviour", ["approve", "settle", None])
def test_a_wallet_that_just_approves_plays_what_the_merchant_asked(
    world: World, api: ApiClient, behaviour: str | None
) -> None:
    intent = create(api, metadata={"simulate": "overpay"})
    paid(world, intent, ROUTES[0], behaviour)
    expected = "settle" if behaviour == "settle" else "overpay"
    assert shown(read(api, intent)) == expected_figures(OUTCOMES[expected])
