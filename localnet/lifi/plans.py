"""How an order is carried out, and what comes of it: fee, swap, bridge. All amounts in base units.

There are no swaps on the other side: the payer's token becomes what the receiver wants before it is bridged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext

from localnet.lifi.orders import Order
from localnet.lifi.refusals import no_route
from localnet.market import MOST_UNITS, Asset, Market

BRIDGEABLE = ("USDC", "USDT", "DAI", "ETH")
"""What Across carries, by symbol: these on one chain become these on another."""
MULTIPLIER = 10**18
PRECISION = 80
"""Digits: amounts times fractions stay exact."""
TOO_LOW, TOO_HIGH, NO_WAY, TOO_THIN = "AMOUNT_TOO_LOW", "AMOUNT_TOO_HIGH", "NO_POSSIBLE_ROUTE", "INSUFFICIENT_LIQUIDITY"


@dataclass
class Terms:
    """What LI.FI and the bridge take, and between which amounts they work."""

    lifi_fee: Decimal = Decimal("0.0025")
    bridge_fee: Decimal = Decimal("0.0006")
    bridge_usd: Decimal = Decimal("0.02")
    least_usd: Decimal = Decimal("0.5")
    most_usd: Decimal = Decimal(5_000_000)
    checks_balances: bool = True


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One way with its amounts.

    ``carried`` is what a bridge takes in, ``swapped`` how much of it a swap gives before, ``swapped_least`` under
    which it reverts. Without a bridge these are what is delivered.
    """

    order: Order
    amount: int
    lifi_fee: int
    integrator_fee: int
    carried: Asset
    swapped: int
    swapped_least: int
    bridged: int
    multiplier: int
    delivered: int
    delivered_least: int

    @property
    def fee(self) -> int:
        """What is taken before anything else happens."""
        return self.lifi_fee + self.integrator_fee

    @property
    def has_swap(self) -> bool:
        """Whether the payer's token becomes another on its own chain."""
        return self.carried != self.order.taken


def plan(order: Order, amount: int, market: Market, terms: Terms) -> Plan:
    """What becomes of so much. Raises: Refusal."""
    with localcontext(prec=PRECISION):
        return _plan(order, amount, market, terms)


def plan_to(order: Order, least: int, market: Market, terms: Terms) -> Plan:
    """The smallest amount that guarantees so much. Raises: Refusal."""

    def guarantees(amount: int) -> bool:
        return plan(order, amount, market, terms).delivered_least >= least

    enough = 1
    while not guarantees(enough):
        enough *= 2
        if enough > MOST_UNITS:
            raise no_route(order.path, "lifi", TOO_THIN, "The requested amount is more than the pools hold")
    return plan(order, _smallest(guarantees, enough // 2, enough), market, terms)


def check_limits(made: Plan, market: Market, terms: Terms) -> None:
    """Raises: Refusal for too little and too much."""
    worth, path = Decimal(market.usd_of(made.order.taken, made.amount)), made.order.path
    if made.delivered_least <= 0 or (made.bridged and worth < terms.least_usd):
        raise no_route(path, "across", TOO_LOW, "The amount is too low: sent amount would not cover the fees")
    if worth > terms.most_usd:
        raise no_route(path, "across", TOO_HIGH, "The amount is too high for the tool")


def _plan(order: Order, amount: int, market: Market, terms: Terms) -> Plan:
    carried = order.wanted if order.is_swap else _carried(order, market)
    lifi_fee, integrator_fee = _floor(amount * terms.lifi_fee), _floor(amount * order.fee)
    rest = amount - lifi_fee - integrator_fee
    has_swap = carried != order.taken
    swapped = market.given(order.taken, carried, rest) if has_swap else rest
    least = _floor(swapped * (1 - order.slippage)) if has_swap else swapped
    bridged = 0 if order.is_swap else _bridged(order, carried, swapped, market, terms)
    multiplier = bridged * MULTIPLIER // max(swapped, 1)
    is_plain = not has_swap and rest == amount
    if order.is_swap:
        delivered, delivered_least = swapped, least
    elif is_plain:
        delivered, delivered_least = bridged, bridged
    else:
        delivered, delivered_least = (units * multiplier // MULTIPLIER for units in (swapped, least))
    return Plan(
        order=order,
        amount=amount,
        lifi_fee=lifi_fee,
        integrator_fee=integrator_fee,
        carried=carried,
        swapped=swapped,
        swapped_least=least,
        bridged=bridged,
        multiplier=multiplier,
        delivered=delivered,
        delivered_least=delivered_least,
    )


def _smallest(holds: Callable[[int], bool], below: int, enough: int) -> int:
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if holds(middle) else (middle, enough)
    return enough


def _carried(order: Order, market: Market) -> Asset:
    """The token here that the bridge turns into the one that is wanted there."""
    same = market.named(order.taken.chain, order.wanted.symbol)
    if same is None or order.wanted.symbol not in BRIDGEABLE:
        raise no_route(order.path, "across", NO_WAY, "No route was found that could be used for this action")
    return same


def _bridged(order: Order, carried: Asset, units: int, market: Market, terms: Terms) -> int:
    """What arrives of so much, in the other chain's base units."""
    left = units * (1 - terms.bridge_fee) - terms.bridge_usd / market.price(carried) * 10**carried.decimals
    return max(_floor(left.scaleb(order.wanted.decimals - carried.decimals)), 0)


def _floor(value: Decimal) -> int:
    return int(value.to_integral_value(rounding=ROUND_FLOOR))
