"""LI.FI's JSON: tokens, chains and quotes. Source: npm @lifi/types 18.4.0 (LiFiStep, Token, ExtendedChain)."""

from decimal import Decimal
from typing import Any

from localnet.addresses import CHAIN_IDS, DIAMOND, NATIVE, RESETTING
from localnet.lifi.orders import BRIDGE, EXCHANGE, Order
from localnet.lifi.plans import Plan
from localnet.market import Asset, Market

KEYS = {"ethereum": "eth", "base": "bas", "arbitrum": "arb", "optimism": "opt", "polygon": "pol", "bnb": "bsc"}
DETAILS = {BRIDGE: "AcrossV4", EXCHANGE: "LocalDex", "feeCollection": "Integrator Fee"}
GAS = 320_000
GAS_LIMIT = 900_000
SWAP_SECONDS, BRIDGE_SECONDS = 30, 12


def token_json(asset: Asset, market: Market) -> dict[str, Any]:
    """A token."""
    return {
        "address": asset.address,
        "chainId": asset.chain_id,
        "symbol": asset.symbol,
        "decimals": asset.decimals,
        "name": asset.name,
        "coinKey": asset.symbol,
        "logoURI": "",
        "priceUSD": format(market.price(asset), "f"),
        "tags": [] if asset.symbol in market.usd else ["stablecoin"],
        "verificationStatus": "verified" if asset.verified else "unverified",
    }


def chain_json(name: str, market: Market) -> dict[str, Any]:
    """A chain."""
    coin = market.find(name, NATIVE)
    assert coin is not None
    return {
        "key": KEYS.get(name, name),
        "chainType": "EVM",
        "name": name.capitalize(),
        "coin": coin.symbol,
        "id": CHAIN_IDS[name],
        "mainnet": True,
        "logoURI": "",
        "multicallAddress": "0xcA11bde05977b3631167028862bE2a173976CA11",
        "diamondAddress": DIAMOND,
        "nativeToken": token_json(coin, market),
    }


def step_json(plan: Plan, market: Market, step_id: str, transaction: dict[str, Any]) -> dict[str, Any]:
    """A quote, ``transaction`` with its call and its id."""
    tool = EXCHANGE if plan.order.is_swap else BRIDGE
    gas_price = int(transaction["transactionRequest"]["gasPrice"], 16)
    return {
        "type": "lifi",
        "id": f"{step_id}:0",
        "tool": tool,
        "toolDetails": _details(tool),
        "action": _action(plan.order, plan.amount, (plan.order.taken, plan.order.wanted), market),
        "estimate": _estimate(plan, tool, market, gas_price),
        "includedSteps": _included(plan, step_id, market),
        "integrator": plan.order.integrator,
        **transaction,
    }


def _details(tool: str) -> dict[str, str]:
    return {"key": tool, "name": DETAILS[tool], "logoURI": ""}


def _action(order: Order, units: int, assets: tuple[Asset, Asset], market: Market) -> dict[str, Any]:
    start, end = assets
    return {
        "fromToken": token_json(start, market),
        "fromAmount": str(units),
        "toToken": token_json(end, market),
        "fromChainId": start.chain_id,
        "toChainId": end.chain_id,
        "slippage": float(order.slippage),
        "fromAddress": order.payer,
        "toAddress": order.receiver,
    }


def _estimate(plan: Plan, tool: str, market: Market, gas_price: int) -> dict[str, Any]:
    order = plan.order
    estimate = {
        "tool": tool,
        "approvalAddress": DIAMOND,
        "toAmountMin": str(plan.delivered_least),
        "toAmount": str(plan.delivered),
        "fromAmount": str(plan.amount),
        "feeCosts": fee_costs(plan, market),
        "gasCosts": [_gas_cost(order.taken.chain, gas_price, market)] if gas_price else [],
        "executionDuration": SWAP_SECONDS if order.is_swap else BRIDGE_SECONDS,
        "fromAmountUSD": market.usd_of(order.taken, plan.amount),
        "toAmountUSD": market.usd_of(order.wanted, plan.delivered),
    }
    if (order.taken.chain, order.taken.address) in RESETTING:
        estimate["approvalReset"] = True
    return estimate


def fee_costs(plan: Plan, market: Market) -> list[dict[str, Any]]:
    """What is taken on the way."""
    order, costs = plan.order, []
    if plan.fee:
        cost = _fee_cost(
            "LIFI Fixed Fee", "Fixed LIFI fee, independent of any other fee", order.taken, plan.fee, market
        )
        cost["percentage"] = format((Decimal(plan.fee) / plan.amount).quantize(Decimal("0.0001")), "f")
        cost["feeSplit"] = {"integratorFee": str(plan.integrator_fee), "lifiFee": str(plan.lifi_fee)}
        costs.append(cost)
    if not order.is_swap:
        kept = int(Decimal(plan.swapped).scaleb(order.wanted.decimals - plan.carried.decimals)) - plan.delivered
        costs.append(_fee_cost("Relayer fee", "Fee for the relayer of Across", order.wanted, kept, market))
    return costs


def _fee_cost(name: str, description: str, asset: Asset, units: int, market: Market) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "token": token_json(asset, market),
        "amount": str(units),
        "amountUSD": market.usd_of(asset, units),
        "percentage": "0",
        "included": True,
    }


def _gas_cost(chain: str, price: int, market: Market) -> dict[str, Any]:
    coin = market.find(chain, NATIVE)
    assert coin is not None
    return {
        "type": "SEND",
        "price": str(price),
        "estimate": str(GAS),
        "limit": str(GAS_LIMIT),
        "amount": str(GAS * price),
        "amountUSD": market.usd_of(coin, GAS * price),
        "token": token_json(coin, market),
    }


def _included(plan: Plan, step_id: str, market: Market) -> list[dict[str, Any]]:
    order, rest = plan.order, plan.amount - plan.fee
    steps: list[tuple[str, str, tuple[Asset, Asset], tuple[int, int, int]]] = []
    if plan.fee:
        steps.append(("protocol", "feeCollection", (order.taken, order.taken), (plan.amount, rest, rest)))
    if plan.has_swap:
        swap = (rest, plan.swapped, plan.swapped_least)
        steps.append(("swap", EXCHANGE, (order.taken, plan.carried), swap))
    if not order.is_swap:
        bridge = (plan.swapped, plan.delivered, plan.delivered_least)
        steps.append(("cross", BRIDGE, (plan.carried, order.wanted), bridge))
    return [
        {
            "id": f"{step_id}:{number}",
            "type": kind,
            "tool": tool,
            "toolDetails": _details(tool),
            "action": _action(order, amounts[0], assets, market),
            "estimate": {
                "tool": tool,
                "fromAmount": str(amounts[0]),
                "toAmount": str(amounts[1]),
                "toAmountMin": str(amounts[2]),
                "approvalAddress": DIAMOND,
                "executionDuration": SWAP_SECONDS,
                "feeCosts": [],
                "gasCosts": [],
            },
        }
        for number, (kind, tool, assets, amounts) in enumerate(steps)
    ]
