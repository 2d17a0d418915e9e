"""Reads Jupiter's list of verified tokens and its prices. Source: https://developers.jup.ag, Tokens v2 and Price v3."""

import logging
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from django.conf import settings

from chains.registry import chain
from core.clock import now
from core.outbound.providers import ProviderSession, ProviderUnreachable
from tokens.sources.reading import (
    LONGEST_NAME,
    LONGEST_SYMBOL,
    ListedToken,
    Listing,
    Malformed,
    ReportedPrice,
    asked_at,
    in_groups,
    read_address,
    read_decimals,
    read_price,
    read_rows,
    read_text,
)

SOURCE = "jupiter"
LIST_SECONDS = 20
MOST_MINTS = 50
"""In one question. Source: https://developers.jup.ag, Price v3."""
_LOGGER = logging.getLogger("causeway.tokens")
_SOLANA = chain("solana")


def is_configured() -> bool:
    """Whether an operator lets Jupiter be asked."""
    return bool(settings.JUPITER_URL)


def listing() -> Listing:
    """Jupiter's verified tokens; silent about Solana where it does not answer."""
    found = Listing(source=SOURCE)
    try:
        answer = _session().get("/tokens/v2/tag", {"query": "verified"}, LIST_SECONDS)
        if not answer.is_success:
            raise Malformed(f"HTTP {answer.status}")
        rows = read_rows(answer.body)
    except (ProviderUnreachable, Malformed) as fault:
        _LOGGER.warning("jupiter: tokens: %s", fault)
        found.silent_about.add("solana")
        return found
    for row in rows:
        try:
            found.tokens.append(_token(row))
        except Malformed:
            found.malformed += 1
    return found


def prices(decimals: Mapping[str, int]) -> dict[str, ReportedPrice]:
    """What the tokens of these mints cost now, each known by its decimals; mints without a reliable price are missing.

    Raises: ProviderUnreachable. Called outside any database transaction.
    """
    found: dict[str, ReportedPrice] = {}
    for mints in in_groups(decimals, MOST_MINTS):
        found |= _prices_of(mints, decimals)
    return found


def _prices_of(mints: Iterable[str], decimals: Mapping[str, int]) -> dict[str, ReportedPrice]:
    moment = now()
    answer = _session().get("/price/v3", {"ids": ",".join(mints)})
    entries = answer.body if answer.is_success and isinstance(answer.body, dict) else {}
    found = {}
    for mint in mints:
        entry = entries.get(mint)
        if not isinstance(entry, dict):
            continue
        try:
            if read_decimals(entry.get("decimals")) != decimals[mint]:
                _LOGGER.error("token_contradicted solana %s: jupiter prices it with other decimals", mint)
                continue
            price_usd = read_price(entry.get("usdPrice"))
        except Malformed as fault:
            _LOGGER.warning("jupiter: price of %s: malformed %s", mint, fault)
            continue
        found[mint] = ReportedPrice(source=SOURCE, price_usd=price_usd, priced_at=asked_at(answer, moment))
    return found


def _token(row: dict[str, Any]) -> ListedToken:
    assert _SOLANA is not None  # noqa: S101 - the registry is a constant
    return ListedToken(
        source=SOURCE,
        chain=_SOLANA.name,
        address=read_address(_SOLANA, row.get("id")),
        symbol=read_text(row.get("symbol"), LONGEST_SYMBOL),
        name=read_text(row.get("name"), LONGEST_NAME),
        decimals=read_decimals(row.get("decimals")),
        is_vouched=row.get("isVerified") is True,
    )


def _session() -> ProviderSession:
    return _opened(settings.JUPITER_URL, settings.JUPITER_API_KEY)


@cache
def _opened(url: str, key: str) -> ProviderSession:
    """Apart from the session that quotes are asked through, so that neither stops the other."""
    return ProviderSession("jupiter tokens", url, {"x-api-key": key} if key else {}, ("/price/v3", {}))
