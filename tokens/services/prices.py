"""Prices: asked of every configured source with no transaction open, then stored source by source."""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction

from core.clock import now
from core.outbound.providers import ProviderUnreachable
from tokens.models import Token, TokenPrice
from tokens.price_rules import MAX_AGE_SECONDS
from tokens.selectors import tokens_that_settle
from tokens.sources import jupiter, lifi
from tokens.sources.reading import ReportedPrice

OPERATOR = "operator"
"""The source of what a person records by hand: one source like any other."""
ROUND_SECONDS, LOOK_SECONDS = 20, 4
"""How long one round of questions goes on: of the clock's, and while a payer waits."""
MOST_HELD = 20
QUESTIONS_AT_ONCE = 5
_LOGGER = logging.getLogger("causeway.tokens")

_Found = tuple[Token, ReportedPrice]
WRAPPED_SOL = "So11111111111111111111111111111111111111112"


@dataclass(frozen=True, kw_only=True, slots=True)
class WrappedCoin:
    """A mint on Solana that stands one to one for a coin. Its decimals are its own, not the coin's."""

    symbol: str
    mint: str
    decimals: int
    source: str


_WRAPPED = (
    WrappedCoin(symbol="SOL", mint=WRAPPED_SOL, decimals=9, source="docs.li.fi/li.fi-api/solana"),
    WrappedCoin(
        symbol="ETH",
        mint="7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs",
        decimals=8,
        source="Ether by the Wormhole bridge; Solana token list and Raydium's list",
    ),
    WrappedCoin(
        symbol="BNB",
        mint="9gP2kCy3wA1ctvYWQk75guqXuHfrEomqydHLtcTCqiLa",
        decimals=8,
        source="BNB by the Wormhole bridge; Solana token list and Raydium's list",
    ),
)
WRAPPED_COINS = {coin.symbol: coin for coin in _WRAPPED}
"""Where else a chain's own coin has a price: its well-known wrapped form on Solana, which Jupiter trades.

By the symbol of the chain registry, which no fake can carry. A coin that is not here has one source, so nothing can be
settled in it; it can still be paid with. POL is such a coin: its bridged form is hardly traded on Solana, and a price
of what nobody trades is none."""


def record_usd_price(token: Token, price_usd: Decimal, priced_at: datetime, source: str = OPERATOR) -> None:
    """Store what one whole token cost at a moment, by one source; its older report never replaces its newer one.

    Units: dollars for one whole token. Raises: ValueError unless the price is above zero.
    """
    if not price_usd > 0:
        raise ValueError(f"{price_usd} is not a price")
    values = {"price_usd": price_usd, "priced_at": priced_at}
    _, is_new = TokenPrice.objects.get_or_create(token=token, source=source, defaults=values)
    if not is_new:
        TokenPrice.objects.filter(token=token, source=source, priced_at__lt=priced_at).update(**values)


def refresh_prices() -> None:
    """Ask for the prices that every live quote needs, on the chains that have nodes. Silent without a source."""
    if lifi.is_configured() or jupiter.is_configured():
        served = [name for name, urls in settings.RPC_URLS.items() if urls]
        _ask(list(tokens_that_settle(served)), ROUND_SECONDS)


def price_held(held: Sequence[Token]) -> None:
    """Ask for the prices of tokens in a payer's wallet that have no fresh one. Called outside any transaction."""
    fresh = TokenPrice.objects.filter(token__in=held, priced_at__gt=now() - timedelta(seconds=MAX_AGE_SECONDS))
    priced = set(fresh.values_list("token_id", flat=True))
    _ask([token for token in held if token.pk not in priced][:MOST_HELD], LOOK_SECONDS)


def _ask(tokens: Sequence[Token], seconds: int) -> None:
    """Locks: none while it asks."""
    ends_at = time.monotonic() + seconds
    found: list[_Found] = []
    if jupiter.is_configured():
        found += _jupiter_prices(tokens)
    if lifi.is_configured():
        with ThreadPoolExecutor(QUESTIONS_AT_ONCE, "prices") as threads:
            answers = threads.map(lambda token: _lifi_price(token) if time.monotonic() < ends_at else None, tokens)
            found += [answer for answer in answers if answer is not None]
    with transaction.atomic():
        for token, reported in found:
            record_usd_price(token, reported.price_usd, reported.priced_at, reported.source)


def _lifi_price(token: Token) -> _Found | None:
    try:
        reported = lifi.price(token.chain, token.address, token.decimals)
    except ProviderUnreachable as fault:
        _LOGGER.info("no price of %s: %s", token, fault)
        return None
    return None if reported is None else (token, reported)


def _jupiter_prices(tokens: Sequence[Token]) -> list[_Found]:
    """Solana's tokens by their mints, and coins of any chain by their wrapped form there."""
    mints = {token.pk: mint for token in tokens if (mint := _mint_of(token)) is not None}
    try:
        prices = jupiter.prices(dict(mints.values()))
    except ProviderUnreachable as fault:
        _LOGGER.info("no prices: %s", fault)
        return []
    found = ((token, prices.get(mints[token.pk][0])) for token in tokens if token.pk in mints)
    return [(token, reported) for token, reported in found if reported is not None]


def _mint_of(token: Token) -> tuple[str, int] | None:
    """The mint whose price is this token's, and that mint's decimals."""
    coin = WRAPPED_COINS.get(token.symbol) if token.is_native else None
    if coin is not None:
        return coin.mint, coin.decimals
    return (token.address, token.decimals) if token.chain == "solana" and not token.is_native else None
