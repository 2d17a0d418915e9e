"""Where an intent settles: defaults field by field in test mode, refusals in live mode."""

from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS
from core.clock import now
from merchants.models import Merchant
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM, ANNS_SOLANA, BOBS_EVM, settlement_profile
from tests.factories.rows import all_rows
from tests.payments.world import create
from tokens.models import Token
from tokens.settlement_pairs import SETTLEMENT_PAIRS

TEST_EVM = "0x7e57000000000000000000000000000000000001"
TEST_SOLANA = "J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg"
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
BOBS_SOLANA = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"
SOLANA = {"family": "solana", "chain": "solana", "token": "USDC", "address": ANNS_SOLANA, "is_default": False}
KEYS = ("settlement_chain", "settlement_token", "settlement_address")


def settled_where(body: dict[str, Any]) -> tuple[str, str, str]:
    return body["settlement_chain"], body["settlement_token"], body["settlement_address"]


def fields(chain: str | None = None, token: str | None = None, address: str | None = None) -> dict[str, str]:
    """The settlement part of a body; what is None is left out."""
    return {key: value for key, value in zip(KEYS, (chain, token, address), strict=True) if value is not None}


def refused(api: ApiClient, body: dict[str, Any]) -> Reply:
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25, **body})
    assert reply.status == 400, reply.body
    assert all_rows() == before
    return reply


DEFAULTS: list[tuple[dict[str, str], tuple[str, str, str]]] = [
    ({}, ("base", "USDC", TEST_EVM)),
    (fields(chain="polygon"), ("polygon", "USDC", TEST_EVM)),
    (fields(chain="solana"), ("solana", "USDC", TEST_SOLANA)),
    (fields(token="eth"), ("base", "ETH", TEST_EVM)),
    (fields(address=ANNS_EVM), ("base", "USDC", ANNS_EVM)),
    (fields("ethereum", "dai"), ("ethereum", "DAI", TEST_EVM)),
    (fields("solana", "SOL", ANNS_SOLANA), ("solana", "SOL", ANNS_SOLANA)),
    (fields(chain="moon"), ("moon", "USDC", TEST_EVM)),
    (fields("moon", "cheese", "crater 7"), ("moon", "CHEESE", "crater 7")),
    (fields("base", "USDC", "any text at all"), ("base", "USDC", "any text at all")),
]


@pytest.mark.spec("Contract 7.1; Behavior when settlement fields are omitted (not shown): our defaults")
def test_defaults_of_test_mode(api: ApiClient) -> None:
    assert [settled_where(create(api, **asked)) for asked, _ in DEFAULTS] == [place for _, place in DEFAULTS]


ALIASES = {
    **{"bsc": "bnb", "BSC": "bnb", "binance": "bnb", "eth": "ethereum", "Ethereum": "ethereum", "matic": "polygon"},
    **{"POLYGON": "polygon", "arb": "arbitrum", "op": "optimism", "sol": "solana", " base ": "base"},
    "MoonChain": "moonchain",
}


@pytest.mark.spec("Contract 7.3")
def test_aliases_case_and_names_that_grow_when_their_case_changes(api: ApiClient) -> None:
    for written, name in ALIASES.items():
        body = create(api, **fields(chain=written, token="uSdC"))
        assert (body["settlement_chain"], body["settlement_token"]) == (name, "USDC")
    for asked in (fields(token="ß" * 128), fields(chain="İ" * 128), fields(token="ŉ" * 65)):
        [problem] = refused(api, asked).body["details"]["fields"]
        assert (problem["field"], problem["code"]) == (next(iter(asked)), "too_long")


FILLED: list[tuple[dict[str, str], tuple[str, str, str]]] = [
    ({}, ("polygon", "USDT", ANNS_EVM)),
    (fields(chain="polygon"), ("polygon", "USDT", ANNS_EVM)),
    (fields(chain="matic"), ("polygon", "USDT", ANNS_EVM)),
    (fields(token="usdc"), ("polygon", "USDC", ANNS_EVM)),
    (fields(address=BOBS_EVM), ("polygon", "USDT", BOBS_EVM)),
    (fields(chain="base"), ("base", "USDC", ANNS_EVM)),
    (fields(chain="solana"), ("solana", "USDC", TEST_SOLANA)),
    (fields("base", "ETH", BOBS_EVM), ("base", "ETH", BOBS_EVM)),
]


