"""Prices over real HTTP: who is asked for what, what is stored, and that a bad answer leaves what was there."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from core.clock import now
from tests.tokens.aggregators import FAULTS, Aggregator
from tokens.models import Token, TokenPrice
from tokens.selectors import settlement_usd_price, usd_price
from tokens.services import price_held, prices, record_usd_price, refresh_prices
from tokens.tasks import refresh_prices as task

pytestmark = pytest.mark.django_db
NATIVE = "0x0000000000000000000000000000000000000000"
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_ON_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
USDT_ON_SOLANA = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
SOL = "11111111111111111111111111111111"
WRAPPED = {
    "SOL": "So11111111111111111111111111111111111111112",
    "ETH": "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs",
    "BNB": "9gP2kCy3wA1ctvYWQk75guqXuHfrEomqydHLtcTCqiLa",
}


@pytest.fixture(autouse=True)
def _nodes(settings: Settings) -> None:
    settings.RPC_URLS = dict.fromkeys(settings.RPC_URLS, []) | {"base": ["http://localhost:1"]}


def lifi_price(price: Any, decimals: Any = 18) -> dict[str, Any]:
    return {"priceUSD": price, "decimals": decimals}


def jupiter_price(price: Any, decimals: Any = 8) -> dict[str, Any]:
    return {"usdPrice": price, "decimals": decimals, "blockId": 348004023, "liquidity": 621679197.67}


def token(chain: str = "base", symbol: str = "ETH") -> Token:
    return Token.objects.get(chain=chain, symbol=symbol)


def told(chain: str = "base", symbol: str = "ETH") -> dict[str, Decimal]:
    return {row.source: row.price_usd for row in token(chain, symbol).prices.all() if row.price_usd}


def test_what_quotes_on_base_need_is_asked_of_both(lifi: Aggregator, jupiter: Aggregator) -> None:
    lifi.prices = {NATIVE: lifi_price("2512.123456789012345678"), USDC_ON_BASE: lifi_price("0.9998", 6)}
    jupiter.prices = {WRAPPED["ETH"]: jupiter_price(2511.9)}
    refresh_prices()
    assert sorted(lifi.asked) == [f"/token?chain=8453&token={NATIVE}", f"/token?chain=8453&token={USDC_ON_BASE}"]
    assert jupiter.asked == [f"/price/v3?ids={WRAPPED['ETH']}"]
    assert told() == {"lifi": Decimal("2512.123456789012345678"), "jupiter": Decimal("2511.9")}
    assert told(symbol="USDC") == {"lifi": Decimal("0.9998")}
    assert (settlement_usd_price(token()), usd_price(token(symbol="USDC"))) == (Decimal("2511.9"), Decimal(1))


def test_tokens_of_solana_have_two_sources(lifi: Aggregator, jupiter: Aggregator, settings: Settings) -> None:
    settings.RPC_URLS = {**settings.RPC_URLS, "base": [], "solana": ["http://localhost:1"]}
    lifi.prices = {SOL: lifi_price("150.5", 9), USDC_ON_SOLANA: lifi_price("1.0001", 6)}
    jupiter.prices = {WRAPPED["SOL"]: jupiter_price(150.1, 9), USDC_ON_SOLANA: jupiter_price(0.9999, 6)}
    refresh_prices()
    assert told("solana", "SOL") == {"lifi": Decimal("150.5"), "jupiter": Decimal("150.1")}
    assert told("solana", "USDC") == {"lifi": Decimal("1.0001"), "jupiter": Decimal("0.9999")}
    [asked] = jupiter.asked
    assert set(asked.partition("ids=")[2].split("%2C")) == {WRAPPED["SOL"], USDC_ON_SOLANA, USDT_ON_SOLANA}
    assert settlement_usd_price(token("solana", "SOL")) == Decimal("150.1")


@pytest.mark.parametrize(
    ("chain", "symbol", "sources"),
    [("ethereum", "ETH", {"lifi", "jupiter"}), ("bnb", "BNB", {"lifi", "jupiter"}), ("polygon", "POL", {"lifi"})],
)
def test_coins_that_trade_on_solana_have_a_second_source(
    lifi: Aggregator, jupiter: Aggregator, settings: Settings, chain: str, symbol: str, sources: set[str]
) -> None:
    settings.RPC_URLS = {**settings.RPC_URLS, chain: ["http://localhost:1"]}
    lifi.prices = {NATIVE: lifi_price("600")}
    jupiter.prices = {mint: jupiter_price(601) for mint in WRAPPED.values()}
    refresh_prices()
    assert set(told(chain, symbol)) == sources
    assert settlement_usd_price(token(chain, symbol)) == (Decimal(600) if len(sources) == 2 else None)
    assert usd_price(token(chain, symbol)) == Decimal(600)


def test_nobody_is_asked_for_nothing(lifi: Aggregator, jupiter: Aggregator, settings: Settings) -> None:
    nodes, settings.RPC_URLS = settings.RPC_URLS, dict.fromkeys(settings.RPC_URLS, [])
    task()
    settings.RPC_URLS, settings.LIFI_URL, settings.JUPITER_URL = nodes, "", ""
    task()
    assert (lifi.asked, jupiter.asked, TokenPrice.objects.count()) == ([], [], 0)


@pytest.mark.spec("Rulings C5.3")
def test_a_price_is_as_old_as_the_cache_says_and_one_or_a_tenfold_one_settles_nothing(
    lifi: Aggregator, jupiter: Aggregator
) -> None:
    lifi.prices, lifi.headers = {NATIVE: lifi_price("25000")}, {"Age": "61"}
    refresh_prices()
    assert (told(), usd_price(token())) == ({"lifi": Decimal(25000)}, None)
    lifi.headers = {"Age": "nonsense"}
    refresh_prices()
    assert (usd_price(token()), settlement_usd_price(token())) == (Decimal(25000), None)
    jupiter.prices = {WRAPPED["ETH"]: jupiter_price(2500)}
    refresh_prices()
    assert settlement_usd_price(token()) is None


def test_prices_are_exact_in_every_spelling_and_what_is_no_price_is_not_stored(
    lifi: Aggregator, jupiter: Aggregator
) -> None:
    no_prices: list[Any] = [
        *("0", "-1", "", "1e10", "NaN", "Infinity", "1,000", " 1", "0x10", "1" * 400, "١", None, True, [1], {"usd": 1}),
        *(0, -1, 10**10, 1e-13, 1e300),
    ]
    for price, decimals in (*((price, 18) for price in no_prices), *(("1", other) for other in (17, "18", None))):
        lifi.prices = {NATIVE: lifi_price(price, decimals)}
        jupiter.prices = {WRAPPED["ETH"]: jupiter_price(price, 8 if decimals == 18 else decimals)}
        refresh_prices()
        assert TokenPrice.objects.count() == 0, (price, decimals)
    jupiter.prices = {}
    for wrong in ({"address": USDC_ON_BASE}, {"chainId": 1}, {"address": None}, {"chainId": None}):
        lifi.prices = {NATIVE: lifi_price("1") | wrong}
        refresh_prices()
        assert told() == {}, wrong
    exact: list[tuple[Any, str]] = [
        *(("1e-6", "0.000001"), ("2.5E-5", "0.000025"), (1e-12, "0.000000000001"), (7, "7")),
        ("1000000000", "1000000000"),
    ]
    for price, stored in exact:
        TokenPrice.objects.all().delete()
        lifi.prices = {NATIVE: lifi_price(price)}
        refresh_prices()
        assert told() == {"lifi": Decimal(stored)}


def test_a_bad_answer_leaves_the_old_prices_to_grow_old(lifi: Aggregator, jupiter: Aggregator) -> None:
    lifi.prices, jupiter.prices = {NATIVE: lifi_price("2500")}, {WRAPPED["ETH"]: jupiter_price(2500)}
    refresh_prices()
    before = list(TokenPrice.objects.order_by("pk").values())
    for fault in FAULTS:
        lifi.fault = jupiter.fault = fault
        refresh_prices()
        assert list(TokenPrice.objects.order_by("pk").values()) == before, fault
    assert settlement_usd_price(token()) == 2500
    TokenPrice.objects.update(priced_at=now() - timedelta(seconds=61))
    assert (settlement_usd_price(token()), usd_price(token())) == (None, None)


@pytest.mark.slow
def test_a_source_that_hangs_delays_the_other_by_its_time_limit_only(lifi: Aggregator, jupiter: Aggregator) -> None:
    lifi.fault, lifi.prices = "time-out", {NATIVE: lifi_price("2400")}
    jupiter.prices = {WRAPPED["ETH"]: jupiter_price(2500)}
    refresh_prices()
    assert told() == {"jupiter": Decimal(2500)}


def test_what_a_payer_holds_is_priced_when_it_is_looked_at_and_again_when_that_is_old(lifi: Aggregator) -> None:
    address = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"
    facts = {"chain": "base", "symbol": "PEPE", "decimals": 18, "verified": True, "source": "lifi"}
    pepe = Token.objects.create(address=address, **facts)
    lifi.prices = {address: lifi_price("0.00000412")}
    eth_asked, pepe_asked = (f"/token?chain=8453&token={one}" for one in (NATIVE, address))
    price_held([pepe, token()])
    assert usd_price(pepe) == Decimal("0.00000412")
    assert sorted(lifi.asked) == [eth_asked, pepe_asked]
    TokenPrice.objects.update(priced_at=now() - timedelta(seconds=50))
    price_held([pepe])
    assert len(lifi.asked) == 2
    record_usd_price(token(), Decimal(1), now() - timedelta(seconds=61))
    price_held([token()])
    assert lifi.asked[2:] == [eth_asked]


def test_a_wallet_of_many_tokens_asks_for_a_bounded_number(lifi: Aggregator) -> None:
    held = [
        Token.objects.create(chain="base", address=f"0x{number:040x}", symbol=f"T{number}", decimals=18, source="lifi")
        for number in range(70_000, 70_040)
    ]
    price_held(held)
    assert len(lifi.asked) == prices.MOST_HELD


def test_many_mints_are_asked_for_in_groups(jupiter: Aggregator) -> None:
    from tokens.sources import jupiter as source  # noqa: PLC0415  (the fixture has the name)

    source.prices({f"mint{number}": 6 for number in range(120)})
    assert [len(path.split("%2C")) for path in jupiter.asked] == [50, 50, 20]
