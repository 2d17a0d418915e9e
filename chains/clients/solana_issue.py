"""Making a transaction that can land now, and sending one that came back signed; over one node."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chains.clients.outcomes import CannotSay, RpcRefusal
from chains.clients.solana_accounts import read_accounts, rent
from chains.clients.solana_endpoint import CONFIRMED, SolanaNode, whole
from chains.instructions.programs import token_account
from chains.registry import SOLANA_NATIVE_ADDRESS

TOKEN_TRANSFER_UNITS, COIN_TRANSFER_UNITS = 120_000, 40_000
"""Of computing: what such a payment takes at most, the opening of an account included, rounded up."""
SIGNATURE_LAMPORTS = 5_000
LEAST_PRICE, MOST_PRICE = 1_000, 1_000_000
"""Of a unit of computing, in millionths of a lamport. Why a most: a node must not name the fee that it likes."""
_PREFLIGHT_FAILED, _BAD_SIGNATURE = -32002, -32003
_DEAD_BLOCKHASH, _KNOWN = "BlockhashNotFound", "AlreadyProcessed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What a transaction that is made now is built with: its life, and what a unit of computing goes for."""

    blockhash: str
    last_valid_block_height: int
    unit_price: int


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedTransaction:
    """An unsigned transaction, the last block that can hold it, and the computing that it took in a trial."""

    transaction_base64: str
    last_valid_block_height: int
    units: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferCost:
    """What paying costs besides the payment, in lamports; ``least`` is the smallest payment that can arrive."""

    lamports: int
    least: int = 0


def read_terms(node: SolanaNode, written: Sequence[str]) -> Terms:
    """The terms for a transaction that writes to these accounts."""
    latest = node.rpc.value("getLatestBlockhash", {"commitment": CONFIRMED})
    return Terms(
        blockhash=str(latest["blockhash"]),
        last_valid_block_height=whole(latest["lastValidBlockHeight"]),
        unit_price=unit_price(node, written),
    )


def try_out(node: SolanaNode, unsigned: str) -> tuple[Any, int]:
    """How a transaction fails now, None where it does not, and how much computing it takes."""
    options = {"encoding": "base64", "commitment": CONFIRMED, "sigVerify": False}
    outcome = node.rpc.value("simulateTransaction", unsigned, options)
    if outcome["err"] == _DEAD_BLOCKHASH:
        raise CannotSay("a blockhash that it does not know")
    return outcome["err"], whole(outcome.get("unitsConsumed") or 0)


def unit_price(node: SolanaNode, accounts: Sequence[str]) -> int:
    """What a unit of computing goes for now: three of four recent blocks took less, within bounds."""
    recent = node.rpc.call("getRecentPrioritizationFees", list(accounts))
    paid = sorted(whole(one["prioritizationFee"]) for one in recent)
    usual = paid[len(paid) * 3 // 4] if paid else 0
    return min(max(usual, LEAST_PRICE), MOST_PRICE)


def cost_of_transfer(node: SolanaNode, recipient: str, token: str, program: str) -> TransferCost:
    """What a direct payment costs now, and for the native coin how little an unused wallet can receive."""
    is_coin = token == SOLANA_NATIVE_ADDRESS
    target = recipient if is_coin else token_account(recipient, token, program)
    [account] = read_accounts(node, [target])
    units = COIN_TRANSFER_UNITS if is_coin else TOKEN_TRANSFER_UNITS
    fee = SIGNATURE_LAMPORTS - (-units * unit_price(node, [target]) // 10**6)
    if is_coin:
        needed = node.rpc.number("getMinimumBalanceForRentExemption", 0)
        return TransferCost(lamports=fee, least=max(needed - (0 if account is None else account.lamports), 0))
    return TransferCost(lamports=fee if account is not None else fee + rent(node, program))


def send(node: SolanaNode, signed_base64: str) -> bool:
    """Whether the node took the transaction, or knew it. False proves nothing: it may have been sent elsewhere."""
    options = {
        "encoding": "base64",
        "skipPreflight": False,
        "preflightCommitment": CONFIRMED,
        "maxRetries": 0,
    }
    try:
        node.rpc.call("sendTransaction", signed_base64, options)
    except RpcRefusal as refusal:
        if refusal.code not in {_PREFLIGHT_FAILED, _BAD_SIGNATURE}:
            raise
        return bool(refusal.cause == _KNOWN)
    return True
