"""Honest answers of LI.FI to our requests, in its exact shapes, with the calldata its contracts take; and lies."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from chains.registry import EVM_NATIVE_ADDRESS, chain
from core.modes import Mode
from core.money import BaseUnits
from payments.routing.base import Asset, RouteRequest
from payments.routing.lifi.pins import ROUTERS, WRAPPED_COINS
from payments.routing.lifi.terms import Terms, terms_of
from tests.payments.lifi.calls import call

AT = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
PAYER = "0x1111111111111111111111111111111111111111"
MERCHANT = "0x2222222222222222222222222222222222222222"
EXCHANGE = "0x3333333333333333333333333333333333333333"
STRANGER = "0x4444444444444444444444444444444444444444"
TRANSACTION_ID = bytes(range(32))
INTEGRATOR = "causeway"
SLIPPAGE_BPS = 50
NOTHING = bytes(32)
MISSING: Any = object()
FIXED_FEE = {"name": "LIFI Fixed Fee", "percentage": "0.0025", "amountUSD": "0.0629", "included": True}
GAS = {"type": "SEND", "estimate": "240000", "limit": "312000", "amount": "2160000000000", "amountUSD": "0.0054"}


def _dollars(chain_name: str, symbol: str, address: str, decimals: int = 6) -> Asset:
    name = {"USDC": "USD Coin", "USDT": "Tether"}[symbol]
    price = Decimal(1)
    return Asset(chain=chain_name, address=address, symbol=symbol, name=name, decimals=decimals, usd_price=price)


BASE_USDC = _dollars("base", "USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
BASE_USDT = _dollars("base", "USDT", "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2")
ARBITRUM_USDC = _dollars("arbitrum", "USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831")
ARBITRUM_USDT = _dollars("arbitrum", "USDT", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9")
BNB_USDT = _dollars("bnb", "USDT", "0x55d398326f99059fF775485246999027B3197955", 18)
BNB_USDC = _dollars("bnb", "USDC", "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18)


def native(chain_name: str, price: str = "2500") -> Asset:
    facts = {"address": EVM_NATIVE_ADDRESS, "symbol": "ETH", "name": "Ether"}
    return Asset(chain=chain_name, decimals=18, usd_price=Decimal(price), **facts)


def request_for(source: Asset, destination: Asset = BASE_USDC, dollars: int = 25) -> RouteRequest:
    """Bring so many dollars in the destination's token to the merchant."""
    return RouteRequest(
        mode=Mode.LIVE,
        payer_address=PAYER,
        source=source,
        destination=destination,
        recipient=MERCHANT,
        target_base_units=BaseUnits(int(dollars * 10**destination.decimals / destination.usd_price)),
    )


def terms_for(request: RouteRequest, integrator: str = INTEGRATOR) -> Terms:
    terms = terms_of(request, integrator, AT)
    assert terms is not None
    return terms


STEP = ("calls", "approves", "sold", "bought", "takes", "data", "deposits")
SWAP_HEAD = ("id", "integrator", "referrer", "receiver", "least")
BRIDGE_HEAD = ("id", "bridge", "integrator", "referrer", "token", "receiver", "bridged", "chain", "swaps", "then calls")
ORDER = (
    *("paid to", "refund to", "input token", "output token", "output", "multiplier", "relayer"),
    *("quoted", "fill by", "exclusive", "message"),
)
"""What the parts of a call are called here, by their places."""


