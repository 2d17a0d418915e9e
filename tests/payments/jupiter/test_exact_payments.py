"""Every pair, through the provider and a real runtime of the programs: the merchant gets the target, to the unit."""

from dataclasses import replace
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.clients.solana_transactions import reference_of
from localnet.solana.money import USDC
from payments.routing.base import LegKind, RouteWithdrawn
from tests.payments.jupiter.scene import ONE_SOL, TARGET, Scene, gained, raw_transaction

RENT = 2_039_280
"""What a token account of the classic program locks."""


@pytest.mark.parametrize("source", ["USDT", "SOL"])
def test_the_merchant_gets_the_target_to_the_unit(scene: Scene, source: str) -> None:
    request = scene.request(source)
    offer = scene.offer(request)
    assert (offer.error, offer.kind, offer.min_output_base_units) == (None, LegKind.SWAP, TARGET)
    assert offer.expected_output_base_units == TARGET
    mine, theirs = scene.held(scene.wallet), scene.held(scene.merchant)
    prepared = scene.prepare(request, offer.input_base_units)
    scene.pay(prepared)
    assert gained(theirs, scene.held(scene.merchant)) == {"USDC": TARGET}
    changes = gained(mine, scene.held(scene.wallet))
    assert 0 < changes["USDC"] < TARGET // 100
    if source == "USDT":
        assert changes["USDT"] == -prepared.input_base_units
        assert -RENT - 200_000 < changes["SOL"] <= -RENT - 5_000
    else:
        assert -RENT - 200_000 < changes["SOL"] + prepared.input_base_units <= -RENT - 5_000


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


def test_what_the_page_gets(scene: Scene) -> None:
    prepared = scene.prepare(scene.request())
    assert set(prepared.unsigned) == {"family", "chain", "transaction_base64", "reference", "last_valid_block_height"}
    assert (prepared.unsigned["family"], prepared.unsigned["chain"]) == ("solana", "solana")
    assert prepared.unsigned["reference"] == reference_of(str(scene.tag))
    latest = scene.node.rpc("getLatestBlockhash", {"commitment": "confirmed"})["value"]
    assert prepared.unsigned["last_valid_block_height"] == latest["lastValidBlockHeight"]
    assert len(raw_transaction(prepared)) <= 1232
    assert (prepared.min_output_base_units, prepared.bridge, prepared.raw["tool"]) == (TARGET, "", "metis")


def test_the_payment_is_found_by_its_reference(scene: Scene) -> None:
    prepared = scene.prepare(scene.request())
    signature = scene.pay(prepared)
    found = scene.node.rpc("getSignaturesForAddress", prepared.unsigned["reference"], {"commitment": "confirmed"})
    assert [one["signature"] for one in found] == [signature]
    assert str(scene.tag) in found[0]["memo"]


def test_the_input_is_little_more_than_what_is_needed(scene: Scene) -> None:
    offer = scene.offer(scene.request())
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


def test_nothing_is_offered_without_an_address(scene: Scene, settings: Settings) -> None:
    settings.JUPITER_URL = ""
    assert scene.provider.offers(scene.request()) == []
    assert scene.jupiter.asked == []


def test_nothing_is_offered_for_the_same_token(scene: Scene) -> None:
    assert scene.provider.offers(scene.request("USDC", "USDC")) == []


def test_a_cost_that_rose_asks_the_payer_again(scene: Scene) -> None:
    request = scene.request()
    agreed = scene.offer(request).input_base_units
    scene.jupiter.fee_bps = 100
    with pytest.raises(RouteWithdrawn, match="COSTS_ROSE"):
        scene.prepare(request, agreed)


def test_a_bad_price_is_no_offer(scene: Scene) -> None:
    scene.jupiter.fee_bps = 400
    assert scene.offer(scene.request()).price_impact_bps > 300
    with pytest.raises(RouteWithdrawn, match="PRICE_IMPACT_TOO_HIGH"):
        scene.prepare(scene.request())


def test_a_maker_that_delivers_less_is_refused(scene: Scene) -> None:
    scene.jupiter.shortfall_bps = 200
    with pytest.raises(RouteWithdrawn, match="OUTPUT_BELOW_TARGET"):
        scene.prepare(scene.request())


def test_an_empty_wallet_is_refused_by_the_simulation(scene: Scene) -> None:
    poor = Scene(node=scene.node, jupiter=scene.jupiter)
    scene.node.fund(poor.wallet, 5_000)
    with pytest.raises(RouteWithdrawn, match="SIMULATION_FAILED"):
        poor.prepare(poor.request())


def test_other_decimals_than_the_list_says_are_refused(scene: Scene) -> None:
    request = scene.request()
    request = replace(request, source=replace(request.source, decimals=8))
    with pytest.raises(RouteWithdrawn, match="TOKEN_DIFFERS"):
        scene.prepare(request)


def test_the_localnet_exchange_is_refused_on_mainnet(scene: Scene, settings: Settings) -> None:
    settings.NETWORK_PROFILE = "mainnet"
    assert scene.offer(scene.request()).error == "FOREIGN_PROGRAM"
    with pytest.raises(RouteWithdrawn, match="FOREIGN_PROGRAM"):
        scene.prepare(scene.request())


def test_fewer_accounts_are_asked_for_when_it_is_too_large(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chains.clients.solana_transactions.MOST_BYTES", 600)
    with pytest.raises(RouteWithdrawn, match="TRANSACTION_TOO_LARGE"):
        scene.prepare(scene.request())
    asked = [query.get("maxAccounts") for path, query in scene.jupiter.asked if path == "/swap/v2/build"]
    assert asked == sorted(asked, key=lambda most: most or "")
    assert set(asked) == {None, "50"}


def test_the_key_goes_with_every_question(scene: Scene, settings: Settings) -> None:
    scene.jupiter.key, settings.JUPITER_API_KEY = "right", "wrong"
    offer = scene.offer(scene.request())
    assert (offer.error, "Unauthorized" in offer.raw["answer"]) == ("PROVIDER_MISCONFIGURED", True)
    settings.JUPITER_API_KEY = "right"
    assert scene.offer(scene.request()).error is None
