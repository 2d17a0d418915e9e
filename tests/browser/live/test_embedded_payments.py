"""Real payments on a shop's own page: the wallet is in the page, the checkout in its frame, of another origin."""

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.browser.conftest import visit_in
from tests.browser.hosts import Host, names
from tests.browser.live.conftest import NAMES, Shop
from tests.browser.payer import Where, expect_title, part
from tests.journeys.programs import Embedded

pytestmark = pytest.mark.exhaustive
SHOP = "https://shop.example"
LIST = f"""
from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from merchants.services.origins import allow_origin
allow_origin(Principal(merchant_id=Merchant.objects.get().pk, mode=Mode.LIVE, actor="test"), "{SHOP}")
"""
WALLET_METHODS = {
    *("eth_requestAccounts", "eth_accounts", "eth_chainId", "eth_call", "eth_getTransactionReceipt"),
    *("wallet_switchEthereumChain", "wallet_getCapabilities", "eth_sendTransaction"),
}


@pytest.fixture(scope="module")
def key(live_service: Embedded) -> str:
    """The demo merchant's publishable key of live mode, which the shop's page may use."""
    live_service.manage("shell", "-c", LIST)
    return live_service.demo["live_publishable_key"]


def open_frame(shop: Shop, service: Embedded, key: str, chain: str, symbol: str, bridge: str = "auto") -> FrameLocator:
    shop.open(chain, symbol)
    shop.page.close()
    shop.visit = visit_in(shop.context)
    host = Host(shop.context, service.base_url, SHOP)
    return host.open(shop.page, key, shop.intent["id"], walletBridge=bridge)


def pay(page: Where, family: str, chain: str, symbol: str) -> None:
    """The three clicks, in the frame or in a window of its own."""
    part(page, "wallet-option").get_by_text(NAMES[family], exact=True).click()
    page.locator(f"[data-testid=token-option][data-chain={chain}][data-symbol={symbol}]").click()
    part(page, "pay-button").click()
    expect_title(page, "Paid.")


def test_the_pages_wallets_pay_in_its_frame(shop: Shop, live_service: Embedded, key: str) -> None:
    for family, chain in (("evm", "base"), ("solana", "solana")):
        shop.give(chain, "USDC")
        frame = open_frame(shop, live_service, key, chain, "USDC")
        pay(frame, family, chain, "USDC")
        assert shop.held() >= 25_000_000
        assert shop.read()["status"] == "settled"
        assert names(shop.page) == ["ready", "wallet", "wallet", "quoted", "processing", "settled"]
        assert shop.visit is not None
        assert shop.complaints() == []
        shop.visit.picture(f"embedded-{family}")
    assert set(shop.evm.asked) <= WALLET_METHODS


def test_without_a_wallet_a_window_of_its_own_pays_and_the_frame_follows(
    shop: Shop, live_service: Embedded, key: str
) -> None:
    shop.give("base", "USDC")
    frame = open_frame(shop, live_service, key, "base", "USDC", bridge="off")
    expect(frame.get_by_test_id("qr")).to_be_visible()
    expect(frame.get_by_test_id("wallet-option")).to_have_count(0)
    host = shop.page
    with host.expect_popup() as opened:
        frame.get_by_test_id("secure-window").click()
    popup = opened.value
    pay(popup, "evm", "base", "USDC")
    expect_title(frame, "Paid.")
    assert (shop.held(), shop.read()["status"]) == (25_000_000, "settled")
    assert names(host)[-1] == "settled"
