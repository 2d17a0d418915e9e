"""The Solana Pay link on the live page: there exactly where a payer on Solana could use it."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from chains.registry import Family
from core.modes import Mode
from payments.routing.lifi.provider import LIFI
from payments.routing.registry import PROVIDERS
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


def is_shown(intent: dict[str, Any]) -> bool:
    """Whether the page has it; the picture is there exactly then."""
    page = read_page(visit(intent["id"]))
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert (picture.status_code == 200) is ("solana-pay" in page.by_test_id)
    return "solana-pay" in page.by_test_id


@pytest.mark.parametrize(
    ("address", "providers", "is_there"),
    [("", (LIFI,), False), ("https://lifi.example", (), False), ("https://lifi.example", (LIFI,), True)],
    ids=["no address", "not from solana", "bridged"],
)
def test_where_only_a_bridge_leads(
    live_api: ApiClient, public: Settings, monkeypatch: pytest.MonkeyPatch, address: str, providers: Any, is_there: bool
) -> None:
    public.LIFI_URL = address
    monkeypatch.setitem(PROVIDERS, (Mode.LIVE, Family.SOLANA), providers)
    assert is_shown(create(live_api, **PLACES["base"])) is is_there


@pytest.mark.spec("Rulings C15.1")
def test_where_solana_is_settled_on_and_wallets_can_fetch_it(
    public: Settings, live_api: ApiClient, api: ApiClient
) -> None:
    intent = create(live_api, **PLACES["solana"])
    assert is_shown(intent)
    link = read_page(visit(intent["id"])).by_test_id["solana-link"].attributes["href"]
    assert link == f"solana:https%3A%2F%2Fpay.example%2Fapi%2Fpublic%2Fv1%2Fcheckout%2F{intent['id']}%2Fsolana-pay"
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert picture.headers["Cache-Control"] == "no-store"
    assert picture.content.startswith(b"<svg")
    assert "solana-pay" not in read_page(visit(create(api, **PLACES["solana"])["id"])).by_test_id
    public.BASE_URL = "http://localhost:8000"
    assert "solana-pay" not in read_page(visit(intent["id"])).by_test_id
    public.BASE_URL, public.RPC_URLS = "https://pay.example", {**public.RPC_URLS, "solana": []}
    assert "solana-pay" not in read_page(visit(intent["id"])).by_test_id
    for nobody in ("0b0b0b0b-0000-4000-8000-000000000000", "nonsense"):
        assert Client().get(f"/checkout/{nobody}/solana-pay.svg").status_code == 404
