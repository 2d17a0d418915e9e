"""LI.FI's calls, read in full: the six generic swaps, and bridging by Across with and without a swap before. Pure.

What is not on this list is refused: among others the packed forms, other bridges, and Across by opaque calldata.
Source: https://github.com/lifinance/contracts at ef00558 (2026-08-21): GenericSwapFacetV3, AcrossFacetV4, ILiFi,
LibSwap.
"""

from dataclasses import dataclass
from typing import Any

from chains.calldata.abi import AbiType, CalldataError, ListOf, read_arguments

_SELECTOR = 4
_SWAP: AbiType = ("address", "address", "address", "address", "uint256", "bytes", "bool")
_BRIDGE: AbiType = (
    *("bytes32", "string", "string", "address", "address", "address"),
    *("uint256", "uint256", "bool", "bool"),
)
_ACROSS: AbiType = (
    *("bytes32", "bytes32", "bytes32", "bytes32", "uint256", "uint128", "bytes32"),
    *("uint32", "uint32", "uint32", "bytes"),
)
_SWAP_HEAD: tuple[AbiType, ...] = ("bytes32", "string", "string", "address", "uint256")
ACROSS_MULTIPLIER_BASE = 10**18
"""Source: https://github.com/lifinance/contracts, AcrossFacetV4.MULTIPLIER_BASE."""


class UnknownCall(CalldataError):
    """The selector is not on the list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SwapStep:
    """One call that the router makes on the way: ``LibSwap.SwapData``. Addresses in lower case.

    ``requires_deposit`` means that the router first takes ``from_amount`` of ``sending_asset`` from the caller.
    """

    call_to: str
    approve_to: str
    sending_asset: str
    receiving_asset: str
    from_amount: int
    calldata: bytes
    requires_deposit: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SwapCall:
    """A generic swap: all that comes out goes to ``receiver``, at least ``min_amount_out``, or it reverts.

    ``is_single`` takes the whole input from the caller whatever its one step says of deposits.
    """

    takes_native: bool
    gives_native: bool
    is_single: bool
    transaction_id: bytes
    integrator: str
    referrer: str
    receiver: str
    min_amount_out: int
    steps: tuple[SwapStep, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class BridgeData:
    """What every bridging call begins with: ``ILiFi.BridgeData``."""

    transaction_id: bytes
    bridge: str
    integrator: str
    referrer: str
    sending_asset: str
    receiver: str
    min_amount: int
    destination_chain_id: int
    has_source_swaps: bool
    has_destination_call: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class AcrossOrder:
    """The order that Across is given: ``AcrossFacetV4.AcrossV4Data``. Addresses are 32 bytes long.

    After a swap ``output_amount`` does not count: it becomes the swapped amount times ``output_amount_multiplier``
    over ``ACROSS_MULTIPLIER_BASE``.
    """

    receiver: bytes
    refund_address: bytes
    sending_asset: bytes
    receiving_asset: bytes
    output_amount: int
    output_amount_multiplier: int
    exclusive_relayer: bytes
    quote_timestamp: int
    fill_deadline: int
    exclusivity: int
    message: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class AcrossCall:
    """Bridging by Across; ``steps`` is empty without a swap before."""

    bridge: BridgeData
    steps: tuple[SwapStep, ...]
    order: AcrossOrder

    @property
    def least_output(self) -> int:
        """What the order delivers at least, in base units of the receiving asset; cut as the contract cuts it."""
        if not self.steps:
            return self.order.output_amount
        return self.bridge.min_amount * self.order.output_amount_multiplier // ACROSS_MULTIPLIER_BASE


LifiCall = SwapCall | AcrossCall

_SWAPS: dict[str, tuple[bool, bool, bool]] = {
    "4666fc80": (False, False, True),
    "733214a3": (False, True, True),
    "af7060fd": (True, False, True),
    "5fd9ae2e": (False, False, False),
    "2c57e884": (False, True, False),
    "736eac0b": (True, False, False),
}
"""Selectors of swapTokens{Single,Multiple}V3..., each with: takes native, gives native, is single."""
_START_ACROSS, _SWAP_AND_START_ACROSS = "a1f1ce43", "1794958f"


def read_lifi_call(calldata: bytes) -> LifiCall:
    """What a call asks of LI.FI's router. Raises: UnknownCall for a selector that is not listed, CalldataError."""
    selector, encoded = calldata[:_SELECTOR].hex(), calldata[_SELECTOR:]
    if selector in _SWAPS:
        return _swap_call(selector, encoded)
    if selector == _START_ACROSS:
        bridge, order = _arguments((_BRIDGE, _ACROSS), encoded)
        return AcrossCall(bridge=_bridge(bridge), steps=(), order=_order(order))
    if selector == _SWAP_AND_START_ACROSS:
        bridge, steps, order = _arguments((_BRIDGE, ListOf(_SWAP), _ACROSS), encoded)
        return AcrossCall(bridge=_bridge(bridge), steps=_steps(steps), order=_order(order))
    raise UnknownCall("a call that is not on the list")


def _swap_call(selector: str, encoded: bytes) -> SwapCall:
    takes_native, gives_native, is_single = _SWAPS[selector]
    last: AbiType = _SWAP if is_single else ListOf(_SWAP)
    transaction_id, integrator, referrer, receiver, least, steps = _arguments((*_SWAP_HEAD, last), encoded)
    return SwapCall(
        takes_native=takes_native,
        gives_native=gives_native,
        is_single=is_single,
        transaction_id=transaction_id,
        integrator=integrator,
        referrer=referrer,
        receiver=receiver,
        min_amount_out=least,
        steps=_steps((steps,) if is_single else steps),
    )


def _arguments(types: tuple[AbiType, ...], encoded: bytes) -> Any:
    """The arguments, as their types say; what crosses from here is named where it is read."""
    return read_arguments(types, encoded)


def _steps(values: Any) -> tuple[SwapStep, ...]:
    if not values:
        raise CalldataError("a swap without steps")
    names = SwapStep.__slots__
    return tuple(SwapStep(**dict(zip(names, value, strict=True))) for value in values)


def _bridge(value: Any) -> BridgeData:
    return BridgeData(**dict(zip(BridgeData.__slots__, value, strict=True)))


def _order(value: Any) -> AcrossOrder:
    return AcrossOrder(**dict(zip(AcrossOrder.__slots__, value, strict=True)))
