"""Finding tokens, the allow-list of live settlement, prices and their age."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from chains.addresses import refuse_unpayable
from chains.errors import UnpayableAddress
from chains.registry import CHAINS
from core.clock import now
from tokens import selectors
from tokens.models import Token, TokenPrice
from tokens.price_rules import SIMULATED_USD_PRICES
from tokens.services import record_usd_price
from tokens.sources.bundled import bundled_tokens

pytestmark = pytest.mark.django_db
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NATIVE = "0x0000000000000000000000000000000000000000"


def eth_on_base() -> Token:
    return Token.objects.get(chain="base", address=NATIVE)


def test_a_token_is_found_in_any_letter_case_and_the_native_coin_in_every_spelling() -> None:
    in_any_case = (USDC_ON_BASE, USDC_ON_BASE.lower(), "0x" + USDC_ON_BASE[2:].upper())
    for chain, address, symbol in (
        *(("BASE", address, "USDC") for address in in_any_case),
        *(("base", NATIVE, "ETH"), ("base", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "ETH")),
        ("bsc", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "BNB"),
        ("matic", "0x0000000000000000000000000000000000001010", "POL"),
        ("solana", "11111111111111111111111111111111", "SOL"),
        ("solana", "So11111111111111111111111111111111111111112", "WSOL"),
    ):
        token = selectors.find_token(chain, address)
        assert token is not None
        assert token.symbol == symbol
        assert symbol != "USDC" or (token.chain, token.address) == ("base", USDC_ON_BASE)
    for chain, address in (
        *(("solana", USDC_ON_BASE), ("ethereum", USDC_ON_BASE), ("tron", USDC_ON_BASE), ("base", "USDC"), ("base", "")),
        *(("base", "0x0000000000000000000000000000000000001010"), ("base", USDC_ON_BASE.replace("f", "F", 1))),
    ):
        assert selectors.find_token(chain, address) is None, (chain, address)
    assert [token.symbol for token in selectors.tokens_on("bsc")] == ["BNB", "USDC", "USDT", "WBNB"]
    assert list(selectors.tokens_on("tron")) == []


@pytest.mark.spec("Contract 7.2; Contract 7.4")
def test_the_allow_list_of_live_settlement() -> None:
    listed = {
        **{"ethereum": ["USDC", "USDT", "PYUSD", "DAI", "ETH"], "base": ["USDC", "ETH"]},
        **{"arbitrum": ["USDC", "USDT", "ETH"], "optimism": ["USDC", "USDT", "ETH"]},
        **{"polygon": ["USDC", "USDT", "POL"], "bnb": ["USDC", "USDT", "BNB"], "solana": ["USDC", "USDT", "SOL"]},
    }
    allowed = [(pair["chain"], pair["token"]) for pair in selectors.allowed_settlement_pairs()]
    assert sorted(allowed) == sorted((chain, symbol) for chain, symbols in listed.items() for symbol in symbols)
    for chain, symbols in listed.items():
        assert [symbol for where, symbol in allowed if where == chain] == symbols
        found = [selectors.settlement_token(chain, symbol.lower()) for symbol in symbols]
        assert [(token.chain, token.symbol) for token in found if token] == [(chain, symbol) for symbol in symbols]
    refused = {"base": ["USDT", "WETH", ""], "polygon": ["USDC.e"], "solana": ["ETH"], "tron": ["USDT"]}
    asked = [(chain, symbol) for chain, symbols in refused.items() for symbol in symbols]
    assert [pair for pair in asked if selectors.settlement_token(*pair) is not None] == []
    token = selectors.settlement_token("matic", "usdc")  # the native dollar, and not the bridged one
    assert token is not None
    assert token.address == "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"


def test_a_fake_with_the_same_symbol_is_never_taken_for_settlement_nor_one_that_lost_its_trust() -> None:
    fake = {"chain": "base", "symbol": "USDC", "decimals": 6, "verified": True, "source": "test"}
    Token.objects.create(address="0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", **fake)
    token = selectors.settlement_token("base", "USDC")
    assert token is not None
    assert token.address == USDC_ON_BASE
    Token.objects.filter(pk=token.pk).update(verified=False)
    assert selectors.settlement_token("base", "USDC") is None
    before = Token.objects.count()
    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.create(address=USDC_ON_BASE, **fake)
    assert Token.objects.count() == before


def test_a_token_contract_is_refused_as_a_destination_also_on_a_sister_chain() -> None:
    for chain in ("base", "ethereum"):
        known = {entry.name: entry for entry in CHAINS}[chain]
        with pytest.raises(UnpayableAddress) as caught:
            refuse_unpayable(known, USDC_ON_BASE, selectors.token_contracts_at(chain, USDC_ON_BASE))
        assert caught.value.reason == "token"
    assert selectors.token_contracts_at("base", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed") == frozenset()
    assert selectors.token_contracts_at("solana", USDC_ON_BASE) == frozenset()
    assert selectors.token_contracts_at("tron", USDC_ON_BASE) == frozenset()


@pytest.mark.spec("Rulings C5.2")
def test_a_fresh_price_counts_and_none_that_is_old_or_from_the_future() -> None:
    exact = Decimal("2512.123456789012345678")
    assert selectors.usd_price(eth_on_base(), 60) is None
    for age_seconds in (0, 59, -59, 62, 86_400, -62, -86_400):
        TokenPrice.objects.all().delete()
        record_usd_price(eth_on_base(), exact, now() - timedelta(seconds=age_seconds))
        expected = exact if abs(age_seconds) < 60 else None
        assert selectors.usd_price(eth_on_base(), 60) == expected, age_seconds
    moment = now() + timedelta(days=2)
    for price, at in (("2500", moment), ("1", moment - timedelta(seconds=1))):
        record_usd_price(eth_on_base(), Decimal(price), at)
    kept = TokenPrice.objects.get()
    assert (kept.price_usd, kept.priced_at, kept.source) == (Decimal("2500"), moment, "operator")


def test_a_price_keeps_every_digit_and_what_is_no_price_is_not_stored() -> None:
    for none in ("0", "-1", "NaN"):
        with pytest.raises((ValueError, ArithmeticError)):
            record_usd_price(eth_on_base(), Decimal(none), now())
    assert TokenPrice.objects.count() == 0
    first = now()
    for later, price in enumerate(("0.000000000000000001", "99999999999999999999.999999999999999999", "1")):
        record_usd_price(eth_on_base(), Decimal(price), first + timedelta(seconds=later))
        assert TokenPrice.objects.get().price_usd == Decimal(price)


def usdc_on_base() -> Token:
    return Token.objects.get(chain="base", symbol="USDC")


@pytest.mark.spec("Rulings C5.2")
def test_a_source_is_not_overwritten_by_another_and_twice_it_is_one_source() -> None:
    for _ in range(2):
        record_usd_price(eth_on_base(), Decimal("2500"), now(), "lifi")
    assert selectors.settlement_usd_price(eth_on_base()) is None
    record_usd_price(eth_on_base(), Decimal("2490"), now(), "jupiter")
    assert dict(TokenPrice.objects.values_list("source", "price_usd")) == {"lifi": 2500, "jupiter": 2490}
    assert selectors.usd_price(eth_on_base(), 60) == Decimal("2490")


@pytest.mark.spec("Rulings C5.2")
@pytest.mark.parametrize(
    ("first", "second", "age_seconds", "price"),
    [
        *(("2500", "2500", 0, "2500"), ("2525", "2500", 0, "2500"), ("2500", "2525", 59, "2500")),
        *(("2525.01", "2500", 0, None), ("25000", "2500", 0, None), ("2500", "2500", 62, None)),
        ("2500", "2500", -62, None),
    ],
)
def test_settlement_in_a_coin_needs_two_fresh_sources_that_agree(
    first: str, second: str, age_seconds: int, price: str | None
) -> None:
    record_usd_price(eth_on_base(), Decimal(first), now(), "lifi")
    assert selectors.settlement_usd_price(eth_on_base()) is None
    record_usd_price(eth_on_base(), Decimal(second), now() - timedelta(seconds=age_seconds), "jupiter")
    assert selectors.settlement_usd_price(eth_on_base()) == (None if price is None else Decimal(price))


@pytest.mark.spec("Rulings C4.2")
@pytest.mark.parametrize(("off_seconds", "price"), [(-300, "2500"), (300, "2500"), (-301, None), (301, None)])
def test_the_price_of_a_block_is_what_was_said_within_five_minutes_of_it(off_seconds: int, price: str | None) -> None:
    block = now() - timedelta(hours=2)
    record_usd_price(eth_on_base(), Decimal("2510"), block, "lifi")
    assert selectors.settlement_usd_price_at(eth_on_base(), block) is None
    record_usd_price(eth_on_base(), Decimal("2500"), block + timedelta(seconds=off_seconds), "jupiter")
    assert selectors.settlement_usd_price_at(eth_on_base(), block) == (None if price is None else Decimal(price))
    assert sorted(selectors.last_usd_prices(eth_on_base())) == [2500, 2510]


@pytest.mark.spec("Rulings C5.1")
@pytest.mark.parametrize(
    ("prices", "counts"),
    [
        *((["1"], True), (["0.98"], True), (["1.02"], True), (["0.979999"], False), (["1.020001"], False)),
        *((["1", "0.97"], False), (["10"], False), ([], False)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_dollar_counts_as_one_while_every_fresh_source_says_so(prices: list[str], counts: bool) -> None:
    for number, price in enumerate(prices):
        record_usd_price(usdc_on_base(), Decimal(price), now(), f"source {number}")
    expected = Decimal(1) if counts else None
    assert selectors.usd_price(usdc_on_base()) == expected
    assert selectors.settlement_usd_price(usdc_on_base()) == expected


def test_test_mode_is_made_of_the_committed_list_and_fixed_prices_alone() -> None:
    assert {token.symbol.upper() for token in selectors.all_tokens()} == set(SIMULATED_USD_PRICES)
    facts = {"address": USDC_ON_BASE, "symbol": "USDC", "decimals": 6, "verified": True, "source": "lifi"}
    Token.objects.create(chain="optimism", **facts)
    listed = list(selectors.committed_tokens().values_list("chain", "symbol"))
    assert listed == sorted((token.chain, token.symbol) for token in bundled_tokens())
    prices = {"USDC": "1", "usdc.e": "1", "ETH": "2500", "WETH": "2500", "POL": "0.5", "BNB": "600", "SOL": "150"}
    for symbol, price in (prices | {"ANYTHING": "1"}).items():
        assert selectors.simulated_usd_price(symbol) == Decimal(price)
