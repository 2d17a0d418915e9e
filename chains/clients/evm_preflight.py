"""What one EVM node says before we sign: what an account holds, what its call would do, and what that costs."""

from dataclasses import dataclass
from statistics import median_low
from typing import Any

from chains.clients.evm_balances import read_balances
from chains.clients.evm_endpoint import Node
from chains.clients.evm_simulation import Simulation, TriedCall, Watched, request, simulate_calls
from chains.clients.outcomes import CannotSay, EndpointFault
from chains.registry import EVM_NATIVE_ADDRESS
from core.money import BaseUnits

_BLOCKS_LOOKED_AT, _PERCENTILE = 5, 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Market:
    """What gas costs in the next block, and what others lately paid on top. Units: wei for one unit of gas."""

    base_fee: BaseUnits
    usual_tip: BaseUnits


@dataclass(frozen=True, kw_only=True, slots=True)
class Purse:
    """What an account has of the chain's own coin, and what gas costs."""

    coin_balance: BaseUnits
    market: Market


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """On what terms an account could send a call now. ``gas`` is None where the node says that it would fail.

    ``used_nonces`` counts the account's transactions up to the newest block, ``known_nonces`` those that wait as well.
    """

    head: int
    used_nonces: int
    known_nonces: int
    coin_balance: BaseUnits
    market: Market
    gas: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Preflight:
    """What a transfer stands on. ``simulation`` is what the transfer would do."""

    terms: Terms
    balance: BaseUnits
    simulation: Simulation


@dataclass(frozen=True, kw_only=True, slots=True)
class NonceCounts:
    """How many transactions of an account are in blocks, and how many are known at all."""

    latest: int
    pending: int


def read_purse(node: Node, holder: str) -> Purse:
    """What an account could pay with. Raises: EndpointFault."""
    return Purse(coin_balance=_coins(node, holder), market=_read_market(node))


def read_terms(node: Node, call: TriedCall) -> Terms:
    """On what terms a call could be sent. Raises: EndpointFault."""
    return Terms(
        head=node.head,
        used_nonces=_count(node, call.sender, "latest"),
        known_nonces=_count(node, call.sender, "pending"),
        coin_balance=_coins(node, call.sender),
        market=_read_market(node),
        gas=_estimate(node, call),
    )


def read_preflight(node: Node, call: TriedCall, watched: Watched) -> Preflight:
    """The same, with the balance of the watched token, and what the call would do. Raises: EndpointFault."""
    balances = read_balances(node, call.sender, [] if watched.token == EVM_NATIVE_ADDRESS else [watched.token])
    if watched.token not in balances:
        raise CannotSay("a token that does not tell a balance")
    return Preflight(
        terms=read_terms(node, call),
        balance=balances[watched.token],
        simulation=simulate_calls(node, [call], watched),
    )


def read_counts(node: Node, sender: str) -> NonceCounts:
    """How many nonces of an account are used, and how many are spoken for."""
    return NonceCounts(latest=_count(node, sender, "latest"), pending=_count(node, sender, "pending"))


def _coins(node: Node, holder: str) -> BaseUnits:
    return BaseUnits(int(node.web3.eth.get_balance(holder)))  # type: ignore[arg-type]  # checksummed


def _count(node: Node, sender: str, tag: Any) -> int:
    return int(node.web3.eth.get_transaction_count(sender, tag))  # type: ignore[arg-type]  # checksummed


def _read_market(node: Node) -> Market:
    """Why not the node's own proposal for a tip: libraries raise it to what is absurd on second layers."""
    past = node.web3.eth.fee_history(_BLOCKS_LOOKED_AT, "latest", [_PERCENTILE])
    tips = [int(block[0]) for block in past.get("reward") or [] if block]
    base_fee, tip = int(past["baseFeePerGas"][-1]), median_low(tips) if tips else 0
    if base_fee < 0 or tip < 0:
        raise EndpointFault("fees below zero")
    return Market(base_fee=BaseUnits(base_fee), usual_tip=BaseUnits(tip))


def _estimate(node: Node, call: TriedCall) -> int | None:
    sent = {"from": call.sender, "to": call.to, "value": hex(call.value), "data": call.data}
    answer = request(node, "eth_estimateGas", sent, "latest")
    return None if "error" in answer else int(answer["result"], 16)
