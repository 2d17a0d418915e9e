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
from tokens.services import record_usd_price
from tokens.simulated_prices import SIMULATED_USD_PRICES
from tokens.sources.bundled import bundled_tokens

pytestmark = pytest.mark.django_db
USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NATIVE = "0x0000000000000000000000000000000000000000"


def eth_on_base() -> Token:
    return Token.objects.get(chain="base", address=NATIVE)


@pytest.mark.parametrize("address", [USDC_ON_BASE, USDC_ON_BASE.lower(), "0x" + USDC_ON_BASE[2:].upper()])
def test_a_token_is_found_in_any_letter_case(address: str) -> None:
    token = selectors.find_token("BASE", address)

    assert token is not None
    assert (token.chain, token.symbol, token.address) == ("base", "USDC", USDC_ON_BASE)


@pytest.mark.parametrize(
    ("chain", "address", "symbol"),
    [
        ("base", NATIVE, "ETH"),
        ("base", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "ETH"),
        ("bsc", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "BNB"),
        ("matic", "0x0000000000000000000000000000000000001010", "POL"),
        ("solana", "11111111111111111111111111111111", "SOL"),
        ("solana", "So11111111111111111111111111111111111111112", "WSOL"),
    ],
)
def test_the_native_coin_is_found_in_every_spelling(chain: str, address: str, symbol: str) -> None:
    token = selectors.find_token(chain, address)

    assert token is not None
    assert token.symbol == symbol


@pytest.mark.parametrize(
    ("chain", "address"),
    [
        ("solana", USDC_ON_BASE),
        ("ethereum", USDC_ON_BASE),
        ("base", "0x0000000000000000000000000000000000001010"),
        ("base", USDC_ON_BASE.replace("f", "F", 1)),
        ("base", "USDC"),
        ("base", ""),
        ("tron", USDC_ON_BASE),
    ],
)
def test_what_is_not_on_the_list_is_not_found(chain: str, address: str) -> None:
    assert selectors.find_token(chain, address) is None


def test_tokens_on_an_alias_and_on_an_unknown_chain() -> None:
    assert [token.symbol for token in selectors.tokens_on("bsc")] == ["BNB", "USDC", "USDT", "WBNB"]
    assert list(selectors.tokens_on("tron")) == []


@pytest.mark.spec("Contract 7.2")
@pytest.mark.parametrize(
    ("chain", "symbols"),
    [
        ("ethereum", ["USDC", "USDT", "PYUSD", "DAI", "ETH"]),
        ("base", ["USDC", "ETH"]),
        ("arbitrum", ["USDC", "USDT", "ETH"]),
        ("optimism", ["USDC", "USDT", "ETH"]),
        ("polygon", ["USDC", "USDT", "POL"]),
        ("bnb", ["USDC", "USDT", "BNB"]),
        ("solana", ["USDC", "USDT", "SOL"]),
    ],
)
def test_the_allow_list_of_live_settlement(chain: str, symbols: list[str]) -> None:
    allowed = [pair["token"] for pair in selectors.allowed_settlement_pairs() if pair["chain"] == chain]
    found = [selectors.settlement_token(chain, symbol.lower()) for symbol in symbols]

    assert allowed == symbols
    assert [(token.chain, token.symbol) for token in found if token] == [(chain, symbol) for symbol in symbols]


@pytest.mark.spec("Contract 7.4")
def test_settlement_takes_the_native_dollar_and_not_the_bridged_one() -> None:
    token = selectors.settlement_token("matic", "usdc")

    assert token is not None
    assert token.address == "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"


@pytest.mark.parametrize(
    ("chain", "symbol"),
    [("base", "USDT"), ("base", "WETH"), ("polygon", "USDC.e"), ("solana", "ETH"), ("tron", "USDT"), ("base", "")],
)
def test_pairs_that_live_settlement_refuses(chain: str, symbol: str) -> None:
    assert selectors.settlement_token(chain, symbol) is None


def test_a_fake_with_the_same_symbol_is_never_taken_for_settlement() -> None:
    Token.objects.create(
        chain="base",
        address="0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        symbol="USDC",
        decimals=6,
        verified=True,
        source="test",
    )

    token = selectors.settlement_token("base", "USDC")

    assert token is not None
    assert token.address == USDC_ON_BASE


def test_a_token_that_lost_its_trust_is_no_longer_settled_in() -> None:
    Token.objects.filter(chain="base", symbol="USDC").update(verified=False)

    assert selectors.settlement_token("base", "USDC") is None


def test_one_row_per_chain_and_address() -> None:
    before = Token.objects.count()

    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.create(chain="base", address=USDC_ON_BASE, symbol="FAKE", decimals=6, source="test")

    assert Token.objects.count() == before


@pytest.mark.parametrize("chain", ["base", "ethereum"])
def test_a_token_contract_is_refused_as_a_destination_also_on_a_sister_chain(chain: str) -> None:
    known = {entry.name: entry for entry in CHAINS}[chain]

    with pytest.raises(UnpayableAddress) as caught:
        refuse_unpayable(known, USDC_ON_BASE, selectors.token_contracts_at(chain, USDC_ON_BASE))

    assert caught.value.reason == "token"