def test_a_profile_fills_in_test_mode(
    api: ApiClient, live_api: ApiClient, merchant: Merchant, other_account: NewMerchant
) -> None:
    """One of somebody else fills nothing."""
    for mode in ("test", "live"):
        settlement_profile(other_account.merchant, mode=mode, address=BOBS_EVM)
    assert settled_where(create(api)) == ("base", "USDC", TEST_EVM)
    assert refused(live_api, {}).body["code"] == "settlement_profile_missing"
    settlement_profile(merchant, mode="test", chain="polygon", token="USDT")
    settlement_profile(merchant, mode="live", chain="ethereum", token="DAI", address=BOBS_EVM)
    assert [settled_where(create(api, **asked)) for asked, _ in FILLED] == [place for _, place in FILLED]


MISSING: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["settlement_chain", "settlement_address"]),
    (fields(token="USDC"), ["settlement_chain", "settlement_address"]),
    (fields(chain="base"), ["settlement_address"]),
    (fields("base", "USDC"), ["settlement_address"]),
    (fields(address=ANNS_EVM), ["settlement_chain"]),
    (fields(token="USDC", address=ANNS_EVM), ["settlement_chain"]),
]


@pytest.mark.spec("Contract 5.5; Live mode: settlement defaults")
def test_live_needs_a_place(live_api: ApiClient) -> None:
    for asked, missing in MISSING:
        reply = refused(live_api, asked)
        assert (reply.body["code"], reply.body["details"]) == ("settlement_profile_missing", {"missing": missing})


@pytest.mark.spec("Contract 7.2; Live mode: create works")
@pytest.mark.spec("Test mode: any settlement chain/token combination is accepted")
def test_every_allowed_pair_is_created_in_both_modes(api: ApiClient, live_api: ApiClient, merchant: Merchant) -> None:
    settlement_profile(merchant, address=ANNS_EVM, proven_at=now())
    settlement_profile(merchant, **SOLANA, proven_at=now())
    for pair in SETTLEMENT_PAIRS:
        address = ANNS_SOLANA if pair.chain == "solana" else ANNS_EVM
        for mode, caller in (("test", api), ("live", live_api)):
            body = create(caller, **fields(pair.chain.upper(), pair.symbol.lower(), address))
            assert (body["mode"], *settled_where(body)) == (mode, pair.chain, pair.symbol, address)
            stored = PaymentIntent.objects.get(pk=body["id"])
            assert stored.settlement_token_address == pair.address
            assert stored.settlement_decimals == Token.objects.get(chain=pair.chain, address=pair.address).decimals


COINS = [pair for pair in SETTLEMENT_PAIRS if pair.address in (EVM_NATIVE_ADDRESS, SOLANA_NATIVE_ADDRESS)]


@pytest.mark.spec("Rulings C13.2")
@pytest.mark.parametrize("pair", COINS, ids=lambda pair: f"{pair.chain} {pair.symbol}")
def test_a_coin_settles_at_proven_addresses_only(live_api: ApiClient, merchant: Merchant, pair: Any) -> None:
    """Neither at one that no profile has, nor at another than the proven one; a token settles at each."""
    is_solana = pair.chain == "solana"
    mine, other = (ANNS_SOLANA, BOBS_SOLANA) if is_solana else (ANNS_EVM, BOBS_EVM)
    coin = fields(pair.chain, pair.symbol)
    assert refused(live_api, coin | fields(address=mine)).body["code"] == "settlement_address_unproven"
    family = "solana" if is_solana else "evm"
    profile = settlement_profile(merchant, family=family, chain=pair.chain, token=pair.symbol, address=mine)
    for asked in (coin, coin | fields(address=mine), fields(), fields(pair.chain)):
        assert refused(live_api, asked).body["code"] == "settlement_address_unproven"
    profile.proven_at = now()
    profile.save(update_fields=["proven_at"])
    assert refused(live_api, coin | fields(address=other)).body["code"] == "settlement_address_unproven"
    assert settled_where(create(live_api)) == (pair.chain, pair.symbol, mine)
    assert create(live_api, **fields(pair.chain, "USDC", other))["settlement_address"] == other


