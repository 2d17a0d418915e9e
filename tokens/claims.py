"""What the sources say together about a token, and what of it is believed. Reads rows, writes nothing."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from tokens.impostors import is_impostor, needs_two_words
from tokens.models import Token
from tokens.sources.bundled import bundled_by_place
from tokens.sources.reading import ListedToken, Listing

FEWEST_WORDS_FOR_FAMOUS = 2
_LOGGER = logging.getLogger("causeway.tokens")


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One token as its sources together describe it. ``is_contradicted``: they differ in its decimals."""

    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    source: str
    vouchers: int
    is_flagged: bool
    is_contradicted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the two columns of trust shall hold."""

    verified: bool
    verified_by_sources: bool | None


def merge(listings: Iterable[Listing]) -> list[Claim]:
    """One claim per token, in the order of the first list that has it; its words are of that list."""
    rows: dict[tuple[str, str], list[ListedToken]] = {}
    for listing in listings:
        for token in listing.tokens:
            rows.setdefault((token.chain, token.address), []).append(token)
    return [_claim(tokens) for tokens in rows.values()]


def judge(claim: Claim, row: Token | None, *, is_complete: bool) -> Verdict | None:
    """What to believe of a claim; None where the stored row stays as it is, or no row is to be made.

    ``is_complete``: every configured source spoke of this chain. Why it matters: a source that is silent for an hour
    takes no trust away.
    """
    committed = bundled_by_place().get((claim.chain, claim.address))
    if committed is not None:
        if claim.is_contradicted or claim.decimals != committed.decimals:
            _contradicts(claim, "the committed list")
        return None
    if row is None:
        return None if claim.is_contradicted else _as_sources_say(trusted=is_trusted(claim))
    return _of_stored(claim, row, is_complete=is_complete)


def is_trusted(claim: Claim) -> bool:
    """Whether the sources' words are enough to call the token verified."""
    if claim.is_flagged or claim.is_contradicted or is_impostor(claim.chain, claim.address, claim.symbol):
        return False
    famous = needs_two_words(claim.chain, claim.address, claim.symbol)
    return claim.vouchers >= (FEWEST_WORDS_FOR_FAMOUS if famous else 1)


def _of_stored(claim: Claim, row: Token, *, is_complete: bool) -> Verdict | None:
    is_own = row.verified_by_sources is not None and row.verified == row.verified_by_sources
    if claim.is_contradicted or claim.decimals != row.decimals:
        _contradicts(claim, "what is stored")
        return Verdict(verified=False, verified_by_sources=None) if is_own else None
    if not is_own:
        return None
    trusted = is_trusted(claim)
    is_downgrade = row.verified and not trusted
    if is_downgrade and not is_complete and not claim.is_flagged:
        return None
    return _as_sources_say(trusted=trusted)


def _as_sources_say(*, trusted: bool) -> Verdict:
    return Verdict(verified=trusted, verified_by_sources=trusted)


def _claim(tokens: list[ListedToken]) -> Claim:
    first = tokens[0]
    return Claim(
        chain=first.chain,
        address=first.address,
        symbol=first.symbol,
        name=first.name,
        decimals=first.decimals,
        source=", ".join(dict.fromkeys(token.source for token in tokens)),
        vouchers=len({token.source for token in tokens if token.is_vouched}),
        is_flagged=any(token.is_flagged for token in tokens),
        is_contradicted=len({token.decimals for token in tokens}) > 1,
    )


def _contradicts(claim: Claim, held: str) -> None:
    _LOGGER.error(
        "token_contradicted %s %s: %s gives other decimals than %s", claim.chain, claim.address, claim.source, held
    )
