"""Reads of the token list. Tokens are found by chain and address; a symbol alone proves nothing."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, reduce
from operator import or_

from django.db.models import Q, QuerySet

from chains.registry import CHAINS, canonical_chain_name, chain
from core.clock import now
from core.money import BaseUnits, UsdAmount, from_base_units, round_usd_up
from tokens.models import Token
from tokens.price_rules import (
    BLOCK_SECONDS,
    MAX_AGE_SECONDS,
    SIMULATED_USD_PRICES,
    settlement_price,
    source_price,
)
from tokens.settlement_pairs import SETTLEMENT_PAIRS
from tokens.sources.bundled import bundled_by_place, bundled_tokens
from tokens.sources.reading import Malformed, read_address

_PAIR_ADDRESSES = {(pair.chain, pair.symbol): pair.address for pair in SETTLEMENT_PAIRS}


def all_tokens() -> QuerySet[Token]:
    """Every token, ordered by chain, symbol and address."""
    return Token.objects.order_by("chain", "symbol", "address")


def committed_tokens() -> QuerySet[Token]:
    """The tokens of the committed list alone, in the same order: what test mode's wallets are made of."""
    return all_tokens().filter(reduce(or_, (Q(chain=row.chain, address=row.address) for row in bundled_tokens())))


def named_by_us(token: Token) -> bool:
    """Whether its symbol and name are those of the committed list, not words that a source, or its maker, chose."""
    row = bundled_by_place().get((token.chain, token.address))
    return row is not None and (row.symbol, row.name) == (token.symbol, token.name)


@cache
def committed_symbols() -> frozenset[str]:
    """The symbols of the committed list, in upper case."""
    return frozenset(row.symbol.upper() for row in bundled_tokens())


def search_tokens(text: str, chain_name: str = "") -> QuerySet[Token]:
    """The tokens whose symbol or name holds this text, in any letter case, or that live at this address.

    ``chain_name`` narrows to one chain, by name or alias; empty: all of them.
    """
    where = tokens_on(chain_name) if chain_name else all_tokens()
    return where.filter(Q(symbol__icontains=text) | Q(name__icontains=text) | Q(address__iexact=text))


def tokens_that_settle(chain_names: Iterable[str]) -> QuerySet[Token]:
    """What live quotes on these chains always need a price of: the settlement tokens and the native coins."""
    wanted = set(chain_names)
    pairs = [Q(chain=pair.chain, address=pair.address) for pair in SETTLEMENT_PAIRS if pair.chain in wanted]
    return all_tokens().filter(reduce(or_, pairs, Q(chain__in=wanted, is_native=True)))


def tokens_on(chain_name: str) -> QuerySet[Token]:
    """The tokens of one chain, by name or alias; none for an unknown chain."""
    return all_tokens().filter(chain=canonical_chain_name(chain_name))


def find_token(chain_name: str, address: str) -> Token | None:
    """The token at this address, in whatever spelling an aggregator gave; None if it is not on the list."""
    known = chain(chain_name)
    if known is None:
        return None
    try:
        spelling = read_address(known, address)
    except Malformed:
        return None
    return Token.objects.filter(chain=known.name, address=spelling).first()


def settlement_token(chain_name: str, symbol: str) -> Token | None:
    """The one token that chain and symbol mean in a live intent; None if the pair is not allowed.

    A token whose ``verified`` an operator took away is not allowed either.
    """
    chain_name = canonical_chain_name(chain_name)
    address = _PAIR_ADDRESSES.get((chain_name, symbol.upper()))
    if address is None:
        return None
    return Token.objects.filter(chain=chain_name, address=address, verified=True).first()


def allowed_settlement_pairs() -> list[dict[str, str]]:
    """The allow-list of live settlement, for ``details.allowed`` of a refusal."""
    return [{"chain": pair.chain, "token": pair.symbol} for pair in SETTLEMENT_PAIRS]


