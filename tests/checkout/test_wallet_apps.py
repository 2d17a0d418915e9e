"""Where wallet apps on a phone open the page."""

from checkout.wallet_apps import wallet_apps


def test_each_app_opens_the_page_in_its_own_browser() -> None:
    page = "https%3A%2F%2Fpay.example%2Fcheckout%2F123"
    assert dict(wallet_apps("https://pay.example/checkout/123")) == {
        "MetaMask": "https://metamask.app.link/dapp/pay.example/checkout/123",
        "Base": f"https://go.cb-w.com/dapp?cb_url={page}",
        "Trust Wallet": f"https://link.trustwallet.com/open_url?coin_id=60&url={page}",
        "Rainbow": f"https://rnbwapp.com/dapp?url={page}",
        "Phantom": f"https://phantom.app/ul/browse/{page}?ref=https%3A%2F%2Fpay.example",
        "Solflare": f"https://solflare.com/ul/v1/browse/{page}?ref=https%3A%2F%2Fpay.example",
    }
