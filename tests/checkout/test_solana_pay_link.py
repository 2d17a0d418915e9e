"""The Solana Pay link on the live page: there exactly where a payer on Solana could use it."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests.checkout.pages import read_page, visit
from tests.conftest import ApiClient
from tests.payments.world import create

SOLANA_WALLET = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"
EVM_WALLET = "0x1111111111111111111111111111111111111111"
PLACES = {
    "solana": {"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": SOLANA_WALLET},
    "base": {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": EVM_WALLET},
}


@pytest.fixture
def public(settings: Settings) -> Settings:
    """A service with an address of its own and a node of Solana."""
    settings.BASE_URL = "https://pay.example"
    settings.RPC_URLS = {**settings.RPC_URLS, "solana": ["https://node.example"]}
    return settings


@pytest.mark.parametrize(
    ("chain", "lifi", "is_there"),
    [("solana", "", True), ("base", "", False), ("base", "https://lifi.example", True)],
    ids=["settled on solana", "no bridge", "bridged"],
)
def test_where_it_is(public: Settings, live_api: ApiClient, chain: str, lifi: str, is_there: bool) -> None:
    public.LIFI_URL = lifi
    intent = create(live_api, **PLACES[chain])
    page = read_page(visit(intent["id"]))
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert ("solana-pay" in page.by_test_id, picture.status_code == 200) == (is_there, is_there)


def test_what_it_says(public: Settings, live_api: ApiClient) -> None:
    intent = create(live_api, **PLACES["solana"])
    link = read_page(visit(intent["id"])).by_test_id["solana-link"].attributes["href"]
    assert link == f"solana:https%3A%2F%2Fpay.example%2Fapi%2Fpublic%2Fv1%2Fcheckout%2F{intent['id']}%2Fsolana-pay"
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert picture.headers["Cache-Control"] == "no-store"
    assert picture.content.startswith(b"<svg")


def test_where_wallets_could_not_fetch_it(public: Settings, live_api: ApiClient, api: ApiClient) -> None:
    intent = create(live_api, **PLACES["solana"])
    test_mode = create(api, **PLACES["solana"])
    assert "solana-pay" not in read_page(visit(test_mode["id"])).by_test_id
    public.BASE_URL = "http://localhost:8000"
    assert "solana-pay" not in read_page(visit(intent["id"])).by_test_id
    public.BASE_URL, public.RPC_URLS = "https://pay.example", {**public.RPC_URLS, "solana": []}
    assert "solana-pay" not in read_page(visit(intent["id"])).by_test_id
    for nobody in ("0b0b0b0b-0000-4000-8000-000000000000", "nonsense"):
        assert Client().get(f"/checkout/{nobody}/solana-pay.svg").status_code == 404