def token_contracts_at(chain_name: str, address: str) -> frozenset[str]:
    """The address itself if a token lives there on this chain or a sister chain; the set to refuse payment to.

    Why sister chains: an address copied from another EVM chain's token is nobody's wallet here.
    """
    known = chain(chain_name)
    if known is None:
        return frozenset()
    sisters = [sister.name for sister in CHAINS if sister.family is known.family]
    tokens = Token.objects.filter(chain__in=sisters, address=address, is_native=False)
    return frozenset(tokens.values_list("address", flat=True))


def usd_price(token: Token, max_age_seconds: int = MAX_AGE_SECONDS) -> Decimal | None:
    """Dollars for one whole token that somebody pays with, or None without a fresh price.

    One source is enough; an issuer's dollar counts as one while it keeps its peg. Source: docs/adr/0012.
    """
    return source_price(_fresh(token, max_age_seconds), is_usd_stablecoin=token.is_usd_stablecoin)


def settlement_usd_price(token: Token, max_age_seconds: int = MAX_AGE_SECONDS) -> Decimal | None:
    """Dollars for one whole token that a merchant is paid in, or None unless enough fresh sources agree.

    Source: docs/guides/tokens.md, Prices.
    """
    return settlement_price(_fresh(token, max_age_seconds), is_usd_stablecoin=token.is_usd_stablecoin)


def settlement_usd_price_at(token: Token, moment: datetime) -> Decimal | None:
    """What a merchant's token cost at a moment, by the reports that are not far from it; None unless enough agree.

    Why those that stand now: each source's last report alone is kept, so what is asked about is a block just read.
    """
    return settlement_price(_prices_near(token, moment, BLOCK_SECONDS), is_usd_stablecoin=token.is_usd_stablecoin)


def last_usd_prices(token: Token) -> list[Decimal]:
    """Each source's last price, however old it is."""
    return [row.price_usd for row in token.prices.all() if row.price_usd]


def worth_for_caps(chain_name: str, address: str, base_units: BaseUnits, frozen_usd: UsdAmount) -> UsdAmount | None:
    """What limits count: the frozen dollars, or what it is worth now at the highest fresh price if that is more.

    An issuer's dollar, and a token that is on no list, count as frozen. None: its price moves, and none is fresh.
    Rounded up. Source: docs/signing.md.
    """
    token = find_token(chain_name, address)
    if token is None or token.is_usd_stablecoin:
        return frozen_usd
    fresh = _fresh(token, MAX_AGE_SECONDS)
    if not fresh:
        return None
    return max(frozen_usd, round_usd_up(from_base_units(base_units, token.decimals) * max(fresh)))


def price_for_caps(chain_name: str, address: str, base_units: BaseUnits) -> UsdAmount | None:
    """What so much of a token is worth now at its highest fresh price, rounded up; an issuer's dollar is a dollar.

    None where no price can be believed: none is fresh, or the operator has not verified the token.
    """
    token = find_token(chain_name, address)
    if token is None or not token.verified:
        return None
    prices = [Decimal(1)] if token.is_usd_stablecoin else _fresh(token, MAX_AGE_SECONDS)
    return round_usd_up(from_base_units(base_units, token.decimals) * max(prices)) if prices else None


def _fresh(token: Token, max_age_seconds: int) -> list[Decimal]:
    """Each source's price that is young enough."""
    return _prices_near(token, now(), max_age_seconds)


def _prices_near(token: Token, moment: datetime, most_seconds: int) -> list[Decimal]:
    """Each source's price of about this moment.

    Why a price from after it is refused like an old one: a wrong clock must not keep it fresh for ever.
    """
    most = timedelta(seconds=most_seconds)
    return [row.price_usd for row in token.prices.all() if row.price_usd and abs(moment - row.priced_at) <= most]


def simulated_usd_price(symbol: str) -> Decimal:
    """Dollars for one whole token in test mode, the same for ever; one dollar for a symbol nobody knows.

    Why a price for anything: test mode accepts any settlement token.
    """
    return SIMULATED_USD_PRICES.get(symbol.upper(), Decimal("1"))
