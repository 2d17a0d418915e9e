"""Writes to the token list: the committed list, the sources' lists, an operator's word, and prices."""

from tokens.services.listing import load_bundled_tokens, refresh_tokens, set_verified
from tokens.services.prices import price_held, record_usd_price, refresh_prices

__all__ = [
    "load_bundled_tokens",
    "price_held",
    "record_usd_price",
    "refresh_prices",
    "refresh_tokens",
    "set_verified",
]
