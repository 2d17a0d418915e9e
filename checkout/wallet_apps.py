"""Wallet apps on a phone: the address that opens a page in each one's own browser."""

from urllib.parse import quote, urlsplit


def wallet_apps(page: str) -> list[tuple[str, str]]:
    """Each app's name and its address for this page.

    Source: https://docs.phantom.com, https://docs.metamask.io and their like, deep links.
    """
    parts = urlsplit(page)
    address, site = quote(page, safe=""), quote(f"{parts.scheme}://{parts.netloc}", safe="")
    return [
        ("MetaMask", f"https://metamask.app.link/dapp/{parts.netloc}{parts.path}"),
        ("Base", f"https://go.cb-w.com/dapp?cb_url={address}"),
        ("Trust Wallet", f"https://link.trustwallet.com/open_url?coin_id=60&url={address}"),
        ("Rainbow", f"https://rnbwapp.com/dapp?url={address}"),
        ("Phantom", f"https://phantom.app/ul/browse/{address}?ref={site}"),
        ("Solflare", f"https://solflare.com/ul/v1/browse/{address}?ref={site}"),
    ]
