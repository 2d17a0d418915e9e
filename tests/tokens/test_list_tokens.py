"""GET /api/public/v1/tokens: the whole list, one chain, caching, refusals."""

import json

import pytest
from django.test import Client
from pytest_django import Settings

from tokens.models import Token

PATH = "/api/public/v1/tokens"
CHAINS = ["ethereum", "base", "arbitrum", "optimism", "polygon", "bnb", "solana"]

pytestmark = pytest.mark.django_db


def test_base_is_listed_exactly(client: Client) -> None:
    response = client.get(PATH, {"chain": "base"})

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {
        "data": [
            {
                "chain": "base",
                "address": "0x0000000000000000000000000000000000000000",
                "symbol": "ETH",
                "name": "Ether",
                "decimals": 18,
                "verified": True,
            },
            {
                "chain": "base",
                "address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "symbol": "USDC",
                "name": "USD Coin",
                "decimals": 6,
                "verified": True,
            },
            {
                "chain": "base",
                "address": "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2",
                "symbol": "USDT",
                "name": "Tether USD (bridged)",
                "decimals": 6,
                "verified": False,
            },
            {
                "chain": "base",
                "address": "0x4200000000000000000000000000000000000006",
                "symbol": "WETH",
                "name": "Wrapped Ether",
                "decimals": 18,
                "verified": True,
            },
        ]
    }


@pytest.mark.spec("Contract 6.6")
@pytest.mark.spec("Tokens: GET /tokens is unauthenticated and answers {data: Token[]}")
def test_the_whole_list_is_open_complete_and_ordered(client: Client) -> None:
    body = client.get(PATH).json()

    assert list(body) == ["data"]
    assert {token["chain"] for token in body["data"]} == set(CHAINS)
    assert len(body["data"]) == Token.objects.count()
    keys = [(token["chain"], token["symbol"], token["address"]) for token in body["data"]]
    assert keys == sorted(keys)


@pytest.mark.spec("Resources: Token has six fields")
def test_every_token_has_exactly_the_six_fields_of_the_right_type(client: Client) -> None:
    for token in client.get(PATH).json()["data"]:
        assert {name: type(value) for name, value in token.items()} == {
            "chain": str,
            "address": str,
            "symbol": str,
            "name": str,
            "decimals": int,
            "verified": bool,
        }


def test_decimals_follow_the_chain_and_not_the_symbol(client: Client) -> None:
    usdc = {token["chain"]: token["decimals"] for token in client.get(PATH).json()["data"] if token["symbol"] == "USDC"}

    assert usdc == {"ethereum": 6, "base": 6, "arbitrum": 6, "optimism": 6, "polygon": 6, "bnb": 18, "solana": 6}


@pytest.mark.spec("Tokens: query chain")
@pytest.mark.parametrize(
    ("asked", "chain"),
    [("bsc", "bnb"), ("eth", "ethereum"), ("matic", "polygon"), ("SOLANA", "solana"), ("base", "base")],
)
def test_chain_takes_names_and_aliases(client: Client, asked: str, chain: str) -> None:
    listed = client.get(PATH, {"chain": asked}).json()["data"]

    assert {token["chain"] for token in listed} == {chain}
    assert len(listed) == Token.objects.filter(chain=chain).count()


@pytest.mark.parametrize("asked", ["", "tron", "base,solana", "\x00", "b" * 5000, "８４５３", "base\ud800"])
def test_an_unknown_chain_is_refused(client: Client, asked: str) -> None:
    response = client.get(f"{PATH}?chain=" + "".join(f"%{byte:02x}" for byte in asked.encode("utf-8", "surrogatepass")))

    assert response.status_code == 400
    body = response.json()
    assert body["code"] == "invalid_parameter"
    assert body["details"] == {"parameter": "chain", "allowed": CHAINS}


def test_unknown_parameters_are_ignored(client: Client) -> None:
    assert client.get(PATH, {"limit": "-1", "x": "y"}).content == client.get(PATH).content


@pytest.mark.spec("Authentication: /api/public/v1/tokens is unauthenticated")
def test_a_bad_key_does_not_matter(client: Client) -> None:
    assert client.get(PATH, headers={"Authorization": "Bearer sk_live_wrong"}).status_code == 200


def test_the_answer_may_be_cached_and_asked_again_for_nothing(client: Client) -> None:
    first = client.get(PATH)
    again = client.get(PATH, headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Cache-Control"] == "public, max-age=300"


def test_a_changed_list_has_another_etag(client: Client) -> None:
    first = client.get(PATH)
    Token.objects.filter(chain="base", symbol="USDC").update(verified=False)
    again = client.get(PATH, headers={"If-None-Match": first.headers["ETag"]})

    assert again.status_code == 200
    assert again.headers["ETag"] != first.headers["ETag"]
    assert {(t["chain"], t["symbol"]) for t in again.json()["data"] if not t["verified"]} == {
        ("base", "USDC"),
        ("base", "USDT"),
    }


def test_two_chains_have_two_etags(client: Client) -> None:
    assert client.get(PATH, {"chain": "base"}).headers["ETag"] != client.get(PATH).headers["ETag"]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_the_list_cannot_be_written(client: Client, method: str) -> None:
    before = list(Token.objects.values())
    response = getattr(client, method)(PATH, json.dumps({}), content_type="application/json")

    assert response.status_code == 405
    assert response.json()["code"] == "method_not_allowed"
    assert list(Token.objects.values()) == before


def test_one_query_answers_the_list(client: Client, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(1):  # type: ignore[operator]  # pytest-django names no public type
        client.get(PATH)


def test_one_address_may_ask_sixty_times_a_minute(client: Client, settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1
    statuses = [client.get(PATH, REMOTE_ADDR="203.0.113.7").status_code for _ in range(60)]
    refused = client.get(PATH, REMOTE_ADDR="203.0.113.7")

    assert statuses == [200] * 60
    assert refused.status_code == 429
    assert refused.json()["code"] == "rate_limited"
    assert int(refused.headers["Retry-After"]) >= 1
    assert client.get(PATH, REMOTE_ADDR="203.0.113.8").status_code == 200
