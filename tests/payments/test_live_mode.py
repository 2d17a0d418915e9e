"""Live intents before any provider is configured: created, never paid with play money, and honest about it."""

from decimal import Decimal
from typing import Any

import pytest

from chains.models import SimulatedTransaction
from core.clock import now
from payments.models import Credit, PaymentAttempt
from payments.scenarios import scenarios
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.world import World, create, events, history, read
from tokens.models import Token
from tokens.services import record_usd_price

PLACE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
USDC = {"chain": "base", "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}


def opened(world: World, live_api: ApiClient, **fields: Any) -> tuple[dict[str, Any], Payer]:
    intent = create(live_api, **PLACE, **fields)
    payer = Payer.of(intent)
    assert payer.connect() == []
    return intent, payer


@pytest.mark.spec("Rulings C16.1; Live intents end in route_unavailable before providers are configured")
@pytest.mark.parametrize(("family", "is_priced"), [("evm", True), ("evm", False), ("solana", True)])
def test_a_live_payer_is_told_that_no_route_works(
    world: World, live_api: ApiClient, family: str, is_priced: bool
) -> None:
    if is_priced:
        record_usd_price(Token.objects.get(chain="base", symbol="USDC"), Decimal(1), now())
    intent = create(live_api, **PLACE, metadata={"simulate": "settle"})
    payer = Payer.of(intent, family)
    assert payer.connect() == []
    for shown in (payer.state(), read(live_api, intent)):
        assert (shown["status"], shown["last_error"]["code"]) == ("requires_payment", "route_unavailable")
    assert payer.state()["message"]["code"] == "route_unavailable"
    assert history(intent) == ["created", "requires_payment"]
    assert events(intent) == ["created"]


@pytest.mark.spec("Contract 7.6; Rulings A3.3")
def test_there_is_neither_an_unlisted_token_nor_a_simulated_network(world: World, live_api: ApiClient) -> None:
    _, payer = opened(world, live_api)
    before = all_rows()
    reply = payer.send("POST", "/quote", USDC)
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    fields = [(one["field"], one["code"]) for one in reply.body["details"]["fields"]]
    assert fields == [("token_address", "unknown_value")]
    body = {"attempt_id": "5b1f6bb8-43bc-4e6e-9d3a-000000000000", "leg_sequence": 1}
    reply = payer.send("POST", "/simulated-wallet/transactions", body)
    assert (reply.status, reply.body["code"], reply.body["details"]) == (404, "not_found", {"resource": "path"})
    assert all_rows() == before


@pytest.mark.spec("Rulings A3.3; Test and live keys and intents cannot cross environments")
def test_scenarios_mean_nothing(world: World, live_api: ApiClient) -> None:
    intents = {name: opened(world, live_api, metadata={"simulate": name})[0] for name in scenarios()}
    world.run(3)
    for name, intent in intents.items():
        shown = read(live_api, intent)
        assert (shown["status"], shown["metadata"]) == ("requires_payment", {"simulate": name})
    assert (PaymentAttempt.objects.count(), Credit.objects.count(), SimulatedTransaction.objects.count()) == (0, 0, 0)
    world.wait(1800)
    world.run(0)
    assert {read(live_api, intent)["status"] for intent in intents.values()} == {"expired"}
