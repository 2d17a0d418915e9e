"""The calls of LI.FI's Diamond that carry out a plan, and the same calls with something changed in them."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from eth_utils.address import is_hex_address
from web3 import Web3

from localnet.addresses import DEX, DIAMOND, FEE_FORWARDER, NATIVE, WRAPPED_COINS
from localnet.devchain import contracts
from localnet.lifi.plans import Plan
from localnet.paths import put

LIFI_WALLET = "0x1f10000000000000000000000000000000000f11"
INTEGRATOR_WALLET = "0x1f1000000000000000000000000000000000f122"
VALID_SECONDS = 3600
FILL_SECONDS = 3 * 3600


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What a call must name besides its plan: its id, and the time on its chain."""

    transaction_id: str
    now: int


def encoded(plan: Plan, moment: Moment) -> str:
    """The call's data."""
    return _encode(*_call(plan, moment))


def changed(data: str, path: str, value: object) -> str:
    """The same call with one argument changed; ``path`` as in ``bridgeData.receiver`` or ``swapData.0.callTo``."""
    function, arguments = contract("Diamond").decode_function_input(data)
    is_address = isinstance(value, str) and is_hex_address(value)
    put(arguments, path, Web3.to_checksum_address(str(value)) if is_address else value)
    return _encode(function.fn_name, arguments)


@cache
def contract(name: str) -> Any:
    """The interface of a contract, wherever it stands."""
    return Web3().eth.contract(abi=contracts()[name]["abi"])


def _encode(name: str, arguments: dict[str, Any]) -> str:
    return str(contract("Diamond").encode_abi(name, kwargs=arguments))


def _call(plan: Plan, moment: Moment) -> tuple[str, dict[str, Any]]:
    order, steps = plan.order, _steps(plan, moment)
    if not order.is_swap:
        return _bridge_call(plan, moment, steps)
    kinds = ["Native" if asset.is_native else "ERC20" for asset in (order.taken, order.wanted)]
    many = "Single" if len(steps) == 1 else "Multiple"
    return f"swapTokens{many}V3{kinds[0]}To{kinds[1]}", {
        "transactionId": moment.transaction_id,
        "integrator": order.integrator,
        "referrer": order.referrer or NATIVE,
        "receiver": order.receiver,
        "minAmountOut": plan.delivered_least,
        "swapData": steps[0] if len(steps) == 1 else steps,
    }


def _steps(plan: Plan, moment: Moment) -> list[dict[str, Any]]:
    """What happens on the payer's chain before a bridge takes over."""
    steps = []
    taken = plan.order.taken.address
    if plan.fee:
        shares = [(INTEGRATOR_WALLET, plan.integrator_fee), (LIFI_WALLET, plan.lifi_fee)]
        paid = [(Web3.to_checksum_address(wallet), units) for wallet, units in shares if units]
        fees = contract("FeeForwarder")
        data = (
            fees.encode_abi("forwardNativeFees", args=[paid])
            if taken == NATIVE
            else fees.encode_abi("forwardERC20Fees", args=[taken, paid])
        )
        steps.append(_step(FEE_FORWARDER, (taken, taken), plan.amount, data, is_first=True))
    if plan.has_swap:
        rest = plan.amount - plan.fee
        given = [taken, plan.carried.address, rest, moment.now + VALID_SECONDS, Web3.to_checksum_address(DIAMOND)]
        data = contract("Dex").encode_abi("swap", args=given)
        steps.append(_step(DEX, (taken, plan.carried.address), rest, data, is_first=not steps))
    return steps


def _step(called: str, assets: tuple[str, str], units: int, data: str, *, is_first: bool) -> dict[str, Any]:
    return {
        "callTo": called,
        "approveTo": called,
        "sendingAssetId": assets[0],
        "receivingAssetId": assets[1],
        "fromAmount": units,
        "callData": data,
        "requiresDeposit": is_first,
    }


def _bridge_call(plan: Plan, moment: Moment, steps: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    order = plan.order
    bridge_data = {
        "transactionId": moment.transaction_id,
        "bridge": "acrossV4",
        "integrator": order.integrator,
        "referrer": NATIVE,
        "sendingAssetId": plan.carried.address,
        "receiver": order.receiver,
        "minAmount": plan.swapped_least,
        "destinationChainId": order.wanted.chain_id,
        "hasSourceSwaps": bool(steps),
        "hasDestinationCall": False,
    }
    arguments = {"bridgeData": bridge_data, "acrossData": _across_data(plan, moment)}
    if not steps:
        return "startBridgeTokensViaAcrossV4", arguments
    return "swapAndStartBridgeTokensViaAcrossV4", arguments | {"swapData": steps}


def _across_data(plan: Plan, moment: Moment) -> dict[str, Any]:
    order = plan.order
    return {
        "receiverAddress": word(order.receiver),
        "refundAddress": word(order.payer),
        "sendingAssetId": word(_bridge_token(plan.carried.chain, plan.carried.address)),
        "receivingAssetId": word(_bridge_token(order.wanted.chain, order.wanted.address)),
        "outputAmount": plan.delivered_least,
        "outputAmountMultiplier": plan.multiplier,
        "exclusiveRelayer": bytes(32),
        "quoteTimestamp": moment.now,
        "fillDeadline": moment.now + FILL_SECONDS,
        "exclusivityParameter": 0,
        "message": b"",
    }


def _bridge_token(chain: str, address: str) -> str:
    return WRAPPED_COINS[chain] if address == NATIVE else address


def word(address: str) -> bytes:
    """An address as Across writes it."""
    return int(address, 16).to_bytes(32)
