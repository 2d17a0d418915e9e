"""Reads LI.FI's list of tokens and its prices. Source: https://docs.li.fi, tokens and token."""

import logging
from functools import cache
from typing import Any

from django.conf import settings

from chains.registry import CHAINS, Chain, chain
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
    read_address,
    read_decimals,
    read_price,
    read_rows,
    read_text,
)

SOURCE = "lifi"
LIST_SECONDS = 12
"""For the tokens of one chain, some megabytes. Why no longer: all chains together stay below a task's time limit."""
_SOLANA_ID = 1151111081099710
"""Source: https://docs.li.fi, Solana."""
_VERIFIED, _FLAGGED = "verified", "flagged"
_LOGGER = logging.getLogger("causeway.tokens")


def is_configured() -> bool:
    """Whether an operator lets LI.FI be asked."""
    return bool(settings.LIFI_URL)


def listing() -> Listing:
    """LI.FI's tokens, one question per chain; a chain that it does not answer for is silent.

    Why per chain: a list of all chains is longer than what an answer may be, and one fault would hide them all.
    """
    found = Listing(source=SOURCE)
    for known in CHAINS:
        rows = _rows_of(known)
        if rows is None:
            found.silent_about.add(known.name)
        for row in rows or ():
            try:
                found.tokens.append(_token(known, row))
            except Malformed:
                found.malformed += 1
    return found


def price(chain_name: str, address: str, decimals: int) -> ReportedPrice | None:
    """What one whole token costs now; None where LI.FI does not say, or speaks of a token with other decimals.

    Raises: ProviderUnreachable. Called outside any database transaction.
    """
    known = chain(chain_name)
    if known is None:
        return None
    moment = now()
    answer = _session().get("/token", {"chain": str(_id_of(known)), "token": address})
    if not answer.is_success:
        return None
    try:
        row = answer.body if isinstance(answer.body, dict) else {}
        if _is_of(known, row) and read_address(known, row.get("address")) == address:
            if read_decimals(row.get("decimals")) == decimals:
                return ReportedPrice(
                    source=SOURCE, price_usd=read_price(row.get("priceUSD")), priced_at=asked_at(answer, moment)
                )
            _LOGGER.error("token_contradicted %s %s: lifi prices it with other decimals", known.name, address)
    except Malformed as fault:
        _LOGGER.warning("lifi: price of %s on %s: malformed %s", address, known.name, fault)
    return None


def _rows_of(known: Chain) -> list[dict[str, Any]] | None:
    parameters = {"chains": str(_id_of(known)), "chainTypes": "EVM,SVM"}
    try:
        answer = _session().get("/tokens", parameters, LIST_SECONDS)
        if not answer.is_success:
            raise Malformed(f"HTTP {answer.status}")
        lists = answer.body.get("tokens") if isinstance(answer.body, dict) else None
        return read_rows(lists.get(str(_id_of(known))) if isinstance(lists, dict) else None)
    except (ProviderUnreachable, Malformed) as fault:
        _LOGGER.warning("lifi: tokens of %s: %s", known.name, fault)
        return None


def _token(known: Chain, row: dict[str, Any]) -> ListedToken:
    if not _is_of(known, row):
        raise Malformed("chainId")
    status = row.get("verificationStatus")
    return ListedToken(
        source=SOURCE,
        chain=known.name,
        address=read_address(known, row.get("address")),
        symbol=read_text(row.get("symbol"), LONGEST_SYMBOL),
        name=read_text(row.get("name"), LONGEST_NAME),
        decimals=read_decimals(row.get("decimals")),
        is_vouched=status == _VERIFIED,
        is_flagged=status == _FLAGGED,
    )


def _is_of(known: Chain, row: dict[str, Any]) -> bool:
    return type(row.get("chainId")) is int and row["chainId"] == _id_of(known)


def _id_of(known: Chain) -> int:
    return known.chain_id or _SOLANA_ID


def _session() -> ProviderSession:
    return _opened(settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR)


@cache
def _opened(url: str, key: str, integrator: str) -> ProviderSession:
    """Apart from the session that quotes are asked through, so that neither stops the other."""
    headers = {"x-lifi-integrator": integrator} | ({"x-lifi-api-key": key} if key else {})
    return ProviderSession("lifi tokens", url, headers, ("/token", {}))
