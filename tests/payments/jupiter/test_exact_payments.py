"""Every pair, through the provider and a real runtime of the programs: the merchant gets the target, to the unit."""

import base64
from dataclasses import replace
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.instructions.transactions import reference_of
from localnet.solana.money import USDC
from payments.routing.base import LegKind, RouteRequest, RouteWithdrawn
from tests.payments.jupiter.scene import ONE_SOL, TARGET, Scene, gained

RENT = 2_039_280
"""What a token account of the classic program locks."""


@pytest.mark.parametrize("source", ["USDT", "SOL"])
def test_the_merchant_gets_the_target_to_the_unit(scene: Scene, source: str) -> None:
    """And the payment is found by its reference."""
    request = scene.request(source)
    offer = scene.offer(request)
    assert (offer.error, offer.kind, offer.min_output_base_units) == (None, LegKind.SWAP, TARGET)
    assert offer.expected_output_base_units == TARGET
    mine, theirs = scene.held(scene.wallet), scene.held(scene.merchant)
    prepared = scene.prepare(request, offer.input_base_units)
    signature = scene.pay(prepared)
    assert gained(theirs, scene.held(scene.merchant)) == {"USDC": TARGET}
    changes = gained(mine, scene.held(scene.wallet))
    assert 0 < changes["USDC"] < TARGET // 100
    assert changes.get("USDT", 0) == (-prepared.input_base_units if source == "USDT" else 0)
    fees = changes["SOL"] + (prepared.input_base_units if source == "SOL" else 0)
    assert -RENT - 200_000 < fees <= -RENT - 5_000
    found = scene.node.rpc("getSignaturesForAddress", prepared.unsigned["reference"], {"commitment": "confirmed"})
    assert [one["signature"] for one in found] == [signature]
    assert str(scene.tag) in found[0]["memo"]


@pytest.mark.parametrize("source", ["USDC", "USDT"])
def test_sol_settles_unwrapped(scene: Scene, source: str) -> None:
    target = ONE_SOL // 10
    request = scene.request(source, "SOL", target)
    theirs, mine = scene.held(scene.merchant), scene.held(scene.wallet)
    prepared = scene.prepare(request, scene.offer(request).input_base_units)
    scene.pay(prepared)
    assert gained(theirs, scene.held(scene.merchant)) == {"SOL": target}
    changes = gained(mine, scene.held(scene.wallet))
    assert (changes[source], changes["SOL"] > 0) == (-prepared.input_base_units, True)


def test_what_the_page_gets_and_the_input_is_little_more_than_what_is_needed(scene: Scene) -> None:
    prepared, offer = scene.prepare(scene.request()), scene.offer(scene.request())
    made = prepared.unsigned
    latest = scene.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]
    assert len(base64.b64decode(made.pop("transaction_base64"))) <= 1232
    place = {"family": "solana", "chain": "solana", "last_valid_block_height": latest["lastValidBlockHeight"]}
    assert made == {**place, "reference": reference_of(str(scene.tag))}
    assert (prepared.min_output_base_units, prepared.bridge, prepared.raw["tool"]) == (TARGET, "", "metis")
    fair = TARGET * 10_000 // 9_950
    assert fair < int(offer.raw["in_amount"]) < fair * 1_002 // 1_000
    assert offer.input_base_units == -(-int(offer.raw["in_amount"]) * 10_050 // 10_000)
    assert TARGET <= int(offer.raw["least_output"]) <= TARGET * 1_001 // 1_000


@pytest.mark.spec("Contract 7.5")
def test_an_account_that_exists_costs_no_rent(scene: Scene) -> None:
    dear = scene.offer(scene.request()).gas_usd
    scene.node.mint(USDC, scene.merchant, 1)
    scene.prepare(scene.request())
    cheap = scene.offer(scene.request()).gas_usd
    assert dear - cheap == 2 * Decimal(RENT) * 150 / 10**9


def test_nothing_is_offered_without_an_address_or_for_the_same_token(scene: Scene, settings: Settings) -> None:
    assert scene.provider.offers(scene.request("USDC", "USDC")) == []
    settings.JUPITER_URL = ""
    assert scene.provider.offers(scene.request()) == []
    assert scene.jupiter.asked == []


def withdrawn(scene: Scene, request: RouteRequest, most: int = 10**12) -> str:
    with pytest.raises(RouteWithdrawn) as refused:
        scene.prepare(request, most)
    return str(refused.value)


def test_a_worse_price_than_agreed_asks_the_payer_again(scene: Scene) -> None:
    """A bad price is no offer, and a maker that delivers less is refused."""
    request = scene.request()
    agreed = scene.offer(request).input_base_units
    usual, scene.jupiter.fee_bps = scene.jupiter.fee_bps, 100
    assert "COSTS_ROSE" in withdrawn(scene, request, agreed)
    scene.jupiter.fee_bps = 400
    assert scene.offer(request).price_impact_bps > 300
    assert "PRICE_IMPACT_TOO_HIGH" in withdrawn(scene, request)
    scene.jupiter.fee_bps, scene.jupiter.shortfall_bps = usual, 200
    assert "OUTPUT_BELOW_TARGET" in withdrawn(scene, request)


def test_what_the_chain_says_otherwise_is_refused(scene: Scene, settings: Settings) -> None:
    """An empty wallet by the simulation, other decimals than the list says, and localnet's exchange on mainnet."""
    poor = Scene(node=scene.node, jupiter=scene.jupiter)
    scene.node.fund(poor.wallet, 5_000)
    assert "SIMULATION_FAILED" in withdrawn(poor, poor.request())
    request = scene.request()
    assert "TOKEN_DIFFERS" in withdrawn(scene, replace(request, source=replace(request.source, decimals=8)))
    settings.NETWORK_PROFILE = "mainnet"
    assert scene.offer(request).error == "FOREIGN_PROGRAM"
    assert "FOREIGN_PROGRAM" in withdrawn(scene, request)


def test_fewer_accounts_are_asked_for_when_it_is_too_large(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chains.instructions.transactions.MOST_BYTES", 600)
    assert "TRANSACTION_TOO_LARGE" in withdrawn(scene, scene.request())
    asked = [query.get("maxAccounts") for path, query in scene.jupiter.asked if path == "/swap/v2/build"]
    assert asked == sorted(asked, key=lambda most: most or "")
    assert set(asked) == {None, "50"}


def test_the_key_goes_with_every_question(scene: Scene, settings: Settings) -> None:
    scene.jupiter.key, settings.JUPITER_API_KEY = "right", "wrong"
    offer = scene.offer(scene.request())
    assert (offer.error, "Unauthorized" in offer.raw["answer"]) == ("PROVIDER_MISCONFIGURED", True)
    settings.JUPITER_API_KEY = "right"
    assert scene.offer(scene.request()).error is None
