"""The list of tokens: what is committed, what the sources say, and what an operator decides."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction

from tokens.claims import Claim, Verdict, judge, merge
from tokens.models import Token
from tokens.sources import jupiter, lifi
from tokens.sources.bundled import bundled_tokens
from tokens.sources.reading import Listing

# Why not ``verified``: a token that an operator stopped trusting must not come back with the next load.
_REFRESHED = ("symbol", "name", "decimals", "is_native", "is_usd_stablecoin", "source")
_TAKEN_FROM_SOURCES = ("symbol", "name", "verified", "verified_by_sources", "source")
MOST_TOKENS_PER_CHAIN, MOST_UNVERIFIED_PER_CHAIN = 500, 100
"""Why unverified ones have fewer places: nothing is deleted, and they must not keep verified ones out."""
BATCH = 200
_LOGGER = logging.getLogger("causeway.tokens")


def load_bundled_tokens() -> int:
    """Insert or refresh every row of the committed list and say how many there are. Safe to repeat.

    Prices and tokens from elsewhere stay as they are; nothing is ever deleted, since intents refer to tokens.
    """
    rows = [Token(**asdict(row)) for row in bundled_tokens()]
    Token.objects.bulk_create(rows, update_conflicts=True, unique_fields=("chain", "address"), update_fields=_REFRESHED)
    return len(rows)


def set_verified(token: Token, *, verified: bool) -> None:
    """An operator's word on a token; no refresh takes it back."""
    Token.objects.filter(pk=token.pk).update(verified=verified, verified_by_sources=None)


def refresh_tokens() -> None:
    """Ask every configured source for its list, then store what they say together. Asks with no transaction open.

    What a silent source said before stays. Nothing is deleted.
    """
    listings = [source.listing() for source in (lifi, jupiter) if source.is_configured()]
    claims: dict[str, list[Claim]] = defaultdict(list)
    for claim in merge(listings):
        claims[claim.chain].append(claim)
    for chain, on_chain in claims.items():
        is_complete = not any(chain in listing.silent_about for listing in listings)
        _store(chain, on_chain, is_complete=is_complete)
    for listing in listings:
        _report(listing)


@transaction.atomic
def _store(chain: str, claims: Sequence[Claim], *, is_complete: bool) -> None:
    """Locks: the chain's rows, in their order."""
    stored = {row.address: row for row in Token.objects.select_for_update().filter(chain=chain).order_by("pk")}
    changed = [
        row
        for claim in claims
        if (row := stored.get(claim.address)) and _takes_over(row, claim, is_complete=is_complete)
    ]
    Token.objects.bulk_update(changed, _TAKEN_FROM_SOURCES, batch_size=BATCH)
    unknown = [(claim, judge(claim, None, is_complete=is_complete)) for claim in claims if claim.address not in stored]
    new = [_row(claim, verdict) for claim, verdict in unknown if verdict is not None]
    Token.objects.bulk_create(_best(new, list(stored.values())), batch_size=BATCH, ignore_conflicts=True)


def _takes_over(row: Token, claim: Claim, *, is_complete: bool) -> bool:
    """Bring a stored row to what the sources say; whether anything changed."""
    verdict = judge(claim, row, is_complete=is_complete)
    if verdict is None:
        return False
    wanted = {
        "symbol": claim.symbol,
        "name": claim.name,
        "verified": verdict.verified,
        "verified_by_sources": verdict.verified_by_sources,
        "source": claim.source,
    }
    before = {name: getattr(row, name) for name in wanted}
    for name, value in wanted.items():
        setattr(row, name, value)
    return before != wanted


def _best(new: Sequence[Token], stored: Sequence[Token]) -> list[Token]:
    """As many new tokens as there are places for, verified ones first, in the sources' own order."""
    places = max(MOST_TOKENS_PER_CHAIN - len(stored), 0)
    places_of_others = max(MOST_UNVERIFIED_PER_CHAIN - sum(not row.verified for row in stored), 0)
    others = [row for row in new if not row.verified][:places_of_others]
    return [*(row for row in new if row.verified), *others][:places]


def _row(claim: Claim, verdict: Verdict) -> Token:
    return Token(
        chain=claim.chain,
        address=claim.address,
        symbol=claim.symbol,
        name=claim.name,
        decimals=claim.decimals,
        verified=verdict.verified,
        verified_by_sources=verdict.verified_by_sources,
        source=claim.source,
    )


def _report(listing: Listing) -> None:
    silent = ", ".join(sorted(listing.silent_about)) or "none"
    level = logging.WARNING if listing.malformed or listing.silent_about else logging.INFO
    _LOGGER.log(
        level,
        "tokens_refreshed %s: %d rows, %d malformed, silent about: %s",
        listing.source,
        len(listing.tokens),
        listing.malformed,
        silent,
    )