@pytest.mark.spec("Contract 7.1")
def test_a_profile_fills_in_live_mode(live_api: ApiClient, merchant: Merchant) -> None:
    settlement_profile(merchant)
    settlement_profile(merchant, **SOLANA | {"token": "USDT"})
    assert settled_where(create(live_api)) == ("ethereum", "PYUSD", ANNS_EVM)
    assert settled_where(create(live_api, **fields(chain="base"))) == ("base", "USDC", ANNS_EVM)
    assert settled_where(create(live_api, **fields(chain="solana"))) == ("solana", "USDT", ANNS_SOLANA)
    assert settled_where(create(live_api, **fields(address=BOBS_EVM.lower()))) == ("ethereum", "PYUSD", BOBS_EVM)


@pytest.mark.spec("Contract 5.6; The list of allowed settlement chain/token pairs (not shown): ours")
def test_other_pairs_are_refused_live(live_api: ApiClient) -> None:
    allowed = [{"chain": pair.chain, "token": pair.symbol} for pair in SETTLEMENT_PAIRS]
    pairs = [("base", "USDT"), ("base", "DAI"), ("solana", "PYUSD"), ("moon", "USDC"), ("tron", "USDT"), ("bnb", "ETH")]
    for chain, token in pairs:
        reply = refused(live_api, fields(chain, token, ANNS_EVM))
        assert (reply.body["code"], reply.body["details"]) == ("settlement_pair_unsupported", {"allowed": allowed})


BAD_ADDRESSES = {
    "base": [
        *("0x52908400098527886E0F7030069857D2E4169EE", "0x52908400098527886E0F7030069857D2E4169Ee7", ANNS_SOLANA),
        *("0x000000000000000000000000000000000000dEaD", USDC_ON_BASE, USDC_ON_BASE.lower()),
    ],
    "ethereum": [USDC_ON_BASE],
    "solana": [ANNS_EVM, "11111111111111111111111111111111", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
}
"""One of each kind; all of them are in tests/chains/test_addresses.py."""


@pytest.mark.spec("Contract 5.7")
def test_addresses_that_are_refused_live(live_api: ApiClient) -> None:
    for chain, addresses in BAD_ADDRESSES.items():
        for address in addresses:
            reply = refused(live_api, fields(chain, "USDC", address))
            family = "solana" if chain == "solana" else "evm"
            assert reply.body["code"] == "settlement_address_invalid", address
            assert reply.body["details"] == {"chain": chain, "chain_family": family}


@pytest.mark.spec("Rulings C13.3; Live mode: locked settlement addresses (ours)")
def test_locked_addresses(live_api: ApiClient, api: ApiClient, merchant: Merchant) -> None:
    """A lock of one family holds the other: whoever stole a key would only have to name another chain."""
    settlement_profile(merchant, locked=True)
    for chain, address in (("base", BOBS_EVM), ("base", BOBS_EVM.lower()), ("solana", ANNS_SOLANA)):
        reply = refused(live_api, fields(chain, "USDC", address))
        assert (reply.body["code"], reply.body["details"]) == ("settlement_address_not_allowed", {})
    for written in (ANNS_EVM, ANNS_EVM.lower()):
        assert settled_where(create(live_api, **fields("base", "USDC", written))) == ("base", "USDC", ANNS_EVM)
    assert settled_where(create(api, **fields(address=BOBS_EVM))) == ("base", "USDC", BOBS_EVM)
    settlement_profile(merchant, **SOLANA)
    assert create(live_api, **fields("solana", "USDC", ANNS_SOLANA))["settlement_address"] == ANNS_SOLANA
    reply = refused(live_api, fields("solana", "USDC", BOBS_SOLANA))
    assert reply.body["code"] == "settlement_address_not_allowed"
