"""The committed list, which is in every fresh database, and GET /api/public/v1/tokens, which shows what is stored."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from chains.addresses import parse_address
from chains.registry import CHAINS
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price
from tokens.settlement_pairs import SETTLEMENT_PAIRS
from tokens.sources.bundled import bundled_tokens


def test_every_row_is_well_formed_listed_once_and_says_where_it_was_read() -> None:
    tokens, by_name = bundled_tokens(), {entry.name: entry for entry in CHAINS}
    assert [one for one in tokens if parse_address(by_name[one.chain], one.address) != one.address] == []
    assert set(Counter((token.chain, token.address) for token in tokens).values()) == {1}
    assert [token.address for token in tokens if len(token.source) < 10] == []
    assert [token.chain for token in tokens if token.is_usd_stablecoin and not token.verified] == []
    native = {token.chain: (token.symbol, token.decimals, token.address) for token in tokens if token.is_native}
    assert native == {one.name: (one.native_symbol, one.native_decimals, one.native_address) for one in CHAINS}
    verified = {(token.chain, token.symbol, token.address) for token in tokens if token.verified}
    assert {(pair.chain, pair.symbol, pair.address) for pair in SETTLEMENT_PAIRS} <= verified


@pytest.mark.spec("Contract 7.4")
def test_stablecoins_of_bnb_chain_have_eighteen_decimals() -> None:
    decimals = {(token.chain, token.symbol): token.decimals for token in bundled_tokens() if token.is_usd_stablecoin}
    six = {
        **{"ethereum": ["USDC", "USDT", "PYUSD"], "base": ["USDC"], "arbitrum": ["USDC", "USDT"]},
        **{"optimism": ["USDC", "USDT"], "polygon": ["USDC", "USDC.e", "USDT"], "solana": ["USDC", "USDT"]},
    }
    eighteen = {("ethereum", "DAI"): 18, ("bnb", "USDC"): 18, ("bnb", "USDT"): 18}
    assert decimals == {(chain, symbol): 6 for chain, symbols in six.items() for symbol in symbols} | eighteen


@pytest.mark.django_db
def test_a_fresh_database_holds_the_list_and_loading_again_puts_back_what_is_missing() -> None:
    columns = list(asdict(bundled_tokens()[0]))
    stored = Token.objects.order_by("id").values(*columns)
    before = [dict(row) for row in Token.objects.values()]
    assert list(stored) == [asdict(token) for token in bundled_tokens()]
    assert load_bundled_tokens() == len(before)
    assert [dict(row) for row in Token.objects.values()] == before
    Token.objects.filter(chain="solana").delete()
    out = StringIO()
    call_command("load_tokens", stdout=out)
    assert out.getvalue() == f"{len(bundled_tokens())} tokens in the committed list are loaded.\n"
    assert Token.objects.filter(chain="solana").count() == 4


@pytest.mark.django_db
def test_loading_repairs_what_the_list_says_and_keeps_the_rest() -> None:
    usdc = Token.objects.get(chain="bnb", symbol="USDC")
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    record_usd_price(usdc, Decimal("0.9998"), moment)
    Token.objects.filter(pk=usdc.pk).update(decimals=6, verified=False)
    foreign = Token.objects.create(
        chain="base", address="0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", symbol="X", decimals=9, source="test"
    )
    load_bundled_tokens()
    usdc.refresh_from_db()
    assert (usdc.decimals, usdc.verified) == (18, False)
    assert list(usdc.prices.values_list("price_usd", "priced_at")) == [(Decimal("0.9998"), moment)]
    assert Token.objects.filter(pk=foreign.pk).exists()


PATH = "/api/public/v1/tokens"
NAMES = ["ethereum", "base", "arbitrum", "optimism", "polygon", "bnb", "solana"]
pytestmark = pytest.mark.django_db


@pytest.mark.spec("Resources: Token has six fields")
def test_base_is_listed_exactly(client: Client) -> None:
    response = client.get(PATH, {"chain": "base"})
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
    listed = [tuple(token.items()) for token in response.json()["data"]]
    names = ("chain", "address", "symbol", "name", "decimals", "verified")
    assert listed == [
        tuple(zip(names, ("base", *token), strict=True))
        for token in (
            ("0x0000000000000000000000000000000000000000", "ETH", "Ether", 18, True),
            ("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6, True),
            ("0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", "USDT", "Tether USD (bridged)", 6, False),
            ("0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18, True),
        )
    ]


@pytest.mark.spec("Contract 6.6; Tokens: GET /tokens is unauthenticated and answers {data: Token[]}")
@pytest.mark.spec("Authentication: /api/public/v1/tokens is unauthenticated")
def test_the_whole_list_is_open_complete_and_ordered(client: Client) -> None:
    assert client.get(PATH, headers={"Authorization": "Bearer sk_live_wrong"}).status_code == 200
    body = client.get(PATH).json()
    assert (list(body), body["has_more"], body["next_cursor"]) == (["data", "has_more", "next_cursor"], False, None)
    assert {token["chain"] for token in body["data"]} == set(NAMES)
    assert len(body["data"]) == Token.objects.count()
    keys = [(token["chain"], token["symbol"], token["address"]) for token in body["data"]]
    assert keys == sorted(keys)
    shape = {"chain": str, "address": str, "symbol": str, "name": str, "decimals": int, "verified": bool}
    assert [one for one in body["data"] if {name: type(value) for name, value in one.items()} != shape] == []
    usdc = {token["chain"]: token["decimals"] for token in body["data"] if token["symbol"] == "USDC"}
    assert usdc == dict.fromkeys(NAMES, 6) | {"bnb": 18}


@pytest.mark.spec("Tokens: query chain")
def test_chain_takes_names_and_aliases_and_no_others(client: Client) -> None:
    named = {"bsc": "bnb", "eth": "ethereum", "matic": "polygon", "SOLANA": "solana", "base": "base"}
    for asked, chain in named.items():
        listed = client.get(PATH, {"chain": asked}).json()["data"]
        assert {token["chain"] for token in listed} == {chain}
        assert len(listed) == Token.objects.filter(chain=chain).count()
    for asked in ("", "tron", "base,solana", "\x00", "b" * 5000, "８４５３", "base\ud800"):
        written = "".join(f"%{byte:02x}" for byte in asked.encode("utf-8", "surrogatepass"))
        response = client.get(f"{PATH}?chain={written}")
        assert (response.status_code, response.json()["code"]) == (400, "invalid_parameter"), asked[:9]
        assert response.json()["details"] == {"parameter": "chain", "allowed": NAMES}
    assert client.get(PATH, {"limit": "-1", "x": "y"}).content == client.get(PATH).content


def test_the_answer_may_be_cached_and_asked_again_for_nothing_until_it_changes(client: Client) -> None:
    first = client.get(PATH)
    known = {"If-None-Match": first.headers["ETag"]}
    again = client.get(PATH, headers=known)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "public, max-age=300"
    assert client.get(PATH, {"chain": "base"}).headers["ETag"] != first.headers["ETag"]
    Token.objects.filter(chain="base", symbol="USDC").update(verified=False)
    changed = client.get(PATH, headers=known)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]
    unverified = {(token["chain"], token["symbol"]) for token in changed.json()["data"] if not token["verified"]}
    assert unverified == {("base", "USDC"), ("base", "USDT")}


def test_the_list_cannot_be_written_and_one_query_answers_it(client: Client, django_assert_num_queries: Any) -> None:
    before = list(Token.objects.values())
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        response = client.generic(method, PATH, "{}", content_type="application/json")
        assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert list(Token.objects.values()) == before
    with django_assert_num_queries(1):
        client.get(PATH)
