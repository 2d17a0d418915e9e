"""What is asked of LI.FI, read from a query string as strictly as it reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from eth_utils.address import is_hex_address, to_checksum_address
from solders.pubkey import Pubkey

from localnet.addresses import CHAIN_IDS, CHAIN_NAMES
from localnet.lifi.refusals import NOT_FOUND, Refusal, filtered_out, invalid, no_route
from localnet.market import Asset, Market

REQUIRED = ("fromChain", "toChain", "fromToken", "toToken", "fromAddress")
SLIPPAGE = "0.005"
BRIDGE, EXCHANGE = "across", "localdex"
SOLANA = "solana"
MOST_INTEGRATOR_LETTERS = 23


@dataclass(frozen=True, kw_only=True)
class Order:
    """One transfer that somebody wants. ``slippage`` and ``fee`` are fractions."""

    taken: Asset
    wanted: Asset
    payer: str
    receiver: str
    slippage: Decimal
    fee: Decimal
    integrator: str
    referrer: str

    @property
    def is_swap(self) -> bool:
        """Whether it stays on its chain."""
        return self.taken.chain == self.wanted.chain

    @property
    def path(self) -> str:
        """The way as LI.FI's errors name it."""
        start, end = (f"{one.chain_id}:{one.symbol}" for one in (self.taken, self.wanted))
        return f"{start}-{EXCHANGE if self.is_swap else BRIDGE}-{end}"


def read_order(query: Mapping[str, str], market: Market) -> Order:
    """The order in a query. Raises: Refusal."""
    for name in REQUIRED:
        if not query.get(name):
            raise invalid(f"/{name} must have required property '{name}'")
    taken = _asset(market, query["fromChain"], query["fromToken"])
    wanted = _asset(market, query["toChain"], query["toToken"])
    if not {taken.chain, wanted.chain} <= CHAIN_IDS.keys() | {SOLANA} or wanted.chain == SOLANA:
        raise no_route(f"{taken.chain_id}-{wanted.chain_id}", BRIDGE, "NO_POSSIBLE_ROUTE", "No bridge goes there here")
    payer = (_solana_address if taken.chain == SOLANA else _address)(query["fromAddress"], "fromAddress")
    order = Order(
        taken=taken,
        wanted=wanted,
        payer=payer,
        receiver=_address(query.get("toAddress") or payer, "toAddress"),
        slippage=_fraction(query, "slippage", SLIPPAGE),
        fee=_fraction(query, "fee", "0"),
        integrator=query.get("integrator", "lifi-api"),
        referrer=query.get("referrer", ""),
    )
    _must_be_sensible(order)
    _must_be_allowed(order, query)
    return order


def read_amount(query: Mapping[str, str], name: str) -> int:
    """A positive number of base units. Raises: Refusal."""
    text = query.get(name, "")
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise invalid(f"/{name} must be a positive integer in the token's base units")
    return int(text)


def chain_named(text: str) -> str:
    """The chain of this id. Raises: Refusal."""
    name = CHAIN_NAMES.get(int(text)) if text.isascii() and text.isdigit() else None
    if name is None:
        raise invalid(f"Chain {text} is not supported")
    return name


def _asset(market: Market, chain: str, token: str) -> Asset:
    name = chain_named(chain)
    found = market.find(name, token) or market.named(name, token)
    if found is None:
        raise Refusal(NOT_FOUND, f"Could not find token {token} on chain {chain}")
    return found


def _address(text: str, name: str) -> str:
    if not is_hex_address(text):
        raise invalid(f"/{name} is not a valid address")
    return to_checksum_address(text)


def _solana_address(text: str, name: str) -> str:
    try:
        return str(Pubkey.from_string(text))
    except ValueError:
        raise invalid(f"/{name} is not a valid address") from None


def _fraction(query: Mapping[str, str], name: str, default: str) -> Decimal:
    try:
        fraction = Decimal(query.get(name) or default)
    except InvalidOperation:
        raise invalid(f"/{name} must be number") from None
    if not 0 <= fraction < 1:
        raise invalid(f"/{name} must be >= 0 and < 1")
    return fraction


def _must_be_sensible(order: Order) -> None:
    if (order.taken.chain, order.taken.address) == (order.wanted.chain, order.wanted.address):
        raise invalid("The same token cannot be used as both the source and destination token")
    if len(order.integrator) > MOST_INTEGRATOR_LETTERS:
        raise invalid("/integrator must NOT have more than 23 characters")
    if order.fee and order.integrator == "lifi-api":
        raise invalid("A fee needs an integrator")


def _must_be_allowed(order: Order, query: Mapping[str, str]) -> None:
    kind, tool = ("Exchanges", EXCHANGE) if order.is_swap else ("Bridges", BRIDGE)
    allowed, denied = (query.get(verb + kind, "") for verb in ("allow", "deny"))
    if allowed and not {tool, "all"} & set(allowed.split(",")):
        raise filtered_out(order.path, f"Tool {tool} is not allowed")
    if {tool, "all"} & set(denied.split(",")) or allowed == "none":
        raise filtered_out(order.path, f"Tool {tool} is denied")