@dataclass
class Answer:
    """One honest answer and the parts of its call, so that a test can change any of them and encode it again.

    ``swapping`` sells through one step more; ``at`` is the moment of the answer.
    """

    request: RouteRequest
    swapping: bool = False
    at: datetime = AT
    name: str = ""
    head: list[Any] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        source, destination = self.request.source, self.request.destination
        self.is_bridge = source.chain != destination.chain
        worth = Decimal(self.request.target_base_units).scaleb(-destination.decimals) * destination.usd_price
        self.least = int(self.request.target_base_units)
        self.paid = int((worth / source.usd_price * Decimal("1.007")).scaleb(source.decimals))
        if self.is_bridge:
            self._bridge()
        else:
            self._swap()
        self.body = self._body()

    def lie(self, part: str, value: Any) -> None:
        """Say something else in one part of the call: a part of its head or its order, or ``0 calls``, of a step."""
        if part[0].isdigit():
            self.steps[int(part[0])][STEP.index(part[2:])] = value
        elif part in (head := BRIDGE_HEAD if self.is_bridge else SWAP_HEAD):
            self.head[head.index(part)] = value
        else:
            self.order[ORDER.index(part)] = value

    def calldata(self) -> bytes:
        steps = [tuple(step) for step in self.steps]
        if not self.is_bridge:
            last = steps[0] if "Single" in self.name else steps
            return call(self.name, (*self.head, last))
        middle = (steps,) if self.steps else ()
        return call(self.name, (tuple(self.head), *middle, tuple(self.order)))

    def encoded(self) -> dict[str, Any]:
        request = {**self.body["transactionRequest"], "data": "0x" + self.calldata().hex()}
        return {**self.body, "transactionRequest": request}

    def _step(self, sending: str, receiving: str, amount: int, *, deposits: bool) -> list[Any]:
        return [EXCHANGE, EXCHANGE, sending, receiving, amount, b"\x12\x34\x56\x78swap", deposits]

    def _swap(self) -> None:
        source, destination = self.request.source.address, self.request.destination.address
        zero = EVM_NATIVE_ADDRESS
        kind = "ToERC20" if destination != zero else "ToNative"
        kind = ("Native" if source == zero else "ERC20") + kind
        self.name = f"swapTokens{'Multiple' if self.swapping else 'Single'}V3{kind}"
        self.head = [TRANSACTION_ID, INTEGRATOR, zero, MERCHANT, self.least]
        self.steps = self._route(source, destination, several=self.swapping)

    def _bridge(self) -> None:
        source, destination = self.request.source, self.request.destination
        home, there = chain(source.chain), chain(destination.chain)
        assert home is not None
        assert there is not None
        bridged = ARBITRUM_USDC.address if self.swapping else source.address
        start = "swapAndStart" if self.swapping else "start"
        self.name = f"{start}BridgeTokensViaAcrossV4"
        least = self.least * 10**6 // 10**destination.decimals + 20_000 if self.swapping else self.paid
        names = ("across", INTEGRATOR, EVM_NATIVE_ADDRESS)
        self.head = [TRANSACTION_ID, *names, bridged, MERCHANT, least, there.chain_id, self.swapping, False]
        self.steps = self._route(source.address, bridged, several=True) if self.swapping else []
        moment = int(self.at.timestamp())
        places = destination.decimals - (6 if self.swapping else source.decimals)
        self.order = [
            *(word(MERCHANT), word(PAYER)),
            word(WRAPPED_COINS[home.name] if bridged == EVM_NATIVE_ADDRESS else bridged),
            *(word(destination.address), self.least, int(Decimal("0.9995").scaleb(18 + places)), NOTHING),
            *(moment - 30, moment + 4 * 3600, 0, b""),
        ]

    def _route(self, source: str, last: str, *, several: bool) -> list[list[Any]]:
        """One step, or a fee in the paid token and the swap of the rest."""
        deposits = source != EVM_NATIVE_ADDRESS
        if not several:
            return [self._step(source, last, self.paid, deposits=deposits)]
        fee = self.paid // 400
        return [
            self._step(source, source, fee, deposits=deposits),
            self._step(source, last, self.paid - fee, deposits=deposits),
        ]

    def _body(self) -> dict[str, Any]:
        source, destination = self.request.source, self.request.destination
        router = ROUTERS[source.chain]
        tool = "across" if self.is_bridge else "sushiswap"
        native_input = source.address == EVM_NATIVE_ADDRESS
        return {
            **{"id": "7ea03ed3-a2a8-4d8a-8a5e-3b9f5a3f7f4e:0", "type": "lifi", "tool": tool, "integrator": INTEGRATOR},
            **{"transactionId": "0x" + TRANSACTION_ID.hex(), "includedSteps": []},
            "action": {
                **{"fromChainId": _chain_id(source), "toChainId": _chain_id(destination)},
                **{"fromToken": _token(source), "toToken": _token(destination), "fromAmount": str(self.paid)},
                **{"fromAddress": PAYER, "toAddress": MERCHANT, "slippage": 0.005},
            },
            "estimate": {
                **{"tool": tool, "approvalAddress": router, "executionDuration": 30, "fromAmount": str(self.paid)},
                **{"toAmount": str(self.least * 1005 // 1000), "toAmountMin": str(self.least)},
                **{"fromAmountUSD": "25.18", "toAmountUSD": "25.12"},
                "feeCosts": [{**FIXED_FEE, "token": _token(source), "amount": str(self.paid // 400)}],
                "gasCosts": [{**GAS, "token": _token(native(source.chain))}],
            },
            "transactionRequest": {
                **{"to": router, "from": PAYER, "chainId": _chain_id(source), "gasLimit": "0x4c2c0"},
                **{"value": hex(self.paid) if native_input else "0x0", "data": "0x" + self.calldata().hex()},
            },
        }


def changed(body: Any, path: str, value: Any) -> Any:
    """A copy of an answer with one part changed, named by its dotted path; MISSING takes the part out."""
    if not path:
        return value
    first, _, rest = path.partition(".")
    copy: Any = list(body) if isinstance(body, list) else dict(body)
    place: Any = int(first) if isinstance(body, list) else first
    if rest:
        copy[place] = changed(copy[place], rest, value)
    elif value is MISSING:
        del copy[place]
    else:
        copy[place] = value
    return copy


def parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in an answer, under its dotted path: the answer itself, and whatever stands in it."""
    yield path, value
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from parts(inner, f"{path}.{name}".lstrip("."))


def leaves(value: Any) -> list[str]:
    """The dotted paths of everything in an answer that is no object and no list."""
    return [path for path, inner in parts(value) if not isinstance(inner, dict | list)]


def swap(**fields: Any) -> Answer:
    """USDT for USDC on Base."""
    return Answer(request=request_for(BASE_USDT), **fields)


def bridge(**fields: Any) -> Answer:
    """USDC on Arbitrum for USDC on Base."""
    return Answer(request=request_for(ARBITRUM_USDC), **fields)


def word(address: str) -> bytes:
    """An address as 32 bytes."""
    return int(address, 16).to_bytes(32)


def _chain_id(asset: Asset) -> int:
    known = chain(asset.chain)
    assert known is not None
    assert known.chain_id is not None
    return known.chain_id


def _token(asset: Asset) -> dict[str, Any]:
    return {
        **{"chainId": _chain_id(asset), "address": asset.address, "symbol": asset.symbol, "name": asset.name},
        **{"decimals": asset.decimals, "priceUSD": str(asset.usd_price), "verificationStatus": "verified"},
    }