def test_a_wallet_is_no_token_contract() -> None:
    assert selectors.token_contracts_at("base", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed") == frozenset()
    assert selectors.token_contracts_at("solana", USDC_ON_BASE) == frozenset()
    assert selectors.token_contracts_at("tron", USDC_ON_BASE) == frozenset()


def test_a_token_without_a_price_has_none() -> None:
    assert selectors.usd_price(eth_on_base(), 60) is None


@pytest.mark.parametrize("age_seconds", [0, 59, -59])
def test_a_fresh_price_counts(age_seconds: int) -> None:
    record_usd_price(eth_on_base(), Decimal("2512.123456789012345678"), now() - timedelta(seconds=age_seconds))

    assert selectors.usd_price(eth_on_base(), 60) == Decimal("2512.123456789012345678")


@pytest.mark.spec("Rulings C5.2")
@pytest.mark.parametrize("age_seconds", [62, 86_400, -62, -86_400])
def test_an_old_price_or_one_from_the_future_does_not_count(age_seconds: int) -> None:
    record_usd_price(eth_on_base(), Decimal("2500"), now() - timedelta(seconds=age_seconds))

    assert selectors.usd_price(eth_on_base(), 60) is None


@pytest.mark.parametrize("price", ["0.000000000000000001", "99999999999999999999.999999999999999999", "1"])
def test_a_price_keeps_every_digit(price: str) -> None:
    record_usd_price(eth_on_base(), Decimal(price), now())

    assert TokenPrice.objects.get().price_usd == Decimal(price)


def test_an_older_report_does_not_replace_a_newer_price() -> None:
    moment = now()
    record_usd_price(eth_on_base(), Decimal("2500"), moment)
    record_usd_price(eth_on_base(), Decimal("1"), moment - timedelta(seconds=1))

    kept = TokenPrice.objects.get()
    assert (kept.price_usd, kept.priced_at, kept.source) == (Decimal("2500"), moment, "operator")


@pytest.mark.parametrize("price", ["0", "-1", "NaN"])
def test_what_is_no_price_is_not_stored(price: str) -> None:
    with pytest.raises((ValueError, ArithmeticError)):
        record_usd_price(eth_on_base(), Decimal(price), now())

    assert TokenPrice.objects.count() == 0


def usdc_on_base() -> Token:
    return Token.objects.get(chain="base", symbol="USDC")


def test_a_source_is_not_overwritten_by_another() -> None:
    record_usd_price(eth_on_base(), Decimal("2500"), now(), "lifi")
    record_usd_price(eth_on_base(), Decimal("2490"), now(), "jupiter")

    assert dict(TokenPrice.objects.values_list("source", "price_usd")) == {"lifi": 2500, "jupiter": 2490}
    assert selectors.usd_price(eth_on_base(), 60) == Decimal("2490")


@pytest.mark.spec("Rulings C5.2")
@pytest.mark.parametrize(
    ("first", "second", "age_seconds", "price"),
    [
        ("2500", "2500", 0, "2500"),
        ("2525", "2500", 0, "2500"),
        ("2500", "2525", 59, "2500"),
        ("2525.01", "2500", 0, None),
        ("25000", "2500", 0, None),
        ("2500", "2500", 62, None),
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


@pytest.mark.spec("Rulings C5.2")
def test_one_source_twice_is_one_source() -> None:
    for _ in range(2):
        record_usd_price(eth_on_base(), Decimal("2500"), now(), "lifi")

    assert selectors.settlement_usd_price(eth_on_base()) is None


@pytest.mark.spec("Rulings C5.1")
@pytest.mark.parametrize(
    ("prices", "counts"),
    [
        (["1"], True),
        (["0.98"], True),
        (["1.02"], True),
        (["0.979999"], False),
        (["1.020001"], False),
        (["1", "0.97"], False),
        (["10"], False),
        ([], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_dollar_counts_as_one_while_every_fresh_source_says_so(prices: list[str], counts: bool) -> None:
    for number, price in enumerate(prices):
        record_usd_price(usdc_on_base(), Decimal(price), now(), f"source {number}")

    expected = Decimal(1) if counts else None
    assert selectors.usd_price(usdc_on_base()) == expected
    assert selectors.settlement_usd_price(usdc_on_base()) == expected


def test_test_mode_is_made_of_the_committed_list_alone() -> None:
    Token.objects.create(
        chain="optimism",
        address="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        symbol="USDC",
        decimals=6,
        verified=True,
        source="lifi",
    )

    listed = list(selectors.committed_tokens().values_list("chain", "symbol"))
    assert listed == sorted((token.chain, token.symbol) for token in bundled_tokens())


def test_simulated_prices_are_fixed_and_answer_for_any_symbol() -> None:
    symbols = ("USDC", "usdc.e", "ETH", "WETH", "POL", "BNB", "SOL", "ANYTHING")

    assert [selectors.simulated_usd_price(symbol) for symbol in symbols] == [
        Decimal(price) for price in ("1", "1", "2500", "2500", "0.5", "600", "150", "1")
    ]


def test_every_listed_token_has_a_simulated_price_of_its_own() -> None:
    assert {token.symbol.upper() for token in selectors.all_tokens()} == set(SIMULATED_USD_PRICES)
