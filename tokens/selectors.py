"""Reads of the token list. Tokens are found by chain and address; a symbol alone proves nothing."""

from datetime import timedelta
from decimal import Decimal

from django.db.models import QuerySet

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import CHAINS, Chain, canonical_chain_name, chain
from core.clock import now
from tokens.models import Token
from tokens.settlement_pairs import SETTLEMENT_PAIRS
from tokens.simulated_prices import SIMULATED_USD_PRICES

_PAIR_ADDRESSES = {(pair.chain, pair.symbol): pair.address for pair in SETTLEMENT_PAIRS}

# Source: docs.li.fi and status samples: other ways in which aggregators write a chain's native coin.
_OTHER_NATIVE_SPELLINGS = {
    "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee": frozenset(
        {"ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"}
    ),
    "0x0000000000000000000000000000000000001010": frozenset({"polygon"}),
}


def all_tokens() -> QuerySet[Token]:
    """Every token, ordered by chain, symbol and address."""
    return Token.objects.order_by("chain", "symbol", "address")


def tokens_on(chain_name: str) -> QuerySet[Token]:
    """The tokens of one chain, by name or alias; none for an unknown chain."""
    return all_tokens().filter(chain=canonical_chain_name(chain_name))


def find_token(chain_name: str, address: str) -> Token | None:
    """The token at this address, in whatever spelling an aggregator gave; None if it is not on the list."""
    known = chain(chain_name)
    spelling = None if known is None else _stored_spelling(known, address)
    if known is None or spelling is None:
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


def usd_price(token: Token, max_age_seconds: int) -> Decimal | None:
    """Dollars for one whole token, or None if the stored price is missing or older than this.

    Why a price from the future is refused like an old one: a wrong clock must not keep it fresh for ever.
    """
    if token.price_usd is None or token.priced_at is None:
        return None
    fresh = abs(now() - token.priced_at) <= timedelta(seconds=max_age_seconds)
    return token.price_usd if fresh else None


def simulated_usd_price(symbol: str) -> Decimal:
    """Dollars for one whole token in test mode, the same for ever; one dollar for a symbol nobody knows.

    Why a price for anything: test mode accepts any settlement token.
    """
    return SIMULATED_USD_PRICES.get(symbol.upper(), Decimal("1"))


def _stored_spelling(known: Chain, address: str) -> str | None:
    if known.name in _OTHER_NATIVE_SPELLINGS.get(address.lower(), frozenset()):
        return known.native_address
    try:
        return parse_address(known, address)
    except InvalidAddress:
        return None
